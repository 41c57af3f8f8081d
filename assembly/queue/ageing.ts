// Ageing by work, as `WorkAgeing` of packages/core/src/queue/ageing.ts has it for queues in JavaScript; a test holds them together.
//
//   key = tokens that arrived up to it, its own with them + scale · min(tokens, cap)
//   cap = longFactor · mean tokens, scale = bypass · largest backlog / cap

/** Share of the work that arrives by which the largest backlog is forgotten. */
// @ts-ignore: decorator
@inline const PEAK_DECAY: f64 = 0.01
/** Requests over which the mean length is taken. */
// @ts-ignore: decorator
@inline const MEAN_WINDOW: f64 = 1000
/** How far the largest backlog and the mean may be from those that scale and cap are of, as a factor. */
// @ts-ignore: decorator
@inline const NEAR: f64 = 1.25

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
  /** Those that scale and cap are of. */
  keyedPeak: f64 = 0
  keyedMean: f64 = 0
  scale: f64 = 0
  cap: f64 = 0
}

// @ts-ignore: decorator
@inline function isNear(value: f64, keyed: f64): bool {
  return value <= NEAR * keyed && keyed <= NEAR * value
}

/** Returns whether scale and cap are others now, of all that wait. */
export function enterWork(ageing: WorkAgeing, tokens: f64): bool {
  ageing.count = min(ageing.count + 1, MEAN_WINDOW)
  ageing.mean += (tokens - ageing.mean) / ageing.count
  ageing.arrived += tokens
  ageing.waiting++
  ageing.backlog += tokens
  ageing.peak = max(ageing.peak - PEAK_DECAY * tokens, ageing.backlog)
  if (isNear(ageing.peak, ageing.keyedPeak) && isNear(ageing.mean, ageing.keyedMean)) return false
  ageing.keyedPeak = ageing.peak
  ageing.keyedMean = ageing.mean
  ageing.cap = ageing.longFactor * ageing.mean
  ageing.scale = ageing.cap > 0 ? ageing.bypass * ageing.peak / ageing.cap : 0
  return true
}

export function leaveWork(ageing: WorkAgeing, tokens: f64): void {
  ageing.waiting--
  ageing.backlog = ageing.waiting == 0 ? 0 : ageing.backlog - tokens // 0: no drift of the sum
}
