// What a run of the mitigation of anomalies is asked and tells.
import type { AnomalyKind, PresetName } from 'trimtab/tasks/microservices'
import type { RunStory } from '../run/protocol.js'

export const WORLDS = ['unlimited', 'standard'] as const
/** `unlimited`: telemetry at once, room for every grant. `standard`: a second late, off by 5 %, 1.2 times what is deployed. */
export type WorldName = (typeof WORLDS)[number]

export interface MitigationOptions {
  readonly application: PresetName
  readonly world: WorldName
  /** What goes wrong: one kind, or all of them. */
  readonly kind: AnomalyKind | 'all'
  readonly seconds: number
  readonly seed: number
}

/** A service where it stands in the drawing: 0 … 1 from left to right and from top to bottom. */
export interface PlacedService {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** What the drawing shows of one second; services by number. */
export interface GraphMoment {
  /** What is injected, and where. */
  readonly anomalies: readonly { readonly service: number; readonly kind: string; readonly level01: number }[]
  /** The critical path of the slowest request: each service's share of it. */
  readonly path: readonly { readonly service: number; readonly share01: number }[]
  /** Whom FIRM's loop named, and whose limits it holds above what was deployed. */
  readonly culprits: readonly number[]
  readonly raised: readonly number[]
}

export interface MitigationStart {
  readonly seconds: number
  readonly services: readonly PlacedService[]
  /** Caller and callee, by number. */
  readonly calls: readonly (readonly [number, number])[]
}

export interface MitigationStep {
  readonly second: number
  /** One each for every controller: worst p99 over SLO of all types of requests; all that is granted over what is deployed. */
  readonly p99OverSlo: readonly number[]
  readonly granted: readonly number[]
  /** Late requests of all so far, %. */
  readonly latePercent: readonly number[]
  readonly graph: GraphMoment
  /** What FIRM's loop did, in words. */
  readonly deeds: readonly string[]
}

export type MitigationEvent = RunStory<MitigationStart, MitigationStep>
