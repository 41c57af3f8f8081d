import { RESOURCES, type ResourceVector } from '../resources.js'

/** What bounds the limits of one instance. */
export interface GrantBounds {
  /** On its machine, others having what they have. */
  readonly most: ResourceVector
  /** More cores than threads buy nothing (3.2.4, footnote 6). */
  readonly workers: number
  /** What it has now: never taken back for want of room. */
  readonly current: ResourceVector
}

/**
 * The limits closest to what was asked that the machine has room for (3.2.5).
 * @returns `short`: resources of which it has less than was asked
 */
export function fitGrant(
  asked: ResourceVector,
  { most, workers, current }: GrantBounds,
): { readonly grant: ResourceVector; readonly short: readonly string[] } {
  const grant = { ...asked, cpu: Math.min(asked.cpu, Math.max(workers, current.cpu)) }
  const short: string[] = []
  for (const resource of RESOURCES) {
    const allowed = Math.max(most[resource], Math.min(grant[resource], current[resource]))
    if (grant[resource] <= allowed) continue
    grant[resource] = allowed
    short.push(resource)
  }
  return { grant, short }
}
