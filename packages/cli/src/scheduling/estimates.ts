// Expected lengths of a log's requests: from a predictor where there are prompts, with its measured error where there are none.
import type { ServeCore } from '@trimtab/serve'
import { countOrdered, type LengthEstimator, LengthPredictor, type LengthRequest } from '@trimtab/serve'
import { estimateWithErrors, type MeasuredErrors, measureErrors } from './measured-errors.js'
import { estimateOnline } from './online.js'
import type { RequestEstimates } from './policies.js'
import type { LoggedRequest, RequestLog } from './requests.js'
import type { Estimator } from './work.js'

/** Percentiles that bound the papers' five classes (6.3.3). */
const CLASS_BOUNDS = [0.25, 0.5, 0.75, 0.99]

const toLengthRequest = ({ model, prompt }: LoggedRequest): LengthRequest => ({ model, prompt: prompt ?? '' })

/** What a predictor says of each row of a log with prompts, learning nothing meanwhile. */
export async function estimateRows(log: RequestLog, predictor: LengthEstimator): Promise<RequestEstimates> {
  const tokens = new Float64Array(log.requests.length)
  const classes = new Float64Array(log.requests.length)
  for (const [row, request] of log.requests.entries()) {
    const prediction = await predictor.predict(toLengthRequest(request))
    tokens[row] = prediction.tokens
    classes[row] = prediction.class
  }
  return { tokens, classes }
}

/** Estimates of a log's rows, whenever they are drawn. */
export function rowEstimator(log: RequestLog, { tokens, classes }: RequestEstimates, name: string): Estimator {
  const pick = (column: Float64Array, rows: Int32Array) => Float64Array.from(rows, (row) => column[row]!)
  return {
    name,
    pairwiseOrder: pairwiseOrder(log, tokens),
    isLearning: false,
    estimate: ({ rows }) => ({ tokens: pick(tokens, rows), classes: pick(classes, rows) }),
  }
}

/**
 * A predictor that is told the length of each request that is done; every run begins with it as it was saved.
 * @param pairwiseOrder  of the predictor before it learns
 */
export function onlineEstimator(
  core: ServeCore,
  log: RequestLog,
  saved: Uint8Array,
  name: string,
  pairwiseOrder: number,
): Estimator {
  return {
    name,
    pairwiseOrder,
    isLearning: true,
    async estimate({ rows }, { arrival, times }) {
      using learner = LengthPredictor.load(core, saved)
      const requests = Array.from(rows, (row) => log.requests[row]!)
      return await estimateOnline(requests, arrival, times.finish, learner)
    },
  }
}

/** A predictor's errors on a log with prompts, to lend to one without. */
export const errorsOf = (log: RequestLog, { tokens }: RequestEstimates): MeasuredErrors =>
  measureErrors(
    log.requests.map(({ outputTokens }) => outputTokens),
    tokens,
    log.requests.map(({ model }) => model),
  )

/** Every request of a log without prompts, as wrong as `errors`. Classes are those of the estimates. */
export function estimateRowsWithErrors(
  core: ServeCore,
  log: RequestLog,
  errors: MeasuredErrors,
  seed: number,
): RequestEstimates {
  const lengths = log.requests.map(({ outputTokens }) => outputTokens)
  const tokens = estimateWithErrors(core, lengths, errors, seed)
  const sorted = Float64Array.from(lengths).sort()
  const bounds = CLASS_BOUNDS.map((share) => sorted[Math.floor(share * (sorted.length - 1))]!)
  return { tokens, classes: tokens.map((count) => bounds.filter((bound) => count >= bound).length) }
}

/** Of pairs of requests to one model and of unequal length, the share whose estimates are in the same order; ties count half. */
export function pairwiseOrder({ requests, models }: RequestLog, estimates: ArrayLike<number>): number {
  let [pairs, right] = [0, 0]
  for (const model of models) {
    const rows = requests.flatMap((request, row) => (request.model === model ? [row] : []))
    const counted = countOrdered(
      Float64Array.from(rows, (row) => requests[row]!.outputTokens),
      Float64Array.from(rows, (row) => estimates[row]!),
    )
    pairs += counted.pairs
    right += counted.ordered
  }
  return pairs > 0 ? right / pairs : 0.5
}
