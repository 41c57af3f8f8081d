// Reads and analyses beside the page, so that the page stays quick with files of any size.
import { createAnalyst } from './analyst.js'
import type { FromWorker, ToWorker } from './protocol.js'

const send = (message: FromWorker): void => postMessage(message)
const answer = createAnalyst(send)

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  answer(data).catch((error: unknown) =>
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
})
