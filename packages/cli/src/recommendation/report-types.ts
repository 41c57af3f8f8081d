import type { Allocation } from '@trimtab/tasks/autoscaling'

/** Who decides, what it wants now, and what it would have come to. */
export interface Proposal {
  readonly by: 'policy' | 'rule' | 'nobody'
  /** Why, in a sentence. */
  readonly because: string
  readonly now: Readonly<Allocation>
  readonly costPerHour: number
  /** Of what was requested; below 0: it costs more. */
  readonly saving01: number
}

/** What `trimtab recommend` answers. */
export interface RecommendReport {
  readonly target: {
    readonly kind: string
    readonly name: string
    readonly namespace: string
    readonly container: string
  }
  readonly history: {
    /** Unix seconds. */
    readonly fromSeconds: number
    readonly untilSeconds: number
    readonly stepSeconds: number
    readonly steps: number
    readonly gaps: number
    readonly measuredHours: number
  }
  readonly currency: string
  /** As it is requested now, and what that cost over the history. */
  readonly requested: { readonly now: Readonly<Allocation>; readonly costPerHour: number }
  /** By the rule alone. */
  readonly rule: Proposal
  /** By the learned policy, kept by the rule; undefined: it has nothing to learn from, `withoutPolicy` says what. */
  readonly policy: Proposal | undefined
  readonly withoutPolicy: string | undefined
  /** As it was; undefined: no p99 was asked for, or none was measured. */
  readonly slo:
    | {
        readonly p99Ms: number
        readonly judgedSteps: number
        readonly brokenSteps: number
        readonly brokenPercent: number
      }
    | undefined
  /** p99 of what the policy wants now, with 95 %, ms. */
  readonly p99Ms: { readonly expected: number; readonly low: number; readonly high: number } | undefined
  readonly bounds: { readonly replicas: readonly [number, number]; readonly cpu: string; readonly memory: string }
  /** PromQL by what it is for. */
  readonly queries: Readonly<Record<string, string>>
  /** What was not measured, and what that means. */
  readonly missing: readonly { readonly what: string; readonly why: string; readonly taken: string }[]
  /** Cores of all pods over the history, in as many stretches; NaN where nothing is known. */
  readonly cores: { readonly requested: readonly (number | null)[]; readonly wanted: readonly (number | null)[] }
}
