// The numbers of one `trimtab autoscale` run: what --json prints, the HTML report embeds and the playground draws.

import type { GuardExplanation, GuardReason, Prices, ResizeMode } from '@trimtab/tasks/autoscaling'
import type { Spread } from '../spread.js'

/** What a stretch of time came to. */
interface Figures<T> {
  /** What was paid, US dollars an hour. */
  readonly dollarsPerHour: T
  /** Of what the strongest rule of the application paid. */
  readonly relativeCost: T
  /** Percent of judged steps whose true p99 latency was above the SLO (or that had OOM kills). */
  readonly violationPercent: T
  /** The same while learning; rules and bounds live through that time as well. */
  readonly learningViolationPercent: T
  /** Violations of the worst judged hour, percent of its steps. */
  readonly worstHourPercent: T
  readonly cores: T
  readonly memoryGiB: T
  /** The papers' reward of 100 judged steps, at most 200. */
  readonly reward: T
}

/** One controller over all applications: each spread is over seeds, of the mean over applications. */
export interface AutoscalerSummary extends Figures<Spread> {
  /** Machine name: `hpa-vpa`, `hpa-headroom`, `resize`, `forecast`, `bandit`, `trimtab`, `margin`, `static`, `oracle`. */
  readonly name: string
  /** What a person reads. */
  readonly label: string
  /** `bound`: knows what no controller can know; shown for scale, not as a rival. */
  readonly kind: 'rule' | 'learner' | 'bound'
  /** Applications in which it is the strongest rule. */
  readonly strongestIn: number
}

/** One application judged under one controller, mean over seeds. */
export interface AutoscalerResult extends Figures<number> {
  readonly app: string
  readonly controller: string
}

/** What was found out about an application before anybody was judged. */
export interface AutoscalerWorld {
  readonly app: string
  /** The strongest rule, chosen on the learning part: the cheapest within the budget. */
  readonly strongest: string
  /** The strongest of those that do not learn: it stands beside Trimtab. */
  readonly shadow: string
  /** Whether the judged load lies within what the learning part showed. */
  readonly isWithinSeen: boolean
}

/** One judged day with the first seed, one value for every few minutes: means, and the worst p99. */
export interface Timeline {
  readonly app: string
  readonly controller: string
  readonly stepSeconds: number
  readonly requestsPerSecond: readonly number[]
  readonly p99OverSlo: readonly number[]
  readonly dollarsPerHour: readonly number[]
  readonly cores: readonly number[]
  readonly memoryGiB: readonly number[]
  readonly replicas: readonly number[]
}

/** What a controller broke while learning, one value a day, mean over seeds. */
export interface LearningDays {
  readonly app: string
  readonly controller: string
  readonly violationPercent: readonly number[]
  readonly dollarsPerHour: readonly number[]
}

/** One decision of the margin learner, explained, and what came of it. */
export interface ExplainedDecision {
  readonly app: string
  /** Minutes from the beginning of the timeline. */
  readonly minute: number
  readonly replicas: number
  readonly coresPerReplica: number
  readonly memoryMiBPerReplica: number
  /** Requests per second: expected, provided for, and come. */
  readonly expectedRate: number
  readonly providedRate: number
  readonly requestsPerSecond: number
  /** p99 / SLO: predicted, where it lies with 95 %, and come true. */
  readonly predicted: number
  readonly interval: readonly [low: number, high: number]
  readonly truth: number
  /** The next smaller size and the probability that it would break the SLO. */
  readonly cheaper?: { readonly coresPerReplica: number; readonly breach01: number }
}

/** What the guard served, percent of steps, over all seeds. */
export interface GuardShares {
  readonly app: string
  readonly part: 'learning' | 'judged'
  readonly served: Readonly<Record<GuardExplanation['served'], number>>
  /** Why something else was served than what the learner asked for. */
  readonly reasons: Readonly<Partial<Record<GuardReason, number>>>
}

/** Whether Trimtab should replace the strongest rule on this load. */
export interface AutoscalingVerdict {
  readonly isFor: boolean
  /** On one line, with its reason. */
  readonly text: string
}

/** All numbers of one comparison, as `--json` prints them. */
export interface AutoscalingReport {
  readonly format: 'trimtab-autoscale-report'
  readonly version: 2
  readonly settings: {
    /** `generated` or the file's name. */
    readonly load: string
    readonly apps: readonly string[]
    readonly seeds: readonly number[]
    /** Days of load, learning and judged ones, and the share of them that is learned from. */
    readonly days: number
    readonly learnedShare: number
    readonly stepSeconds: number
    /** SLO as a multiple of the p99 at ample resources. */
    readonly sloFactor: number
    /** Steps that may break the SLO, percent. */
    readonly budgetPercent: number
    readonly resize: ResizeMode
    readonly prices: Prices
    /** Always `simulation`: this command runs against a simulator. */
    readonly world: 'simulation'
  }
  readonly controllers: readonly AutoscalerSummary[]
  readonly worlds: readonly AutoscalerWorld[]
  readonly results: readonly AutoscalerResult[]
  readonly timelines: readonly Timeline[]
  readonly days: readonly LearningDays[]
  readonly decisions: readonly ExplainedDecision[]
  readonly guard: readonly GuardShares[]
  /** Absent where Trimtab was not run. */
  readonly verdict?: AutoscalingVerdict
  /** Plain sentences: what the reader should take from the numbers, derived from them. */
  readonly findings: readonly string[]
}
