// Serves beside the page: the queue at once, the clocks of the GPUs when nothing newer was asked meanwhile.
import type { RequestLog } from 'trimtab/schedule'
import { createServeCore, LengthPredictor, type ServeCore } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'
import { compare } from './comparison.js'
import { comparePower } from './power.js'
import type { FromWorker, ToWorker } from './protocol.js'
import { readLog } from './read-log.js'
import { learnFromPast, logWorkload, makeWorkload, type Workload } from './workload.js'

const PAUSE_MS = 300

let latest = 0
let powerOf = ''
const send = (message: FromWorker): void => postMessage(message)
/** Newer questions come in, and the page draws the answer before the cores are busy with the next. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS))

const opening = createServeCore()
const predictors = new Map<'taught' | 'shipped', LengthPredictor>()

/** What is shipped, or the same after a past of its own; each takes a tenth of a second, so it is made when it is first asked for. */
function predictorOf(which: 'taught' | 'shipped', core: ServeCore): LengthPredictor {
  const known = predictors.get(which)
  if (known) return known
  const made = LengthPredictor.load(core, defaultLengthWeights())
  if (which === 'taught') learnFromPast(core, made)
  predictors.set(which, made)
  return made
}

/** The log that was read last, for as long as it is the one that is asked for. */
let last: { readonly key: string; readonly log: RequestLog } | undefined

async function openLog(file: File): Promise<RequestLog> {
  const key = [file.name, file.size, file.lastModified].join('/')
  if (last?.key !== key) last = { key, log: await readLog(file) }
  return last.log
}

/** Of requests that are made up the predictor has seen others; a log is predicted by what is shipped, which may learn from it. */
async function workloadOf({ log, settings, isLearning }: ToWorker): Promise<Workload> {
  const core = await opening
  return log
    ? logWorkload(core, isLearning ? undefined : predictorOf('shipped', core), await openLog(log), settings)
    : makeWorkload(core, predictorOf('taught', core), settings)
}

async function answer(question: ToWorker): Promise<void> {
  const { number, settings, power } = question
  const core = await opening
  send({ type: 'comparison', number, comparison: await compare(core, await workloadOf(question), settings) })
  await pause()
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
