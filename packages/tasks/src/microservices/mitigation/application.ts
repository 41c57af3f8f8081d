import type { Trace } from '@trimtab/trace'
import type { ResourceVector } from '../resources.js'
import type { GraphTelemetry } from '../telemetry.js'
import type { LocatedCulprit } from './culprit.js'

/** A second or so of an application's life, as its operator can know it. */
export interface Window {
  /** Of requests that ended in it. */
  readonly traces: readonly Trace[]
  readonly telemetry: GraphTelemetry
}

/** Why something is done: the culprit that traces name, its own queue, or that nothing is wrong any more. */
export type Because = LocatedCulprit | 'queue' | 'slo' | 'utilisation' | 'calm' | 'start'

/** A change that a policy asks for. Instances and services by name. */
export type Order = { readonly because: Because } & (
  | { readonly kind: 'limits'; readonly instance: string; readonly grant: ResourceVector }
  | { readonly kind: 'replace'; readonly instance: string }
  | { readonly kind: 'scale'; readonly service: string; readonly replicas: number }
)

/** What became of an order: as asked, less of it for want of room, or nothing. */
export interface OrderOutcome {
  readonly order: Order
  readonly done: 'whole' | 'part' | 'nothing'
  /** Where it was not done whole. */
  readonly reason?: string
  /** Of limits of which there was too little: how much is in force since. */
  readonly granted?: Readonly<Partial<ResourceVector>>
}

/** Where windows come from: a simulator answers at once, a live collector when the next window is full. */
export interface WindowSource {
  /** The next window, each once, in the order of time. */
  next(signal?: AbortSignal): Window | Promise<Window>
}

/** What carries orders out; each is checked against the machine it concerns. */
export interface Actuators {
  /** @returns what became of orders since the call before: of these, where they are carried out at once */
  apply(orders: readonly Order[], signal?: AbortSignal): readonly OrderOutcome[] | Promise<readonly OrderOutcome[]>
}

/** Decides for a whole application, window by window. */
export interface MitigationPolicy {
  readonly name: string
  /** What to change now; nothing is an empty list. */
  decide(window: Window): Order[]
}
