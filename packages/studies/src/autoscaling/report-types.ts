// The numbers of one `trimtab autoscale` run: what --json prints, the HTML report embeds and the playground draws.

import type { Spread } from '../spread.js'

/** One controller over all applications: each spread is over seeds, of the mean over applications. */
export interface AutoscalerSummary {
  /** Machine name: `hpa-vpa`, `aimd`, `ddpg-paper`, `trimtab`, `static`, `constant`, `oracle`. */
  readonly name: string
  /** What a person reads. */
  readonly label: string
  /** `bound`: knows what no controller can know; shown for scale, not as a rival. */
  readonly kind: 'rule' | 'learner' | 'bound'
  /** Sum over the judged episode of 100 steps; at most 200. */
  readonly reward: Spread
  /** Percent of judged steps whose true p99 latency was above the SLO (or that had OOM kills). */
  readonly violationPercent: Spread
  /** The same with the p99 that controllers see (sampled). */
  readonly measuredViolationPercent: Spread
  /** Median over judged steps of p99 / SLO. */
  readonly p99OverSlo: Spread
  readonly cpuUtilisation01: Spread
  readonly memoryUtilisation01: Spread
  readonly requestedCores: Spread
  /** True violations over all learning episodes, percent; rules live through the same ones, bounds have none. */
  readonly learningViolationPercent?: Spread
  /** Learning episodes that the rule drove; learners only. */
  readonly ruleEpisodes?: Spread
}

/** One judged stretch of time, one value a step. */
export interface Timeline {
  readonly app: string
  readonly controller: string
  readonly stepSeconds: number
  readonly sloMs: number
  readonly requestsPerSecond: readonly number[]
  readonly p99Ms: readonly number[]
  readonly replicas: readonly number[]
  readonly coresPerReplica: readonly number[]
  readonly memoryMiBPerReplica: readonly number[]
  readonly requestedCores: readonly number[]
  readonly cpuUtilisation01: readonly number[]
  readonly memoryUtilisation01: readonly number[]
}

/** Progress of one learner on one application and seed, one value an episode. */
export interface LearningCurve {
  readonly app: string
  readonly seed: number
  readonly controller: string
  readonly reward: readonly number[]
  readonly violationPercent: readonly number[]
  /** Stage of the lifecycle in each episode. */
  readonly stage: readonly string[]
  /** Mean half-width of the envelope around the rule's action in each episode, where there is one. */
  readonly envelope?: readonly number[]
}

/** One application judged under one controller, mean over seeds. */
export interface AutoscalerResult {
  readonly app: string
  readonly controller: string
  readonly reward: number
  readonly violationPercent: number
  readonly learningViolationPercent?: number
}

/** All numbers of one comparison, as `--json` prints them. */
export interface AutoscalingReport {
  readonly format: 'trimtab-autoscale-report'
  readonly version: 1
  readonly settings: {
    /** `generated` or the file's name. */
    readonly load: string
    readonly apps: readonly string[]
    readonly seeds: readonly number[]
    readonly episodes: number
    readonly stepsPerEpisode: number
    readonly stepSeconds: number
    /** SLO as a multiple of the p99 at ample resources. */
    readonly sloFactor: number
    /** Always `simulation`: this command runs against a simulator. */
    readonly world: 'simulation'
  }
  readonly controllers: readonly AutoscalerSummary[]
  readonly results: readonly AutoscalerResult[]
  readonly timelines: readonly Timeline[]
  readonly curves: readonly LearningCurve[]
  /** Plain sentences: what the reader should take from the numbers, derived from them. */
  readonly findings: readonly string[]
}
