import { serveEncoder } from '@trimtab/core/threads'

serveEncoder()
