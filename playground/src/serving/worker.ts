// Serves beside the page: the queue at once, the clocks of the GPUs when nothing newer was asked meanwhile.
import { createServeCore, LengthPredictor } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'
import { compare } from './comparison.js'
import { comparePower } from './power.js'
import type { FromWorker, ToWorker } from './protocol.js'
import { learnFromPast } from './workload.js'

let latest = 0
let powerOf = ''
const send = (message: FromWorker): void => postMessage(message)
const messagesIn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

async function open() {
  const core = await createServeCore()
  const predictor = LengthPredictor.load(core, defaultLengthWeights())
  learnFromPast(core, predictor)
  return { core, predictor }
}
const opened = open()

async function answer({ number, settings, power }: ToWorker): Promise<void> {
  const { core, predictor } = await opened
  send({ type: 'comparison', number, comparison: compare(core, predictor, settings) })
  await messagesIn()
  if (number !== latest || powerOf === JSON.stringify(power)) return
  powerOf = JSON.stringify(power)
  send({ type: 'power', number, power: comparePower(core, power) })
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  latest = data.number
  answer(data).catch((error: unknown) =>
    send({ type: 'failed', number: data.number, message: error instanceof Error ? error.message : String(error) }),
  )
})
