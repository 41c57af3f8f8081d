import { type Core, Problems, Random } from '@trimtab/core'
import type { Allocator } from '../allocator.js'
import { DEFAULT_PRICES, type Prices } from '../cost.js'
import { type OperatingRecord, operate } from '../operate.js'
import type { ClusterSimulator } from '../simulator.js'
import type { Telemetry } from '../telemetry.js'
import type { RuleFamily } from './families.js'
import { HpaHeadroomRule } from './hpa-headroom-rule.js'
import type { Rule } from './rule.js'

/** The part of a load that settings are chosen on, and for what. */
export interface TuningOptions {
  /** Seconds of the load. */
  readonly fromSeconds: number
  readonly toSeconds: number
  /** Picks the stretches and the chance in them. */
  readonly seed: number
  /** True violations that are allowed, percent of steps. Default 0.5. */
  readonly budgetPercent?: number
  readonly prices?: Prices
}

/** Dollars and violations of one way to run a cluster. */
export type Outcome = Pick<OperatingRecord, 'dollarsPerHour' | 'violationPercent'>

/** Settings with what they came to on the whole learning part. */
export interface TunedRule<Settings> {
  readonly settings: Settings
  readonly record: OperatingRecord
  /** Steps that the search took. */
  readonly steps: number
}

/** Rounds of the search but for the last, which is on everything: stretches, hours of each; a third goes on. */
const ROUNDS: readonly { readonly stretches: number; readonly hours: number }[] = [
  { stretches: 4, hours: 3 },
  { stretches: 6, hours: 4 },
  { stretches: 8, hours: 6 },
]
const KEPT01 = 1 / 3
/** Settings that are tried on the whole part. */
const FINALISTS = 4
/** Where nothing keeps the budget: how many points more than the fewest violations count as equal. */
const EQUAL_POINTS = 0.1
/** Settings that break the SLO in so many steps of all stretches, percent, are not run through the rest of them. */
const HOPELESS_PERCENT = 5
const STREAM = 104

interface Trial<Settings> {
  readonly settings: Settings
  readonly outcome: Outcome
}

/**
 * The settings of a family that cost least within the budget of true violations on the learning part; where none is within it, the
 * cheapest of those with about the fewest. The same search for every family, a function of its seed: the grid is screened on short
 * stretches of the part, a third goes on to longer ones, and the last few run through the whole of it.
 *
 * Before each stretch a rule is told of all that came before (as under a roomy HPA): histories are as old as they would be.
 * @param simulator  of the application and load; it is left somewhere in the part
 * @throws {ConfigError} `config_invalid`
 * @example
 * const { settings } = tuneRule(core, simulator, RULE_FAMILIES[0], { fromSeconds: 0, toSeconds: 6 * 86400, seed: 1 })
 */
export function tuneRule<Settings>(
  core: Core,
  simulator: ClusterSimulator,
  family: RuleFamily<Settings>,
  options: TuningOptions,
): TunedRule<Settings> {
  const { budgetPercent = 0.5 } = options
  const part = new LearningPart(core, simulator, options)
  let left: readonly Settings[] = family.settings
  for (const [round, { stretches, hours }] of ROUNDS.entries()) {
    if (left.length <= FINALISTS || !part.holds(stretches, hours)) break
    const starts = part.pickStarts(round, stretches, hours)
    const tried = left.map((settings) => ({ settings, outcome: part.try(family, settings, starts, hours) }))
    const kept = Math.max(FINALISTS, Math.ceil(left.length * KEPT01))
    left = keepPromising(tried, budgetPercent, round === ROUNDS.length - 1 ? FINALISTS : kept)
  }
  const tried = left.map((settings) => {
    const record = part.tryWhole(family, settings)
    return { settings, outcome: record, record }
  })
  const { settings, record } = pickCheapest(tried, budgetPercent)
  return { settings, record, steps: part.steps }
}

/** The cheapest within the budget; where there is none, the cheapest of those within 0.1 points of the fewest violations. */
export function pickCheapest<T extends { readonly outcome: Outcome }>(tried: readonly T[], budgetPercent: number): T {
  const fewest = Math.min(...tried.map(({ outcome }) => outcome.violationPercent))
  const limit = fewest <= budgetPercent ? budgetPercent : fewest + EQUAL_POINTS
  return tried
    .filter(({ outcome }) => outcome.violationPercent <= limit)
    .reduce((a, b) => (b.outcome.dollarsPerHour < a.outcome.dollarsPerHour ? b : a))
}

/**
 * Half of the places go to the cheapest within the budget, half to the cheapest within a quarter of it, since short stretches say
 * little of rare violations; what is left over to the fewest violations.
 */
function keepPromising<Settings>(
  tried: readonly Trial<Settings>[],
  budgetPercent: number,
  places: number,
): readonly Settings[] {
  const cheapest = tried.toSorted((a, b) => a.outcome.dollarsPerHour - b.outcome.dollarsPerHour)
  const kept = new Set<Settings>()
  const take = (from: readonly Trial<Settings>[], limitPercent: number, until: number): void => {
    for (const { settings, outcome } of from) {
      if (kept.size >= until) return
      if (outcome.violationPercent <= limitPercent) kept.add(settings)
    }
  }
  take(cheapest, budgetPercent, Math.ceil(places / 2))
  take(cheapest, budgetPercent / 4, places)
  const fewest = cheapest.toSorted((a, b) => a.outcome.violationPercent - b.outcome.violationPercent)
  take(fewest, Number.POSITIVE_INFINITY, places)
  return [...kept]
}

/** A part of a load with its history, on which settings are tried under the same chance. */
class LearningPart {
  steps = 0
  readonly #core: Core
  readonly #simulator: ClusterSimulator
  readonly #options: TuningOptions
  readonly #stepSeconds: number
  #history: Telemetry[] | undefined

  constructor(core: Core, simulator: ClusterSimulator, options: TuningOptions) {
    const { fromSeconds, toSeconds, budgetPercent = 0.5 } = options
    const { stepSeconds } = simulator.options
    const problems = new Problems()
    problems.check(fromSeconds >= 0, `fromSeconds must be >= 0, got ${fromSeconds}`)
    problems.check(toSeconds >= fromSeconds + 2 * stepSeconds, `toSeconds must be two steps later, got ${toSeconds}`)
    problems.check(toSeconds < Infinity, `toSeconds must be finite, got ${toSeconds}`)
    problems.check(budgetPercent >= 0, `budgetPercent must be >= 0, got ${budgetPercent}`)
    problems.throwIfAny('tuning')
    this.#core = core
    this.#simulator = simulator
    this.#options = options
    this.#stepSeconds = stepSeconds
  }

  /** Whether stretches of so many hours fit without overlap, and are less than the whole. */
  holds(stretches: number, hours: number): boolean {
    return stretches * hours * 3600 < this.#options.toSeconds - this.#options.fromSeconds
  }

  /** Where stretches start, seconds in order: one anywhere in each of as many equal slices. */
  pickStarts(round: number, stretches: number, hours: number): readonly number[] {
    const { fromSeconds, toSeconds, seed } = this.#options
    const random = new Random(this.#core, seed, STREAM + round)
    const slice = (toSeconds - fromSeconds) / stretches
    const room = Math.floor((slice - 3600 * hours) / this.#stepSeconds)
    const starts = Array.from({ length: stretches }, (_, i) => {
      const offset = Math.floor((i * slice) / this.#stepSeconds) + Math.floor(random.uniform() * room)
      return fromSeconds + offset * this.#stepSeconds
    })
    random.dispose()
    return starts
  }

  /** What settings come to on stretches, lived through by one rule. */
  try<Settings>(family: RuleFamily<Settings>, settings: Settings, starts: readonly number[], hours: number): Outcome {
    const { fromSeconds, seed, prices = DEFAULT_PRICES } = this.#options
    const history = this.#knownHistory()
    const steps = Math.round((3600 * hours) / this.#stepSeconds)
    return this.#with(family, settings, (rule) => {
      // A pod that keeps its first size gets one chosen from the whole part, as its settings are.
      let known = this.#isSizedOnce ? this.#tellAll(rule) : 0
      let dollars = 0
      let violations = 0
      let lived = 0
      for (const [i, start] of starts.entries()) {
        const first = Math.round((start - fromSeconds) / this.#stepSeconds)
        while (known < Math.min(first, history.length)) rule.observe(history[known++]!)
        known = Math.max(known, first + steps + 1) // what the rule lives through itself
        this.#simulator.reset(start, seed + i)
        const record = operate(this.#simulator, rule, { steps, prices })
        this.steps += steps
        lived++
        dollars += record.dollarsPerHour
        violations += record.violationPercent
        if (violations > HOPELESS_PERCENT * starts.length) break
      }
      return { dollarsPerHour: dollars / lived, violationPercent: violations / lived }
    })
  }

  /** What settings come to when they run through the part from its start, without a history. */
  tryWhole<Settings>(family: RuleFamily<Settings>, settings: Settings): OperatingRecord {
    const { prices = DEFAULT_PRICES } = this.#options
    return this.#with(family, settings, (rule) => {
      if (this.#isSizedOnce) this.#tellAll(rule)
      const steps = this.#start()
      this.steps += steps
      return operate(this.#simulator, rule, { steps, prices })
    })
  }

  #with<Settings, T>(family: RuleFamily<Settings>, settings: Settings, run: (rule: Rule) => T): T {
    const rule = family.create(this.#core, this.#simulator.options, settings)
    try {
      return run(rule)
    } finally {
      rule.dispose?.()
    }
  }

  get #isSizedOnce(): boolean {
    return this.#simulator.options.resize === 'none'
  }

  /** Tells a rule of the whole part. @returns its length, steps */
  #tellAll(rule: Rule): number {
    const history = this.#knownHistory()
    for (const step of history) rule.observe(step)
    return history.length
  }

  /** The part under an HPA with room to spare, step by step. */
  #knownHistory(): readonly Telemetry[] {
    if (this.#history) return this.#history
    const history: Telemetry[] = []
    const { bounds } = this.#simulator.options
    const hpa = new HpaHeadroomRule(this.#simulator.options, { podCores: 2, targetPercent: 25, headroom: 2 })
    const roomy: Allocator = {
      name: 'roomy',
      reads: hpa.reads,
      allocate(telemetry, out) {
        hpa.allocate(telemetry, out)
        out.memoryMiBPerReplica = bounds.memoryMiB[1]
      },
      reset: () => hpa.reset(),
    }
    const steps = this.#start()
    this.steps += steps
    operate(this.#simulator, roomy, { steps, onStep: () => history.push({ ...this.#simulator.telemetry }) })
    this.#history = history
    return history
  }

  /** Goes to the start of the part. @returns its length, steps */
  #start(): number {
    const { fromSeconds, toSeconds, seed } = this.#options
    this.#simulator.reset(fromSeconds, seed)
    return Math.floor((toSeconds - fromSeconds) / this.#stepSeconds) - 1 // reset lives through the first
  }
}
