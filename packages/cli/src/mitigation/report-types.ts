import type { CulpritAccount, LocatedCulprit, Resource } from '@trimtab/tasks/microservices'
import type { SuspectView } from '../trace/report/types.js'

/** What was wanted of one instance, and what became of it. */
export interface Step {
  readonly second: number
  readonly kind: 'limits' | 'replace'
  /** `proposed`: nobody acts, or nobody did yet when the run ended. */
  readonly done: 'proposed' | 'whole' | 'part' | 'nothing'
  readonly reason?: string
  /** Of what less was granted than asked for; of limits that were raised in part. */
  readonly short?: readonly ShortGrant[]
}

/** A limit of which there was not enough, in the unit of its resource. */
export interface ShortGrant {
  readonly resource: Resource
  readonly asked: number
  readonly granted: number
}

/** An instance that was named, from the first window to the last. */
export interface Incident {
  readonly instance: string
  readonly service: string
  readonly fromSecond: number
  readonly untilSecond: number
  /** The culprit that traces name, or its own queue. */
  readonly because: LocatedCulprit | 'queue'
  /** Where requests were late. */
  readonly account?: CulpritAccount
  /** What it had least left of when it was named. */
  readonly busiest: { readonly resource: Resource; readonly utilisation01: number }
  readonly steps: readonly Step[]
  /** The p99 of the late requests over their SLO once it was named no more; absent where the run ended before. */
  readonly p99OverSloAfter?: number
  /** Kinds of anomalies that were really there; absent where nobody knows. */
  readonly injected?: readonly string[]
}

/** How the requests of a run fared. */
export interface RunOutcome {
  readonly requests: number
  readonly late01: number
  readonly failed01: number
  /** Seconds in which the p99 of some type of requests was above its SLO. */
  readonly brokenSeconds01: number
}

/** A simulated application under anomalies. */
export interface SimulationReport {
  readonly source: 'simulator'
  readonly application: string
  readonly seconds: number
  readonly seed: number
  readonly load: number
  readonly anomalies: number
  readonly slosMs: Readonly<Record<string, number>>
  readonly incidents: readonly Incident[]
  readonly withoutMitigation: RunOutcome
  /** Absent where nobody acts. */
  readonly mitigated?: RunOutcome
}

/** What to do about a service that stands out in traces. */
export interface Recommendation extends SuspectView {
  /** Services from the front door to it, as the slowest request went. */
  readonly route: readonly string[]
  /** `network`: the way to it got slower and its work did not; `any`: its work did, for which any resource may be short. */
  readonly resource: 'network' | 'any'
}

/** What traces recommend against a time when all was well. */
export interface TracesReport {
  readonly source: 'traces'
  readonly files: readonly string[]
  readonly against: string
  readonly recommendations: readonly Recommendation[]
}

export type MitigationReport = SimulationReport | TracesReport
