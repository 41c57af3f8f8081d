// Prints, as JSON, hashes of a batch of embeddings without threads and on two of the runtime's own, and why these were not used.
import { createCore } from '@trimtab/core'
import { EncoderThreads } from '@trimtab/node'
import { embed } from './embed.mjs'

const threads = new EncoderThreads({ size: 2 })
const [alone, onThreads] = [await embed(await createCore()), await embed(await createCore({ threads }))]
console.log(JSON.stringify({ alone, onThreads, unused: threads.unused }))
await threads.dispose()
