import { type Core, Problems, Random } from '@trimtab/core'
import { logScale } from '../scale.js'
import { type Application, requestCosts, SEGMENTS, type Segment, withPayload } from './application.js'
import { AutoscalingEnvironment } from './environment.js'
import { generateLoad } from './load.js'
import { SLO_WEIGHT } from './reward.js'

/** An ⟨application, environment⟩ pair of the autoscaling pools. Plain JSON. */
export interface AutoscalingPair {
  readonly application: Application
  /** Of `generateLoad`: the pair's own two days of load. */
  readonly loadSeed: number
  /** Weight of the SLO in the reward. */
  readonly sloWeight: number
  /** CPU's share of the utilisation's weight. */
  readonly cpuShare: number
}

const LOAD_DAYS = 2
const STREAM = 103
const STRIDE = 389 // prime to 968: neighbours differ, and no two of 968 successive pairs have the same segments

// Wide enough that pairs differ in what is best for them: with the memories of `generateApplication` one single action is
// within 4 % of every application's best, with these it is not.
const MEMORY_FLOOR_MIB = [100, 1200] as const
const PEAK_CORES = [0.25, 40] as const // loads average 40 % of their peak: 0.1 … 16 cores

// What the operator of an application values, hidden from the state: half of them want the SLO kept, half their CPUs used.
// With one weight of 0.1 … 0.9 on the papers' sum there is nothing to hide: keeping the SLO is within 1 % of the best for
// nearly every weight, as memory can be used up without harm and an overloaded CPU gains little. With these two groups the
// best compromise of one constant action loses 7 % in the median and 15 % on average.
const VALUES_SLO = { sloWeight: [0.7, 0.9], cpuShare: 0.5 } as const
const VALUES_CPU = { sloWeight: [0.05, 0.15], cpuShare: 0.9 } as const

// What costs can be: the smallest and the largest sums over one to three segments at payload factors of 0.5 … 2.
const WORK_SECONDS = [0.00025, 2.4] as const
const WAIT_SECONDS = [0.004, 1.3] as const // an application that waits less does not wait to speak of
const REQUEST_MEMORY_MIB = [14, 32] as const

/** All 968 multisets of one to three segments: what an application is, apart from its payloads. */
const allMultisets = (): Segment[][] =>
  SEGMENTS.flatMap((a, i) => [
    [a],
    ...SEGMENTS.slice(i).flatMap((b, j) => [[a, b], ...SEGMENTS.slice(i + j).map((c) => [a, b, c])]),
  ])

let multisets: readonly (readonly Segment[])[] | undefined

function multisetOf(n: number): readonly Segment[] {
  multisets ??= allMultisets()
  return multisets[((n % multisets.length) * STRIDE) % multisets.length]!
}

/** Rolls the pair number `n`. */
export function generateAutoscalingPair(core: Core, n: number, hasHiddenWeight: boolean): AutoscalingPair {
  const random = new Random(core, n, STREAM)
  const between = ([low, high]: readonly [number, number]): number =>
    low * core.math.exp(random.uniform() * core.math.log(high / low))
  const segments = multisetOf(n).map((s) => withPayload(s, between([0.5, 2])))
  const costs = requestCosts(segments)
  const application: Application = {
    name: `app-${n}`,
    segments,
    ...costs,
    baseMemoryMiB: between(MEMORY_FLOOR_MIB),
    peakRatePerSecond: between(PEAK_CORES) / costs.workSeconds,
  }
  const values = random.uniform() < 0.5 ? VALUES_SLO : VALUES_CPU
  const [low, high] = values.sloWeight
  const hidden = { sloWeight: low + (high - low) * random.uniform(), cpuShare: values.cpuShare }
  random.dispose()
  return { application, loadSeed: n, ...(hasHiddenWeight ? hidden : { sloWeight: SLO_WEIGHT, cpuShare: 0.5 }) }
}

function checkPair(pair: AutoscalingPair): void {
  const problems = new Problems()
  const { application, loadSeed, sloWeight, cpuShare } = pair ?? {}
  problems.check(Number.isSafeInteger(loadSeed), `loadSeed must be a safe integer, got ${loadSeed}`)
  problems.check(sloWeight >= 0 && sloWeight <= 1, `sloWeight must lie in [0, 1], got ${sloWeight}`)
  problems.check(cpuShare >= 0 && cpuShare <= 1, `cpuShare must lie in [0, 1], got ${cpuShare}`)
  const fields = ['workSeconds', 'waitSeconds', 'variability', 'baseMemoryMiB', 'requestMemoryMiB', 'peakRatePerSecond']
  for (const name of fields as (keyof Application)[]) {
    const value = application?.[name]
    const holds = typeof value === 'number' && value >= 0 && value < Infinity && (name !== 'workSeconds' || value > 0)
    problems.check(holds, `application.${name} must be a finite number >= 0, workSeconds above 0; got ${value}`)
  }
  problems.throwIfAny('pair')
}

/** What the state does not show of a pair: six numbers, eight with the hidden weights, each in about [−1, 1]. */
export function autoscalingParameters(core: Core, pair: AutoscalingPair, hasHiddenWeight: boolean): Float32Array {
  const { application: app, sloWeight, cpuShare } = pair
  const scale = (value: number, range: readonly [number, number]): number => logScale(core.math, value, range)
  const parameters = [
    scale(app.workSeconds, WORK_SECONDS),
    scale(Math.max(app.waitSeconds, WAIT_SECONDS[0]), WAIT_SECONDS),
    app.variability - 1, // 0.3 … 1.9
    scale(app.baseMemoryMiB, MEMORY_FLOOR_MIB),
    scale(app.requestMemoryMiB, REQUEST_MEMORY_MIB),
    scale(app.peakRatePerSecond * app.workSeconds, PEAK_CORES),
  ]
  return Float32Array.from(
    hasHiddenWeight ? [...parameters, (sloWeight - 0.5) / 0.4, (cpuShare - 0.7) / 0.2] : parameters,
  )
}

/**
 * The pair's world: AWARE's state and actions on logarithmic scales.
 * @throws {ConfigError} `config_invalid` with every problem of the pair
 */
export function createAutoscalingWorld(core: Core, pair: AutoscalingPair): AutoscalingEnvironment {
  checkPair(pair)
  const { application, loadSeed, sloWeight, cpuShare } = pair
  const load = generateLoad(core, loadSeed, LOAD_DAYS)
  return new AutoscalingEnvironment(core, application, load, { view: 'logarithmic', sloWeight, cpuShare })
}
