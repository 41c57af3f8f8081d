import { RESOURCES, type Resource, type ResourceVector } from '../resources.js'
import type { Order, OrderOutcome } from './application.js'

/** What bounds the limits of one instance. */
export interface GrantBounds {
  /** On its machine, others having what they have. */
  readonly most: ResourceVector
  /** More cores than threads buy nothing (3.2.4, footnote 6). */
  readonly workers: number
  /** What it has now: never taken back for want of room. */
  readonly current: ResourceVector
}

/** Limits that a machine has room for. */
export interface FittedGrant {
  readonly grant: ResourceVector
  /** Of which it has less than was asked. */
  readonly short: readonly Resource[]
}

/**
 * The limits closest to what was asked that the machine has room for (3.2.5).
 */
export function fitGrant(asked: ResourceVector, { most, workers, current }: GrantBounds): FittedGrant {
  const grant = { ...asked, cpu: Math.min(asked.cpu, Math.max(workers, current.cpu)) }
  const short: Resource[] = []
  for (const resource of RESOURCES) {
    const allowed = Math.max(most[resource], Math.min(grant[resource], current[resource]))
    if (grant[resource] <= allowed) continue
    grant[resource] = allowed
    short.push(resource)
  }
  return { grant, short }
}

/** What became of an order whose limits are now in force as they fit. */
export function limitsOutcome(order: Order, { grant, short }: FittedGrant): OrderOutcome {
  if (short.length === 0) return { order, done: 'whole' }
  const granted = Object.fromEntries(short.map((resource) => [resource, grant[resource]]))
  return { order, done: 'part', reason: `its machine has no more ${short.join(', ')}`, granted }
}
