import { type Bytes, type Core, FormatError, Problems } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { normalCdf, normalQuantile } from '../../normal.js'
import { WindowMax } from '../../window-max.js'
import type { LearningAllocator } from '../allocator.js'
import { checkPrices, DEFAULT_PRICES, dollarsPerHour, type Prices } from '../cost.js'
import { WorkMeter } from '../rules/work-meter.js'
import { type Allocation, type AllocationBounds, DEFAULT_BOUNDS, type Telemetry } from '../telemetry.js'
import { LatencyBelief } from './latency-belief.js'
import { LoadForecast } from './load-forecast.js'
import { type LatencyPrior, shippedPrior } from './prior.js'

/** What a margin allocator may do and aims for. */
export interface MarginAllocatorOptions {
  readonly bounds?: AllocationBounds
  readonly prices?: Prices
  /** Share of steps that may break the SLO; what is aimed for is half of it. Default 0.005. */
  readonly budget01?: number
  readonly stepSeconds?: number
  /** What is known of services before this one. Default: the prior that the package ships. */
  readonly prior?: LatencyPrior
}

/** Why the last allocation is what it is. */
export interface MarginExplanation {
  /** p99 / SLO expected of the next step, at the load expected of it. */
  readonly p99OverSlo: number
  /** The range that it lies in with 95 %, by what is known of the law, its scatter and the load. */
  readonly interval: readonly [low: number, high: number]
  /** Probability of a breach that the margin leaves, of the load and of the law each; the error budget moves it. */
  readonly risk01: number
  /** Requests per second: expected next, and provided for. */
  readonly expectedRate: number
  readonly providedRate: number
  /** The next smaller size and the probability that it would break the SLO. */
  readonly cheaper: { readonly coresPerReplica: number; readonly breach01: number } | undefined
}

const STEP = 1.0594630943592953 // between sizes that are tried: a twelfth of an octave
const RATIO_SLACK = 0.02 // of ln(p99 / SLO): the grid's own error
const FIRST_RISK = 0.0015
const RISK_RANGE = [1e-4, 0.1] as const
/** How much a broken step moves ln(risk). */
const RISK_RATE = 0.3
const ROOM = 1.1 // times the demand provided for: what the pods must be able to grow to, while others start
const SWITCHING = 1.05 // another number of pods must be this much cheaper
const UNKNOWN_UTILISATION = 0.3 // of the largest pods, while nothing is known
const FEWER_AFTER_STEPS = 8
const SHRINKS_BELOW = 0.95 // of the size in force; smaller savings are not worth a resize
const MEMORY_SAMPLES = 240 // an hour of 15-second steps
const MEMORY_HEADROOM = 1.45
const KILL_FACTOR = 1.4
const CALM_STEPS = 20
const KILLS_BEFORE_PODS = 2 // in a row: memory alone did not help
const ORDER_STATISTIC_BIAS = 0.125 // a p99 of N < 100 requests is their maximum: it lies below the true one
const BACKLOG_RATIO = 0.7 // ln(p99 / SLO) above which a queue is left for the next step
const CERTAIN = 3 // deviations above the SLO that no expectation talks away
const VERSION = 1

/**
 * The model-based margin controller: an online model of p99 / SLO from pod size and load, with its own uncertainty; the cheapest
 * allocation that is safe at the load that the next step exceeds with a small probability; and that probability is moved by the
 * error budget, so that the SLO is broken as often as half the budget allows and no dollar is spent on more.
 *
 * What counts as broken is denoised: the probability that the true p99 was above the SLO, given the measured one, how many
 * requests it was measured over and what the model expected (a p99 of 15 seconds is broken by chance alone in 4 of 100 steps).
 */
export class MarginAllocator implements LearningAllocator {
  readonly name = 'margin'
  readonly reads: readonly (keyof Telemetry)[] = [
    'requests',
    'ratePerSecond',
    'p99Ms',
    'usedCores',
    'usedMemoryMiB',
    'readyReplicas',
    'startingReplicas',
    'coresPerReplica',
    'memoryMiBPerReplica',
    'oomKills',
    'droppedRequests',
  ]
  readonly #core: Pick<Core, 'math'>
  readonly #bounds: AllocationBounds
  readonly #prices: Prices
  readonly #aim01: number
  readonly #sizes: readonly number[] // that are tried
  readonly #belief: LatencyBelief
  readonly #forecast: LoadForecast
  readonly #work = new WorkMeter()
  readonly #samples = new Float64Array(1 + MEMORY_SAMPLES)
  readonly #memory = new WindowMax(this.#samples)
  #logRisk = 0
  #hasBacklog = false
  #fewerSteps = 0 // for which fewer pods would have done
  #kills = 0 // in a row
  #calm = 0 // steps since the last one
  #leastReplicas = 0 // after kills that memory alone did not end
  #providedRate = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Pick<Core, 'math'>, options: MarginAllocatorOptions = {}) {
    const { budget01 = 0.005, stepSeconds = 15, prior = shippedPrior() } = options
    const problems = new Problems()
    problems.checkKeys(options, ['bounds', 'prices', 'budget01', 'stepSeconds', 'prior'], 'margin')
    problems.check(budget01 > 0 && budget01 <= 0.2, `margin.budget01 must be in (0, 0.2], got ${budget01}`)
    problems.check(
      stepSeconds > 0 && stepSeconds < Number.POSITIVE_INFINITY,
      `margin.stepSeconds must be finite and above 0, got ${stepSeconds}`,
    )
    problems.throwIfAny('margin')
    this.#core = core
    this.#bounds = options.bounds ?? DEFAULT_BOUNDS
    this.#prices = options.prices ?? DEFAULT_PRICES
    checkPrices(this.#prices)
    this.#aim01 = budget01 / 2
    this.#sizes = sizesWithin(this.#bounds.cores)
    this.#belief = new LatencyBelief(core.math, prior)
    this.#forecast = new LoadForecast(core.math, stepSeconds)
    this.reset()
  }

  /** Coefficients [K] of this service among the laws of the prior: standard normal over the pool. */
  get embedding(): Float64Array {
    return this.#belief.coefficients.slice()
  }

  reset(): void {
    this.#belief.reset()
    this.#forecast.reset()
    this.#work.reset()
    this.#memory.clear()
    this.#logRisk = this.#core.math.log(FIRST_RISK)
    this.#hasBacklog = false
    this.#fewerSteps = 0
    this.#kills = 0
    this.#calm = 0
    this.#leastReplicas = 0
    this.#providedRate = 0
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.#work.observe(t)
    this.#learn(t)
    this.#forecast.observe(t.ratePerSecond)
    this.#countKills(t)
    this.#memory.push(t.oomKills > 0 ? KILL_FACTOR * t.memoryMiBPerReplica : t.usedMemoryMiB)
    this.#providedRate = this.#forecast.quantile(this.#risk)
    const inForce = t.readyReplicas + t.startingReplicas
    const demand = this.#providedRate * this.#work.secondsPerRequest
    out.replicas = this.#chooseReplicas(t, inForce, demand)
    out.coresPerReplica = this.#chooseCores(t, inForce, out.replicas, demand)
    const share = Math.max(1, Math.min(1.5, inForce / out.replicas)) // fewer pods hold more requests each
    out.memoryMiBPerReplica = MEMORY_HEADROOM * share * this.#memory.max()
  }

  /** Deviations of the law's uncertainty that the risk leaves room for. */
  get #caution(): number {
    return normalQuantile(this.#core.math, 1 - this.#risk)
  }

  get #risk(): number {
    return this.#core.math.exp(this.#logRisk)
  }

  /** Takes the measured p99 in, and moves the risk by how likely the SLO was broken. */
  #learn(t: Readonly<Telemetry>): void {
    if (!(t.requests > 0) || t.readyReplicas < 1) return
    const { log } = this.#core.math
    const utilisation = (t.ratePerSecond * this.#work.secondsPerRequest) / (t.readyReplicas * t.coresPerReplica)
    const bias = t.requests < 100 ? ORDER_STATISTIC_BIAS * log(100 / t.requests) : 0
    const logRatio = log(t.p99Ms / t.sloMs) + bias
    const broken = t.oomKills > 0 ? 1 : this.#brokenProbability(t.coresPerReplica, utilisation, logRatio, t.requests)
    const moved = this.#logRisk + RISK_RATE * (this.#aim01 - broken)
    this.#logRisk = Math.max(log(RISK_RANGE[0]), Math.min(log(RISK_RANGE[1]), moved))
    if (!this.#hasBacklog && t.oomKills === 0) {
      this.#belief.learn(t.coresPerReplica, utilisation, logRatio, t.requests)
    }
    this.#hasBacklog = utilisation > 1 || logRatio > BACKLOG_RATIO || t.oomKills > 0
  }

  /** Probability that the true p99 was above the SLO: what was expected and what was measured, each by its precision. */
  #brokenProbability(cores: number, utilisation: number, logRatio: number, requests: number): number {
    const { mean, variance } = this.#belief.predict(cores, utilisation)
    const expected = 1 / (variance + this.#belief.dispersion)
    const measured = 1 / this.#belief.samplingVariance(requests)
    const posterior = (mean * expected + logRatio * measured) / (expected + measured)
    const deviations = logRatio * Math.sqrt(measured)
    if (deviations > CERTAIN) return 1
    return normalCdf(this.#core.math, posterior * Math.sqrt(expected + measured))
  }

  #countKills(t: Readonly<Telemetry>): void {
    if (t.oomKills > 0) {
      this.#kills++
      this.#calm = 0
    } else if (++this.#calm > CALM_STEPS) this.#kills = 0
    if (this.#kills < KILLS_BEFORE_PODS) this.#leastReplicas = 0
    else if (t.oomKills > 0) this.#leastReplicas = t.readyReplicas + t.startingReplicas + 1
  }

  /** The cheapest number of pods near the one in force that leaves room for growth. */
  #chooseReplicas(t: Readonly<Telemetry>, inForce: number, demand: number): number {
    const [fewest, most] = this.#bounds.replicas
    const memoryMiB = MEMORY_HEADROOM * t.usedMemoryMiB
    const caution = this.#caution
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (let n = Math.max(fewest, inForce - 1); n <= Math.min(most, inForce + 2); n++) {
      const cores = this.#smallestSafe(demand / n)
      if (cores === undefined || (n < most && !this.#isSafe(this.#bounds.cores[1], (ROOM * demand) / n, caution)))
        continue
      const cost = n * dollarsPerHour(this.#prices, cores, memoryMiB) * (n === inForce ? 1 : SWITCHING)
      if (cost < least) {
        least = cost
        best = n
      }
    }
    if (best === 0) best = Math.min(most, this.#replicasOfUnsafe(inForce, demand, caution))
    if (best < inForce && ++this.#fewerSteps < FEWER_AFTER_STEPS) best = inForce
    else this.#fewerSteps = 0
    return Math.min(most, Math.max(best, this.#leastReplicas))
  }

  /** Where no number of pods near is safe: one more, unless the law is so little known that not even an idle pod would be. */
  #replicasOfUnsafe(inForce: number, demand: number, caution: number): number {
    const largest = this.#bounds.cores[1]
    if (this.#isSafe(largest, 0, caution)) return inForce + 1
    const wanted = Math.ceil(demand / (UNKNOWN_UTILISATION * largest))
    return Math.max(1, Math.max(inForce - 1, Math.min(inForce + 1, wanted)))
  }

  /** The size for these pods; while some of them start, the running ones carry the load. */
  #chooseCores(t: Readonly<Telemetry>, inForce: number, replicas: number, demand: number): number {
    const largest = this.#bounds.cores[1]
    if (t.oomKills > 0 && this.#kills >= KILLS_BEFORE_PODS) return largest
    const serving = Math.max(1, Math.min(replicas, t.readyReplicas))
    const cores = this.#smallestSafe(demand / serving) ?? largest
    const isWorthwhile = cores >= t.coresPerReplica || cores < SHRINKS_BELOW * t.coresPerReplica
    return replicas !== inForce || isWorthwhile ? cores : t.coresPerReplica
  }

  /** The smallest size that is safe for a pod's share of the demand, cores; nothing where even the largest is not. */
  #smallestSafe(demand: number): number | undefined {
    const sizes = this.#sizes
    const caution = this.#caution
    let low = -1 // not safe
    let high = sizes.length - 1 // safe
    if (!this.#isSafe(sizes[high]!, demand, caution)) return undefined
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#isSafe(sizes[middle]!, demand, caution)) high = middle
      else low = middle
    }
    return sizes[high]
  }

  #isSafe(cores: number, demand: number, caution: number): boolean {
    const utilisation = demand / cores
    if (utilisation > 1) return false
    const mean = this.#belief.predictMean(cores, utilisation)
    if (mean + RATIO_SLACK > 0) return false
    return mean + caution * Math.sqrt(this.#belief.variance()) + RATIO_SLACK <= 0
  }

  /** Why an allocation that it decided is what it is: for the one in force, or another to ask about. */
  explain({ coresPerReplica, replicas }: Readonly<Allocation>): MarginExplanation {
    const { exp, log } = this.#core.math
    const work = this.#work.secondsPerRequest
    const load = (this.#forecast.base * work) / replicas
    const spread = log(this.#forecast.quantile(0.025) / this.#forecast.base)
    const at = (rate: number, deviations: number): number => {
      const { mean, variance } = this.#belief.predict(coresPerReplica, rate / coresPerReplica)
      return exp(mean + deviations * Math.sqrt(variance + this.#belief.dispersion))
    }
    const smaller = Math.max(this.#bounds.cores[0], coresPerReplica / STEP)
    return {
      p99OverSlo: at(load, 0),
      interval: [at(load * exp(-spread), -1.96), at(load * exp(spread), 1.96)],
      risk01: this.#risk,
      expectedRate: this.#forecast.base,
      providedRate: this.#providedRate,
      cheaper:
        smaller < coresPerReplica
          ? { coresPerReplica: smaller, breach01: this.#breachProbability(smaller, replicas) }
          : undefined,
    }
  }

  /** By the law's uncertainty and scatter over the quantiles of the load. */
  #breachProbability(cores: number, replicas: number): number {
    const QUANTILES = 20
    let sum = 0
    for (let i = 0; i < QUANTILES; i++) {
      const rate = this.#forecast.quantile((i + 0.5) / QUANTILES)
      const { mean, variance } = this.#belief.predict(cores, (rate * this.#work.secondsPerRequest) / (replicas * cores))
      sum += normalCdf(this.#core.math, mean / Math.sqrt(variance + this.#belief.dispersion))
    }
    return sum / QUANTILES
  }

  save(): Uint8Array {
    const own = [this.#logRisk, this.#hasBacklog ? 1 : 0, this.#fewerSteps, this.#kills, this.#calm]
    const numbers = Float64Array.of(
      VERSION,
      ...own,
      this.#leastReplicas,
      this.#providedRate,
      ...this.#work.save(),
      ...this.#samples,
      ...this.#forecast.save(),
      ...this.#belief.save(),
    )
    return new Uint8Array(numbers.buffer)
  }

  /** @throws {FormatError} `margin_state_invalid`; nothing was changed */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'the state of a margin allocator')
    const size = this.save().byteLength
    const numbers = bytes.byteLength === size ? new Float64Array(bytes.buffer) : undefined
    if (!numbers || numbers[0] !== VERSION || !numbers.every(Number.isFinite)) {
      throw new FormatError(
        'margin_state_invalid',
        `${state.byteLength} bytes are no state of this margin allocator (${size} bytes, version ${VERSION})`,
      )
    }
    const rest = new NumberReader(numbers.subarray(1))
    const [logRisk, backlog, fewerSteps, kills, calm, leastReplicas, providedRate] = rest.take(7)
    this.#logRisk = logRisk!
    this.#hasBacklog = backlog === 1
    this.#fewerSteps = fewerSteps!
    this.#kills = kills!
    this.#calm = calm!
    this.#leastReplicas = leastReplicas!
    this.#providedRate = providedRate!
    this.#work.load(rest.take(this.#work.stateSize))
    this.#samples.set(rest.take(1 + MEMORY_SAMPLES))
    this.#forecast.load(rest.take(this.#forecast.stateSize))
    this.#belief.load(rest.take(this.#belief.stateSize))
  }
}

function sizesWithin([smallest, largest]: readonly [number, number]): number[] {
  const sizes = [smallest]
  while (sizes.at(-1)! < largest) sizes.push(Math.min(largest, sizes.at(-1)! * STEP))
  return sizes
}

/** Numbers taken one stretch after the other. */
class NumberReader {
  readonly #numbers: Float64Array
  #at = 0

  constructor(numbers: Float64Array) {
    this.#numbers = numbers
  }

  take(count: number): Float64Array {
    const taken = this.#numbers.subarray(this.#at, this.#at + count)
    this.#at += count
    return taken
  }
}
