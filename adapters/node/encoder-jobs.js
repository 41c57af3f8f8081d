// What EncoderThreads runs in its workers. Plain JavaScript beside `src` and `dist`, as worker.js is.
import { encoderJob } from '@trimtab/core/internal'

export const finalStates = encoderJob()
