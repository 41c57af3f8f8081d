import { type CoreMath, FormatError, Problems } from '@trimtab/core'
import { normalCdf } from '../../normal.js'
import type { Telemetry } from '../telemetry.js'

/** How much may go wrong, and how a violation is told from a p99 that only scatters. */
export interface ErrorBudgetOptions {
  /** Steps of a rolling day that may break the SLO, as a share. Default 0.005. */
  readonly share?: number
  /** Steps of a day. Default 5760: 15 s each. */
  readonly stepsPerDay?: number
  /** Of the day's budget, what a rolling hour may spend: one bad hour must not take it all. Default 0.25. */
  readonly hourShare?: number
  /** Debt ends when this share of the budget is back. Default 0.2. */
  readonly reserve?: number
  /** N × variance of the logarithm of a p99 measured from N requests. 4.7 for an exponential tail, less for a short one. Default 4. */
  readonly scatter?: number
  /** Steps charged for each violation that the evidence expects: what is hidden in the scatter is under-counted. Default 2. */
  readonly strictness?: number
}

const DEFAULTS = { share: 0.005, stepsPerDay: 5760, hourShare: 0.25, reserve: 0.2, scatter: 4, strictness: 2 } as const
const OPTIONS = Object.keys(DEFAULTS) as (keyof ErrorBudgetOptions)[]

const GRAIN = 1024 // charges are whole 1024ths, so that adding and expiring them for years leaves no rounding
const LN_100 = 4.605170185988092
// Steps are alike that have about the same -ln(1 - utilisation), which a queue's wait follows, and pods of about the same size.
const PRESSURES = 32
const PRESSURE_WIDTH = 0.11
const SIZES = 24
const SIZE_WIDTH = 0.2 // of ln(cores of a pod)
const SMALLEST_SIZE = 0.125
const DRIFT = 1e-6 // variance that the level of ln(p99 / SLO) gains in a step: .07 in a day
const LEAST_SPREAD = 0.03 ** 2 // variance of the true ln(p99 / SLO) around its level, at least …
const FIRST_SPREAD = 0.06 ** 2
const MOST_SPREAD = 0.5 ** 2 // … and at most
const UNKNOWN_VARIANCE = 4 // of a level that nothing is known of
const LEAST_BREAKS = 0.005 // share of steps that are unlike those before, at least …
const MOST_BREAKS = 0.5 // … and at most
const BREAK_DENSITY = 1 / 6 // of ln(p99 / SLO) in such a step: anything from 1/20 to 20 times the SLO
const MEMORY = 1 / 960 // what a step adds to the estimates of spread and breaks: four hours

/**
 * An SLO's error budget over a rolling day, in steps, spent by what was measured.
 *
 * A p99 of few requests scatters (relative deviation about √(scatter / N)), so a p99 above the SLO is weighed by the probability
 * that the true one was above it, given this measurement and those of steps like it: of the same utilisation and size of pods, for
 * whoever wants another p99 must change these, and they are measured well. Among such steps the true p99 keeps near a level, but for
 * steps that are unlike those before, of which anything is believed at once. How much it strays and how often it breaks away are
 * estimated from the same measurements; where nothing like it was seen, a step stands for itself. No law of p99 is assumed or learned.
 * Kills and dropped requests count in full.
 */
export class ErrorBudget {
  readonly #math: CoreMath
  readonly #options: Required<ErrorBudgetOptions>
  readonly #stepsPerHour: number
  readonly #ring: Uint16Array // charges of the last day, 1024ths
  #at = 0
  #day = 0 // sum of the ring
  #hour = 0 // sum of its last hour
  #isInDebt = false
  #step = 0
  readonly #levels = new Float64Array(PRESSURES * SIZES)
  readonly #variances = new Float64Array(PRESSURES * SIZES).fill(UNKNOWN_VARIANCE)
  readonly #seen = new Float64Array(PRESSURES * SIZES) // when, in steps
  #spread = FIRST_SPREAD
  #breaks = LEAST_BREAKS

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(math: CoreMath, options: ErrorBudgetOptions = {}) {
    const o = { ...DEFAULTS, ...options }
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'budget')
    problems.check(o.share >= 0 && o.share < 1, `budget.share must be in [0, 1), got ${o.share}`)
    problems.check(
      Number.isInteger(o.stepsPerDay) && o.stepsPerDay >= 24,
      `budget.stepsPerDay must be a whole number >= 24, got ${o.stepsPerDay}`,
    )
    problems.check(o.hourShare > 0 && o.hourShare <= 1, `budget.hourShare must be in (0, 1], got ${o.hourShare}`)
    problems.check(o.reserve >= 0 && o.reserve <= 1, `budget.reserve must be in [0, 1], got ${o.reserve}`)
    problems.check(o.scatter >= 0 && o.scatter < Infinity, `budget.scatter must be finite and >= 0, got ${o.scatter}`)
    problems.check(o.strictness >= 1, `budget.strictness must be >= 1, got ${o.strictness}`)
    problems.throwIfAny('budget')
    this.#math = math
    this.#options = o
    this.#stepsPerHour = Math.round(o.stepsPerDay / 24)
    this.#ring = new Uint16Array(o.stepsPerDay)
  }

  /** Steps that a rolling day may spend. */
  get totalSteps(): number {
    return this.#options.share * this.#options.stepsPerDay
  }

  /** What was spent in the last day. */
  get spentSteps(): number {
    return this.#day / GRAIN
  }

  /** What is left of the day's budget; below 0: overspent. */
  get leftSteps(): number {
    return this.totalSteps - this.spentSteps
  }

  /** The larger of the shares used: of the day's budget and of the hour's. 0: nothing was spent; 1 and above: all. */
  get used01(): number {
    const total = this.totalSteps * GRAIN
    return total > 0 ? Math.max(this.#day / total, this.#hour / (this.#options.hourShare * total)) : 1
  }

  /** Whether all is spent and the reserve not yet back. */
  get isInDebt(): boolean {
    return this.#isInDebt || this.totalSteps === 0
  }

  /** How certain it is that the step broke the SLO, 0 … 1. To be asked once a step, whoever is to blame. */
  weigh(telemetry: Readonly<Telemetry>): number {
    this.#step++
    const { oomKills, droppedRequests, p99Ms, sloMs, requests } = telemetry
    if (oomKills > 0 || droppedRequests > 0) return 1
    if (!(requests > 0)) return 0
    const ratio = p99Ms / sloMs
    if (ratio === Number.POSITIVE_INFINITY) return 1
    if (!(ratio > 0)) return 0
    const x = this.#math.log(ratio / this.#shareOfP99(requests))
    return this.#posterior(x, this.#options.scatter / requests, this.#kindOf(telemetry))
  }

  /** Steps of the same kind are judged together. */
  #kindOf({ usedCores, readyReplicas, coresPerReplica }: Readonly<Telemetry>): number {
    const { log } = this.#math
    const used = usedCores / (readyReplicas * coresPerReplica)
    const pressure = used < 0.999 ? -log(1 - Math.max(0, used)) / PRESSURE_WIDTH : PRESSURES
    const size = coresPerReplica > 0 ? log(coresPerReplica / SMALLEST_SIZE) / SIZE_WIDTH : 0
    const place = (value: number, count: number): number => Math.round(within(value || 0, 0, count - 1))
    return place(size, SIZES) * PRESSURES + place(pressure, PRESSURES)
  }

  /**
   * What a p99 measured from `n` requests is of the true one in the mean, with an exponential tail: few requests seldom reach the
   * worst per cent, so a p99 of 20 is too low by a fifth. Of the order statistic ⌈.99 n⌉, as monitoring reports it.
   */
  #shareOfP99(n: number): number {
    const beyond = Math.max(1, Math.floor(n) - Math.ceil(0.99 * Math.floor(n)) + 1) // the statistic's rank from the top
    return (this.#math.log(n + 0.5) - this.#math.log(beyond - 0.5)) / LN_100 // harmonic numbers: H(n) − H(beyond − 1)
  }

  /** Probability that the true ln(p99 / SLO) is above 0, given `x` measured with a variance of `noise`. */
  #posterior(x: number, noise: number, kind: number): number {
    const above = (mean: number, variance: number): number => normalCdf(this.#math, mean / Math.sqrt(variance))
    const level = this.#levels[kind]!
    const prior = Math.min(UNKNOWN_VARIANCE, this.#variances[kind]! + DRIFT * (this.#step - this.#seen[kind]!))
    const before = prior + this.#spread
    const error = x - level
    const total = before + noise
    const near = this.#math.exp((-0.5 * error * error) / total) / Math.sqrt(2 * Math.PI * total)
    const far = this.#breaks * BREAK_DENSITY
    const isBreak = far / (far + (1 - this.#breaks) * near)
    const gain = before / total
    const itself = above(x, noise + LEAST_SPREAD)
    const likely = above(level + gain * error, before * (1 - gain))
    // What is unlike the past says little about the level, unless it stays: then the level is uncertain, and follows.
    const levelGain = ((1 - isBreak) * prior) / total
    this.#levels[kind] = level + levelGain * error
    this.#variances[kind] = Math.min(UNKNOWN_VARIANCE, (1 - levelGain) * prior + 0.1 * isBreak * error * error)
    this.#seen[kind] = this.#step
    const weight = (1 - isBreak) * (1 - prior / total) // how much of the error is not the level's
    const excess = error * error - noise - prior
    this.#spread = within(this.#spread + MEMORY * weight * (excess - this.#spread), LEAST_SPREAD, MOST_SPREAD)
    this.#breaks = within(this.#breaks + MEMORY * (isBreak - this.#breaks), LEAST_BREAKS, MOST_BREAKS)
    return isBreak * itself + (1 - isBreak) * likely
  }

  /** Books a step: what `weigh` said where it is to be paid for, 0 else. Once a step. */
  charge(weight: number): void {
    const ring = this.#ring
    const now = Math.round(Math.min(1, this.#options.strictness * weight) * GRAIN)
    this.#day += now - ring[this.#at]!
    this.#hour += now - ring[(this.#at + ring.length - this.#stepsPerHour) % ring.length]!
    ring[this.#at] = now
    this.#at = (this.#at + 1) % ring.length
    if (this.used01 >= 1) this.#isInDebt = true
    else if (this.used01 <= 1 - this.#options.reserve) this.#isInDebt = false
  }

  /** Nothing was spent and nothing is known. */
  reset(): void {
    this.#ring.fill(0)
    this.#at = 0
    this.#day = 0
    this.#hour = 0
    this.#isInDebt = false
    this.#step = 0
    this.#levels.fill(0)
    this.#variances.fill(UNKNOWN_VARIANCE)
    this.#seen.fill(0)
    this.#spread = FIRST_SPREAD
    this.#breaks = LEAST_BREAKS
  }

  /** Everything that the next step depends on, in numbers: their count depends on `stepsPerDay` alone. */
  save(): number[] {
    const head = [this.#step, this.#spread, this.#breaks, this.#isInDebt ? 1 : 0, this.#at]
    return [...head, ...this.#levels, ...this.#variances, ...this.#seen, ...this.#ring]
  }

  /** Goes on from what `save` gave. @throws {FormatError} `guard_state_invalid`, changing nothing */
  load(numbers: readonly number[]): void {
    const days = this.#ring.length
    const kinds = PRESSURES * SIZES
    const [step, spread, breaks, debt, at] = numbers as [number, number, number, number, number]
    const tableAt = (i: number): readonly number[] => numbers.slice(5 + i * kinds, 5 + (i + 1) * kinds)
    const charges = numbers.slice(5 + 3 * kinds)
    const isWhole = (value: number, most: number): boolean => Number.isInteger(value) && value >= 0 && value <= most
    const isValid =
      charges.length === days &&
      numbers.every(Number.isFinite) &&
      isWhole(step, Number.MAX_SAFE_INTEGER) &&
      isWhole(at, days - 1) &&
      charges.every((charge) => isWhole(charge, GRAIN))
    if (!isValid) throw new FormatError('guard_state_invalid', `this is no error budget of ${days} steps a day`)
    this.#step = step
    this.#spread = within(spread, LEAST_SPREAD, MOST_SPREAD)
    this.#breaks = within(breaks, LEAST_BREAKS, MOST_BREAKS)
    this.#isInDebt = debt === 1
    this.#at = at
    this.#levels.set(tableAt(0))
    this.#variances.set(tableAt(1).map((variance) => within(variance, 0, UNKNOWN_VARIANCE)))
    this.#seen.set(tableAt(2).map((seen) => within(seen, 0, step)))
    this.#ring.set(charges)
    this.#day = 0
    this.#hour = 0
    for (const charge of this.#ring) this.#day += charge
    for (let age = 1; age <= this.#stepsPerHour; age++) this.#hour += this.#ring[(at + days - age) % days]!
  }
}

const within = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))
