import {
  ControlLoop,
  EmbeddingPilot,
  type EnvelopeOptions,
  EnvelopePilot,
  type Pilot,
  rulePilot,
  type Tick,
} from '@trimtab/control'
import { type Controller, type Core, Random } from '@trimtab/core'
import { createDdpg, type Ddpg, exploringPilot, type MetaLearner, readPretrained } from '@trimtab/learn'
import {
  Aimd,
  AUTOSCALING_DDPG,
  AutoscalingEnvironment,
  type AutoscalingEvaluation,
  type AutoscalingInfo,
  AWARE_DDPG,
  bestConstantAction,
  bestStatic,
  evaluateAutoscaling,
  generateApplication,
  generateLoad,
  HpaVpa,
  type LoadSeries,
  oracleWithin,
  seedsFrom,
  tuneHpaVpa,
} from '@trimtab/tasks/autoscaling'
import { pretrainedAutoscaling } from '@trimtab/tasks/pretrained'
import type { LearningCurve, Timeline } from './report-types.js'

/** Who can be compared: rules, learners, and bounds that know what no controller can know. */
export const AUTOSCALERS = [
  { name: 'hpa-vpa', label: 'HPA+VPA (tuned)', kind: 'rule' },
  { name: 'aimd', label: 'AIMD', kind: 'rule' },
  { name: 'ddpg-paper', label: 'DDPG as in the papers', kind: 'learner' },
  { name: 'ddpg-scratch', label: 'DDPG from scratch', kind: 'learner' },
  { name: 'trimtab', label: 'Trimtab', kind: 'learner' },
  { name: 'pretrained', label: 'Trimtab, pretrained', kind: 'learner' },
  { name: 'static', label: 'best static', kind: 'bound' },
  { name: 'constant', label: 'best constant action', kind: 'bound' },
  { name: 'oracle', label: 'oracle', kind: 'bound' },
] as const

/** Machine name of one of them. */
export type AutoscalerName = (typeof AUTOSCALERS)[number]['name']

/** One application, one controller, one seed: the unit of work. Cloneable. */
export interface AutoscalerTrialSpec {
  /** Without it a load is generated from `appSeed`. */
  readonly load?: LoadSeries
  readonly appSeed: number
  readonly seed: number
  readonly controller: AutoscalerName
  readonly episodes: number
  readonly sloFactor: number
}

/** What a trial came to. */
export interface AutoscalerTrialResult {
  readonly spec: Omit<AutoscalerTrialSpec, 'load'>
  readonly app: string
  readonly judged: AutoscalingEvaluation
  /** True violations over the learning episodes, percent: also of rules, which live through the same ones. */
  readonly learningViolationPercent: number
  /** Learning episodes that the rule drove. */
  readonly ruleEpisodes: number
  readonly curve: LearningCurve
  readonly timeline: Timeline
}

const LEARNING_PART = [0, 0.7] as const
const JUDGED_PART = [0.7, 1] as const
const JUDGED_EPISODES = 20
// Episodes of the learning part that the rule is tuned on, and the first of them that the bounds are fitted on.
const TUNING_SEEDS = seedsFrom(900_000_000, 100)
const BOUND_SEEDS = TUNING_SEEDS.slice(0, 20)

/** What happened in one learning episode. */
export interface AutoscalerEpisode {
  readonly reward: number
  readonly violationPercent: number
  readonly stage: string
}

/**
 * One controller living with one application: first the learning part of the load, then the judged one.
 * Everything follows from the spec; two runs of it give the same numbers on every runtime.
 */
export class AutoscalerTrial {
  readonly spec: AutoscalerTrialSpec
  readonly environment: AutoscalingEnvironment
  readonly #loop: ControlLoop
  readonly #pilot: Pilot
  readonly #judged: Controller
  readonly #agent: Ddpg | undefined
  readonly #curve = {
    reward: [] as number[],
    violationPercent: [] as number[],
    stage: [] as string[],
    envelope: [] as number[],
  }
  readonly #app: string
  readonly #random: Random
  #meta: MetaLearner | undefined

  constructor(core: Core, spec: AutoscalerTrialSpec) {
    this.spec = spec
    const application = generateApplication(core, spec.appSeed)
    this.#app = application.name
    this.#random = new Random(core, spec.seed, 6)
    const isPaper = spec.controller === 'ddpg-paper'
    this.environment = new AutoscalingEnvironment(core, application, spec.load ?? generateLoad(core, spec.appSeed), {
      cluster: { sloFactor: spec.sloFactor },
      part: LEARNING_PART,
      view: isPaper ? 'absolute' : 'relative',
      violationPenalty: isPaper ? 0 : 2,
    })
    const { agent, pilot, judged } = this.#cast(core, isPaper)
    this.#agent = agent
    this.#pilot = pilot
    this.#judged = judged
    this.#loop = new ControlLoop({
      environment: this.environment,
      pilot,
      episodes: spec.episodes,
      seedOf: (episode) => spec.seed * 100_000 + episode,
    })
  }

  /** Who acts while learning, and who is judged. */
  #cast(core: Core, isPaper: boolean): { agent?: Ddpg; pilot: Pilot; judged: Controller } {
    const { environment, spec } = this
    const fixed = (controller: Controller): { pilot: Pilot; judged: Controller } => ({
      pilot: rulePilot(controller),
      judged: controller,
    })
    switch (spec.controller) {
      case 'hpa-vpa':
        return fixed(this.#rule(core))
      case 'aimd':
        return fixed(new Aimd(environment))
      case 'static':
        return fixed(bestStatic(environment, BOUND_SEEDS.slice(0, 8)))
      case 'constant':
        return fixed(bestConstantAction(core, environment, BOUND_SEEDS, spec.seed))
      case 'oracle':
        return fixed(oracleWithin(core, environment, BOUND_SEEDS))
      case 'pretrained':
        return this.#castPretrained(core)
      default: {
        const agent = createDdpg(core, {
          ...(isPaper ? AWARE_DDPG : AUTOSCALING_DDPG),
          observation: environment.observation,
          action: environment.action,
          seed: spec.seed * 1000 + spec.appSeed,
          task: 'autoscaling',
        })
        const rule = this.#rule(core)
        if (spec.controller === 'trimtab') {
          const pilot = new EnvelopePilot(agent, rule, environment.action, this.#envelope())
          return { agent, pilot, judged: pilot.policy }
        }
        return { agent, pilot: exploringPilot(agent, rule), judged: agent }
      }
    }
  }

  #envelope(): EnvelopeOptions {
    return {
      isViolation: (info) => info.measuredViolation === 1,
      safeDirection: [1, 1, -1], // cores, memory headroom, target utilisation
      hindsight: (action) => this.environment.hindsight(action, 2 * this.#random.uniform() - 1),
    }
  }

  /** The same, but the agent knows other applications and is told after each episode what this one is like. */
  #castPretrained(core: Core): { agent: Ddpg; pilot: Pilot; judged: Controller } {
    const { environment, spec } = this
    const model = readPretrained(pretrainedAutoscaling())
    const agent = createDdpg(core, {
      ...AUTOSCALING_DDPG,
      observation: environment.observation,
      action: environment.action,
      seed: spec.seed * 1000 + spec.appSeed,
      contextSize: model.embeddingSize,
    })
    model.teach(agent)
    const meta = model.createMetaLearner(core)
    this.#meta = meta
    const pilot = new EnvelopePilot(agent, this.#rule(core), environment.action, {
      ...this.#envelope(),
      ...PRETRAINED_TRUST,
    })
    return { agent, pilot: new EmbeddingPilot(pilot, agent, meta), judged: pilot.policy }
  }

  #rule(core: Core): HpaVpa {
    const { environment } = this
    const settings = tuneHpaVpa(core, environment, TUNING_SEEDS)
    return new HpaVpa(core, environment, environment.simulator.options.bounds, settings)
  }

  /** Lives through one learning episode. */
  learnEpisode(onTick?: (tick: Tick) => void): AutoscalerEpisode {
    let violations = 0
    let reward = 0
    const { stage } = this.#pilot
    const summary = this.#loop.runEpisode((tick) => {
      const info = tick.info as AutoscalingInfo
      violations += info.trueViolation
      reward += info.trueReward
      onTick?.(tick)
    })
    const violationPercent = (100 * violations) / summary.steps
    this.#curve.reward.push(reward)
    this.#curve.violationPercent.push(violationPercent)
    this.#curve.stage.push(stage)
    if (this.#pilot instanceof EnvelopePilot) this.#curve.envelope.push(this.#pilot.width)
    return { reward, violationPercent, stage }
  }

  /** Judges the policy as it stands on the part of the load that nobody has learned from. */
  judge(): AutoscalerTrialResult {
    const { spec, environment } = this
    const { violationPercent, stage, envelope } = this.#curve
    const { load: _, ...plainSpec } = spec
    environment.part = JUDGED_PART
    const timeline = createTimeline(environment, this.#app, spec.controller)
    const judged = evaluateAutoscaling(
      environment,
      this.#judged,
      seedsFrom(spec.seed * 100_000 + 50_000, JUDGED_EPISODES),
      () => timeline.record(),
    )
    environment.part = LEARNING_PART
    return {
      spec: plainSpec,
      app: this.#app,
      judged,
      learningViolationPercent: violationPercent.reduce((a, b) => a + b, 0) / Math.max(1, violationPercent.length),
      ruleEpisodes: stage.filter((s) => s === 'offline').length,
      curve: {
        app: this.#app,
        seed: spec.seed,
        controller: spec.controller,
        ...this.#curve,
        ...(envelope.length > 0 ? { envelope } : {}),
      },
      timeline: timeline.build(),
    }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#loop.dispose()
    this.#agent?.dispose()
    this.#meta?.dispose()
    this.environment.dispose()
    this.#random.dispose()
  }
}

/** A policy that 200 applications have taught starts with more freedom and after fewer episodes of the rule. */
const PRETRAINED_TRUST = { ruleEpisodes: 2, startWidth: 0.5 } as const

const TIMELINE_STEPS = 100

/** Records the first judged episode, one value a step. */
function createTimeline(
  environment: AutoscalingEnvironment,
  app: string,
  controller: string,
): { record(): void; build(): Timeline } {
  const { simulator } = environment
  const series = {
    requestsPerSecond: [] as number[],
    p99Ms: [] as number[],
    replicas: [] as number[],
    coresPerReplica: [] as number[],
    memoryMiBPerReplica: [] as number[],
    requestedCores: [] as number[],
    cpuUtilisation01: [] as number[],
    memoryUtilisation01: [] as number[],
  }
  return {
    record() {
      if (series.p99Ms.length === TIMELINE_STEPS) return
      const { telemetry, truth } = simulator
      series.requestsPerSecond.push(rounded(telemetry.ratePerSecond))
      series.p99Ms.push(rounded(truth.p99Ms))
      series.replicas.push(telemetry.readyReplicas + telemetry.startingReplicas)
      series.coresPerReplica.push(rounded(telemetry.coresPerReplica))
      series.memoryMiBPerReplica.push(rounded(telemetry.memoryMiBPerReplica))
      series.requestedCores.push(rounded(truth.requestedCores))
      series.cpuUtilisation01.push(rounded(truth.cpuUtilisation01))
      series.memoryUtilisation01.push(rounded(truth.memoryUtilisation01))
    },
    build: () => ({ app, controller, stepSeconds: simulator.options.stepSeconds, sloMs: simulator.sloMs, ...series }),
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000

/** Lives through a whole trial. @throws {ConfigError} `config_invalid` */
export function runAutoscalerTrial(core: Core, spec: AutoscalerTrialSpec): AutoscalerTrialResult {
  const trial = new AutoscalerTrial(core, spec)
  try {
    for (let episode = 0; episode < spec.episodes; episode++) trial.learnEpisode()
    return trial.judge()
  } finally {
    trial.dispose()
  }
}
