// Ageing by work, as `WorkAgeing` of packages/core/src/ageing.ts has it for queues in JavaScript; a test holds them together.
//
//   key = tokens that arrived up to it, its own with them + bypass · largest backlog · min(1, tokens / (longFactor · mean tokens))

/** Share of the work that arrives by which the largest backlog is forgotten. */
// @ts-ignore: decorator
@inline const PEAK_DECAY: f64 = 0.01
/** Requests over which the mean length is taken. */
// @ts-ignore: decorator
@inline const MEAN_WINDOW: f64 = 1000

/** Growth of the largest backlog after which all keys are reckoned anew. */
// @ts-ignore: decorator
@inline const GROWTH: f64 = 2

/** Zeros, but for the first two. */
// @ts-ignore: decorator
@unmanaged export class WorkAgeing {
  bypass: f64 = 0
  longFactor: f64 = 0
  arrived: f64 = 0
  backlog: f64 = 0
  peak: f64 = 0
  keyedPeak: f64 = 0
  mean: f64 = 0
  count: f64 = 0
  waiting: i32 = 0
}

/** How many later tokens may overtake a request of `tokens` that has entered. */
// @ts-ignore: decorator
@inline export function allowanceOf(ageing: WorkAgeing, tokens: f64): f64 {
  const share = ageing.mean > 0 ? min(1.0, tokens / (ageing.longFactor * ageing.mean)) : 1.0
  return ageing.bypass * ageing.peak * share
}

/** Returns whether the largest backlog has doubled, so that all keys are to be reckoned anew. */
export function enterWork(ageing: WorkAgeing, tokens: f64): bool {
  ageing.count = min(ageing.count + 1, MEAN_WINDOW)
  ageing.mean += (tokens - ageing.mean) / ageing.count
  ageing.arrived += tokens
  ageing.waiting++
  ageing.backlog += tokens
  ageing.peak = max(ageing.peak - PEAK_DECAY * tokens, ageing.backlog)
  ageing.keyedPeak = ageing.waiting == 1 ? ageing.peak : min(ageing.keyedPeak, ageing.peak)
  if (ageing.peak < GROWTH * ageing.keyedPeak) return false
  ageing.keyedPeak = ageing.peak
  return true
}

export function leaveWork(ageing: WorkAgeing, tokens: f64): void {
  ageing.waiting--
  ageing.backlog = ageing.waiting == 0 ? 0 : ageing.backlog - tokens // 0: no drift of the sum
}
