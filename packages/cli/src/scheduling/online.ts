// A predictor that learns while it serves.
import type { LengthEstimator, LengthPrediction } from '@trimtab/serve'
import type { RequestEstimates } from './policies.js'
import type { LoggedRequest } from './requests.js'

/**
 * Estimates of requests in the order in which they come, by a predictor that is told each length when the request is done.
 * Done is when first come, first served is done with it: what is learned then does not depend on the policy that is judged.
 * @param arrival  [N] ascending  @param finish  [N]
 */
export async function estimateOnline(
  requests: readonly LoggedRequest[],
  arrival: Float64Array,
  finish: Float64Array,
  learner: LengthEstimator,
): Promise<RequestEstimates> {
  const byFinish = requests.map((_, i) => i).sort((a, b) => finish[a]! - finish[b]!)
  const predictions: LengthPrediction[] = []
  let told = 0
  for (const [i, { model, prompt = '' }] of requests.entries()) {
    for (; told < byFinish.length && finish[byFinish[told]!]! <= arrival[i]!; told++) {
      const done = requests[byFinish[told]!]!
      learner.observe({ model: done.model, prompt: done.prompt ?? '' }, done.outputTokens)
    }
    predictions.push(await learner.predict({ model, prompt }))
  }
  return {
    tokens: Float64Array.from(predictions, ({ tokens }) => tokens),
    classes: Float64Array.from(predictions, (prediction) => prediction.class),
  }
}
