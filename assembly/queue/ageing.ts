// Ageing by work, as `WorkAgeing` of packages/core/src/ageing.ts has it for queues in JavaScript; a test holds them together.
//
//   key = tokens that arrived before + bypass · largest backlog · min(1, tokens / (longFactor · mean tokens))

/** Share of the work that arrives by which the largest backlog is forgotten. */
// @ts-ignore: decorator
@inline const PEAK_DECAY: f64 = 0.01
/** Requests over which the mean length is taken. */
// @ts-ignore: decorator
@inline const MEAN_WINDOW: f64 = 1000

/** Zeros, but for the first two. */
// @ts-ignore: decorator
@unmanaged export class WorkAgeing {
  bypass: f64 = 0
  longFactor: f64 = 0
  arrived: f64 = 0
  backlog: f64 = 0
  peak: f64 = 0
  mean: f64 = 0
  count: f64 = 0
  waiting: i32 = 0
}

/** How many later tokens may overtake a request of `tokens` that enters now. */
// @ts-ignore: decorator
@inline export function allowanceOf(ageing: WorkAgeing, tokens: f64): f64 {
  const share = ageing.mean > 0 ? min(1.0, tokens / (ageing.longFactor * ageing.mean)) : 1.0
  return ageing.bypass * ageing.peak * share
}

export function enterWork(ageing: WorkAgeing, tokens: f64): void {
  ageing.count = min(ageing.count + 1, MEAN_WINDOW)
  ageing.mean += (tokens - ageing.mean) / ageing.count
  ageing.arrived += tokens
  ageing.waiting++
  ageing.backlog += tokens
  ageing.peak = max(ageing.peak - PEAK_DECAY * tokens, ageing.backlog)
}

export function leaveWork(ageing: WorkAgeing, tokens: f64): void {
  ageing.waiting--
  ageing.backlog = ageing.waiting == 0 ? 0 : ageing.backlog - tokens // 0: no drift of the sum
}
