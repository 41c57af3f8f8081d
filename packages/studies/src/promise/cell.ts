import { ConfigError, type Core } from '@trimtab/core'
import {
  type Allocator,
  type Application,
  type Bound,
  bestOracle,
  bestStaticAllocation,
  ClusterSimulator,
  DEFAULT_PRICES,
  GuardedAllocator,
  generateApplication,
  HpaHeadroomRule,
  type LoadSeries,
  MarginAllocator,
  operate,
  type Prices,
  type Rule,
  type RuleFamily,
  ruleFamilies,
  type Telemetry,
  type TuningOptions,
  tuneRule,
} from '@trimtab/tasks/autoscaling'
import { runParts } from '../parts.js'
import { meanOf } from '../spread.js'
import { strongestOf, type Tried } from './figures.js'
import { isWithinSeen, promiseLoad, shortened } from './loads.js'
import {
  ERROR_BUDGET_PERCENT,
  LEARNED_SHARE,
  LEARNING_RULES,
  PROMISE_CONTROLLERS,
  type PromiseCell,
  type PromiseCellSpec,
  type PromiseLife,
  type PromiseRecord,
  type PromiseTrial,
  type PromiseWatch,
  type PromiseWorldSpec,
  type TunedFamily,
} from './spec.js'

/** A world to live in, from its specification; time goes on from one `live` to the next. */
class PromiseWorld {
  readonly core: Core
  readonly application: Application
  readonly series: LoadSeries
  readonly simulator: ClusterSimulator
  readonly prices: Prices
  readonly budgetPercent: number
  readonly learningSteps: number
  readonly judgedSteps: number
  readonly #rules: Rule[] = []
  #history: readonly Telemetry[] | undefined

  constructor(core: Core, spec: PromiseWorldSpec) {
    const { appSeed, sloFactor, resize, law = 'throttled', days, loadScale = 1, prices = DEFAULT_PRICES } = spec
    const application = generateApplication(core, appSeed)
    const series = typeof spec.load === 'string' ? promiseLoad(core, spec.load, appSeed, spec.text) : spec.load
    this.core = core
    this.application = { ...application, peakRatePerSecond: loadScale * application.peakRatePerSecond }
    this.series = days === undefined ? series : shortened(series, days)
    this.prices = prices
    this.budgetPercent = spec.budgetPercent ?? ERROR_BUDGET_PERCENT
    this.simulator = new ClusterSimulator(core, this.application, this.series, { sloFactor, resize, law })
    const { stepSeconds } = this.simulator.options
    const steps = Math.floor((60 * this.series.shape.length) / stepSeconds)
    const learned = Math.round(LEARNED_SHARE * steps)
    this.learningSteps = learned - 1 // the first step is the simulator's own
    this.judgedSteps = steps - learned
  }

  /** The rule of a family as it was set; where pods keep their first size it has been told of the learning part. */
  ruleOf({ family, settings }: TunedFamily): Rule {
    const rule = this.familyOf(family).create(this.core, this.simulator.options, settings)
    if (this.simulator.options.resize === 'none') for (const step of this.#toldHistory()) rule.observe(step)
    this.#rules.push(rule)
    return rule
  }

  /** @throws when there is none */
  familyOf(name: string): RuleFamily {
    return ruleFamilies(this.simulator.options.resize).find((family) => family.name === name)!
  }

  /** The learning part under an HPA with room to spare, step by step: what an operator knows who chooses a size for ever. */
  #toldHistory(): readonly Telemetry[] {
    if (this.#history) return this.#history
    const { simulator } = this
    const history: Telemetry[] = []
    const hpa = new HpaHeadroomRule(simulator.options, { podCores: 2, targetPercent: 25, headroom: 2 })
    const most = simulator.options.bounds.memoryMiB[1]
    const roomy: Allocator = {
      ...{ name: 'roomy', reads: hpa.reads, reset() {} },
      allocate(telemetry, out) {
        hpa.allocate(telemetry, out)
        out.memoryMiBPerReplica = most
      },
    }
    this.begin(TUNING_SEED)
    const onStep = (): number => history.push({ ...simulator.telemetry })
    operate(simulator, roomy, { steps: this.learningSteps, onStep })
    this.#history = history
    return history
  }

  /** What rules and bounds are chosen on. */
  get learningPart(): TuningOptions {
    const toSeconds = (1 + this.learningSteps) * this.simulator.options.stepSeconds
    const { budgetPercent, prices } = this
    return { fromSeconds: 0, toSeconds, seed: TUNING_SEED, budgetPercent, prices }
  }

  /** Starts at the beginning of the load. */
  begin(seed: number): void {
    this.simulator.reset(0, seed)
  }

  live(allocator: Allocator, steps: number, look?: () => void): PromiseRecord {
    let byRule = 0
    const guard = allocator instanceof GuardedAllocator ? allocator : undefined
    const onStep = (): void => {
      if (guard?.explain().served === 'rule') byRule++
      look?.()
    }
    const record = operate(this.simulator, allocator, { steps, prices: this.prices, onStep })
    const { dollarsPerHour, violationPercent, worstHourPercent, cores, memoryGiB } = record
    return {
      ...{ dollarsPerHour, violationPercent, worstHourPercent, cores, memoryGiB },
      ...(guard && { byRulePercent: (100 * byRule) / steps }),
    }
  }

  dispose(): void {
    for (const rule of this.#rules) rule.dispose?.()
    this.simulator.dispose()
  }
}

const TUNING_SEED = 900_000_000
/**
 * Tunes all rules on the learning part, lets them and the others live through it and judges all on the rest. Time goes on: nothing
 * is reset in between. Everything follows from the specification.
 * @throws {ConfigError} `load_invalid`, `config_invalid`
 * @example
 * const spec = { appSeed: 1, load: 'steps', sloFactor: 2, resize: 'in-place', seeds: [1] } as const
 * const { strongest, trials } = runPromiseCell(core, spec)
 */
export function runPromiseCell(core: Core, spec: PromiseCellSpec, watch?: PromiseWatch): PromiseCell {
  return runParts(promiseCellInParts(core, spec, watch))
}

/** `runPromiseCell` in parts of a few seconds: says what comes next before each of them. */
export function* promiseCellInParts(
  core: Core,
  spec: PromiseCellSpec,
  watch?: PromiseWatch,
): Generator<string, PromiseCell, void> {
  const world = new PromiseWorld(core, spec)
  try {
    const { budgetPercent } = world
    const tuned = spec.tuned ?? (yield* tuneRules(world, spec.families))
    const rules: PromiseTrial[][] = []
    for (const one of tuned) {
      yield `${one.family} lives`
      const make = (): Rule => world.ruleOf(one)
      rules.push(
        spec.seeds.map((seed) => liveThrough(world, { controller: one.family, seed, allocator: make(), watch })),
      )
    }
    const tried = rules.map(triedOf)
    const strongest = strongestOf(tried, budgetPercent)
    const fixed = tried.filter(({ name }) => !LEARNING_RULES.includes(name))
    const shadow = strongestOf(fixed, budgetPercent)
    const others: PromiseTrial[][] = []
    for (const controller of controllersOf(spec)) {
      yield `${controller} lives`
      const shadowRule = tuned.find(({ family }) => family === shadow)!
      const make = castOf(world, controller, shadowRule)
      const before = spec.ruleSteps ? { rule: shadowRule, steps: spec.ruleSteps } : undefined
      others.push(spec.seeds.map((seed) => liveThrough(world, { controller, seed, allocator: make(), before, watch })))
    }
    const { text: _, tuned: __, ...plain } = spec
    return {
      spec: { ...plain, load: world.series.name },
      isWithinSeen: isWithinSeen(world.series, LEARNED_SHARE),
      ...{ tuned, strongest, shadow },
      trials: [...rules.flat(), ...others.flat()],
    }
  } finally {
    world.dispose()
  }
}

/** The oracle plans with pods that change at once. */
const controllersOf = ({ controllers, resize }: PromiseCellSpec): readonly string[] =>
  (controllers ?? PROMISE_CONTROLLERS.map(({ name }) => name)).filter(
    (name) => name !== 'oracle' || resize === 'in-place',
  )

function* tuneRules(
  { core, simulator, learningPart }: PromiseWorld,
  families: readonly string[] | undefined,
): Generator<string, TunedFamily[], void> {
  const tuned: TunedFamily[] = []
  for (const family of ruleFamilies(simulator.options.resize)) {
    if (families && !families.includes(family.name)) continue
    yield `tuning ${family.name}`
    const { settings } = tuneRule(core, simulator, family, learningPart)
    tuned.push({ family: family.name, settings })
  }
  return tuned
}

/** Makes a learner or a bound anew for each seed; what has to be chosen is chosen once. */
function castOf(world: PromiseWorld, name: string, shadow: TunedFamily): () => Allocator {
  switch (name) {
    case 'trimtab':
      return () => guardedOf(world, shadow)
    case 'margin':
      return () => marginOf(world)
    case 'static':
      return ownOf(bestStaticAllocation(world.core, world.simulator, world.learningPart))
    case 'oracle':
      return ownOf(bestOracle(world.core, world.simulator, world.learningPart))
    default:
      throw new ConfigError('config_invalid', `there is no controller ${name}`)
  }
}

/** A bound begins anew for each seed. */
const ownOf = ({ allocator }: Bound<Allocator>): (() => Allocator) => {
  return () => {
    allocator.reset()
    return allocator
  }
}

function marginOf({ core, simulator, prices, budgetPercent }: PromiseWorld): MarginAllocator {
  const { bounds, stepSeconds } = simulator.options
  return new MarginAllocator(core, { bounds, stepSeconds, prices, budget01: budgetPercent / 100 })
}

function guardedOf(world: PromiseWorld, shadow: TunedFamily): GuardedAllocator {
  const { bounds, startSeconds, timeoutSeconds, resize, resizeSteps } = world.simulator.options
  return new GuardedAllocator(world.core, world.ruleOf(shadow), marginOf(world), {
    ...{ bounds, startSeconds, timeoutSeconds, resize, resizeSteps, prices: world.prices },
    budget: { share: world.budgetPercent / 100 },
  })
}

/** A controller about to live through a world, and who looks at it. */
interface Life extends Pick<PromiseLife, 'controller' | 'seed' | 'allocator'> {
  /** The rule that drives at first: it is not the learner's doing and not counted. */
  readonly before?: { readonly rule: TunedFamily; readonly steps: number } | undefined
  readonly watch: PromiseWatch | undefined
}

function liveThrough(world: PromiseWorld, { before, watch, ...life }: Life): PromiseTrial {
  const { simulator } = world
  const live = (part: PromiseLife['part'], steps: number): PromiseRecord =>
    world.live(life.allocator, steps, watch?.({ ...life, part, simulator }))
  world.begin(life.seed)
  if (before) world.live(world.ruleOf(before.rule), before.steps)
  const learning = live('learning', world.learningSteps - (before?.steps ?? 0))
  const judged = live('judged', world.judgedSteps)
  return { controller: life.controller, seed: life.seed, learning, judged }
}

/** What a rule came to on the learning part, mean of seeds. */
const triedOf = (trials: readonly PromiseTrial[]): Tried => ({
  name: trials[0]!.controller,
  dollars: meanOf(trials.map(({ learning }) => learning.dollarsPerHour)),
  violations: meanOf(trials.map(({ learning }) => learning.violationPercent)),
})
