import { type Core, Random } from '@trimtab/core'

/** When a function is called: how often, how evenly, and how its day goes. */
export interface CallPattern {
  readonly callsPerDay: number
  /** A timer calls it so often, s; 0: people and events do. */
  readonly periodSeconds: number
  /** When a timer's first call comes and when the day's peak is, as a share of the period and of the day. */
  readonly phase01: number
  /** Calls of one burst on average; 1: each comes alone. */
  readonly burstCalls: number
  /** How long the calls of a burst stay away from its first one on average, s. */
  readonly burstSeconds: number
  /** How far the rate swings over a day, as a share of its mean. */
  readonly dailySwing: number
}

const DAY_SECONDS = 86_400

/**
 * Calls a day over functions: the share of functions that are called at most so often. Azure Functions (Shahrad et al., "Serverless
 * in the Wild", ATC 2020): 45 % at most once an hour, 81 % at most once a minute, eight orders of magnitude in all.
 */
const CALLS_PER_DAY: readonly (readonly [share01: number, callsPerDay: number])[] = [
  [0, 1],
  [0.45, 24],
  [0.81, 1440],
  [0.95, 5e4],
  [0.995, 5e6],
  [1, 1e8],
]

/** Of all functions; timers call at most once a minute. */
const TIMER_SHARE = 0.29
const TIMERS_AMONG_RARE = TIMER_SHARE / 0.81
/** What people set timers to, s. */
const PERIODS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]
const PATTERN_STREAM = 310
const CALLS_STREAM = 311

/** Patterns of functions as Azure's are: most of them rare, three of ten timers, the others mostly in bursts. */
export function drawCallPatterns(core: Core, seed: number, count: number): CallPattern[] {
  const random = new Random(core, seed, PATTERN_STREAM)
  const patterns = Array.from({ length: count }, () => drawCallPattern(core, random))
  random.dispose()
  return patterns
}

/** The pattern of one function. */
function drawCallPattern(core: Core, random: Random): CallPattern {
  const callsPerDay = drawCallsPerDay(core, random.uniform())
  const phase01 = random.uniform()
  if (callsPerDay <= 1440 && random.uniform() < TIMERS_AMONG_RARE) {
    // the next shorter one: a function called at most once an hour stays one
    const periodSeconds = PERIODS.findLast((period) => period <= DAY_SECONDS / callsPerDay)!
    const timer = { periodSeconds, burstCalls: 1, burstSeconds: 0, dailySwing: 0 }
    return { callsPerDay: DAY_SECONDS / periodSeconds, phase01, ...timer }
  }
  return {
    ...{ callsPerDay, periodSeconds: 0, phase01 },
    burstCalls: core.math.pow(20, random.uniform()), // 1 … 20
    burstSeconds: 5 * core.math.pow(60, random.uniform()), // 5 s … 5 min
    dailySwing: 0.9 * random.uniform(),
  }
}

/** The quantile of calls a day, even in the logarithm between the published points. */
function drawCallsPerDay({ math }: Core, share01: number): number {
  const above = CALLS_PER_DAY.findIndex(([share]) => share > share01)
  const [lowShare, low] = CALLS_PER_DAY[above - 1]!
  const [highShare, high] = CALLS_PER_DAY[above]!
  return low * math.pow(high / low, (share01 - lowShare) / (highShare - lowShare))
}

/** What calls are drawn for. */
export interface CallWindow {
  readonly stepSeconds: number
  readonly steps: number
  /** Where in the day the first step begins; default midnight. */
  readonly startSeconds?: number
}

/**
 * How often a function of this pattern is called in each step: whole numbers [steps]. A burst's first calls come as in a Poisson
 * process with the rate of the day, the others follow it with exponential delays.
 */
export function drawCalls(
  core: Core,
  pattern: CallPattern,
  seed: number,
  { stepSeconds, steps, startSeconds = 0 }: CallWindow,
): Float64Array {
  const { periodSeconds, phase01 } = pattern
  if (periodSeconds === 0) return drawBursts(core, pattern, seed, { stepSeconds, steps, startSeconds })
  const firesBefore = (second: number): number => Math.ceil(second / periodSeconds - phase01)
  return Float64Array.from({ length: steps }, (_, step) => {
    const second = startSeconds + step * stepSeconds
    return firesBefore(second + stepSeconds) - firesBefore(second)
  })
}

function drawBursts(
  core: Core,
  pattern: CallPattern,
  seed: number,
  { stepSeconds, steps, startSeconds }: Required<CallWindow>,
): Float64Array {
  const { math } = core
  const { callsPerDay, phase01, burstCalls, burstSeconds, dailySwing } = pattern
  const random = new Random(core, seed, CALLS_STREAM)
  const burstsPerStep = ((callsPerDay / DAY_SECONDS) * stepSeconds) / burstCalls
  const arriving01 = 1 - math.exp(-stepSeconds / burstSeconds) // of what still follows, in one step
  let following = 0
  const calls = Float64Array.from({ length: steps }, (_, step) => {
    const day01 = (startSeconds + (step + 0.5) * stepSeconds) / DAY_SECONDS
    const swing = 1 + dailySwing * math.cos(2 * Math.PI * (day01 - phase01))
    const bursts = random.poisson(burstsPerStep * swing)
    // geometric sizes: what follows n bursts is a Poisson count of gamma-distributed mean
    if (bursts > 0 && burstCalls > 1) following += (burstCalls - 1) * random.gamma(bursts)
    const arriving = following * arriving01
    following -= arriving
    return bursts + random.poisson(arriving)
  })
  random.dispose()
  return calls
}
