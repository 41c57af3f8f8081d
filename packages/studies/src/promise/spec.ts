import type {
  Allocator,
  ClusterLaw,
  ClusterSimulator,
  LoadSeries,
  OperatingRecord,
  Prices,
  ResizeMode,
} from '@trimtab/tasks/autoscaling'
import type { PromiseLoadName } from './loads.js'

/** Allowed without being the rule's, percent of steps. */
export const ERROR_BUDGET_PERCENT = 0.5

/** Learners and bounds; rules go by the names of their families. */
export const PROMISE_CONTROLLERS = [
  { name: 'trimtab', label: 'Trimtab: the margin learner beside the strongest rule', kind: 'learner' },
  { name: 'margin', label: 'the margin learner alone', kind: 'learner' },
  { name: 'static', label: 'best static', kind: 'bound' },
  { name: 'oracle', label: 'oracle', kind: 'bound' },
] as const

/** Families of rules that learn while they live: none of them stands beside a learner. */
export const LEARNING_RULES: readonly string[] = ['bandit']

/** A world that controllers are compared in: one application under one load, an SLO, and what the cluster can resize. */
export interface PromiseWorldSpec {
  readonly appSeed: number
  /** One of the promise's, or any other. */
  readonly load: PromiseLoadName | LoadSeries
  /** A measured load's table of requests per minute. */
  readonly text?: string
  /** SLO as a multiple of the p99 at ample resources. */
  readonly sloFactor: number
  readonly resize: ResizeMode
  /** How latency follows from size and load. Default `throttled`. */
  readonly law?: ClusterLaw
  /** Cuts the load to its first days. Default: 14, the most. */
  readonly days?: number
  /** Multiplies the requests. Default 1. */
  readonly loadScale?: number
  readonly prices?: Prices
  /** Allowed violations, percent of steps. Default 0.5. */
  readonly budgetPercent?: number
}

/** All that is run in one world: the unit of work, so that rules are tuned once. */
export interface PromiseCellSpec extends PromiseWorldSpec {
  readonly seeds: readonly number[]
  /** Families of rules. Default: all that have something to do where pods resize so. */
  readonly families?: readonly string[]
  /** Learners and bounds to run beside the rules. Default: all that the world allows. */
  readonly controllers?: readonly string[]
  /** Steps at the start that the rule drives before a learner is there at all. Default 0. */
  readonly ruleSteps?: number
  /** Rules that are tuned already. Default: all families are tuned here. */
  readonly tuned?: readonly TunedFamily[]
}

/** A family of rules with the settings chosen for a world. */
export interface TunedFamily {
  readonly family: string
  readonly settings: unknown
}

/** What is reported of a stretch of time. */
export interface PromiseRecord
  extends Pick<OperatingRecord, 'dollarsPerHour' | 'violationPercent' | 'worstHourPercent' | 'cores' | 'memoryGiB'> {
  /** Steps in which the rule served in the learner's place, percent; of a guarded learner. */
  readonly byRulePercent?: number
}

/** What a controller came to: while it learned, or just lived, and then judged. */
export interface PromiseTrial {
  readonly controller: string
  readonly seed: number
  readonly learning: PromiseRecord
  readonly judged: PromiseRecord
}

/** A finished cell. */
export interface PromiseCell {
  readonly spec: Omit<PromiseCellSpec, 'text' | 'tuned' | 'load'> & { readonly load: string }
  readonly isWithinSeen: boolean
  readonly tuned: readonly TunedFamily[]
  /** The strongest rule on the learning part, and the strongest of those that do not learn: it stands beside the learner. */
  readonly strongest: string
  readonly shadow: string
  readonly trials: readonly PromiseTrial[]
}

/** A controller that lives through a part of a load with one seed. */
export interface PromiseLife {
  readonly controller: string
  readonly seed: number
  readonly part: 'learning' | 'judged'
  readonly allocator: Allocator
  readonly simulator: ClusterSimulator
}

/** Looks at a life that begins; what it returns is called after every step of it. */
export type PromiseWatch = (life: PromiseLife) => (() => void) | undefined

/** The first part of every load is learned from, and rules are tuned on it; the rest is judged. */
export const LEARNED_SHARE = 0.7
