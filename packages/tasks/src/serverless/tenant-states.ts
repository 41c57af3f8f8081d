import type { ServerlessSpec } from './platform-spec.js'
import { containersFor } from './rules/containers-for.js'
import type { TenantAllocation } from './telemetry.js'

const INITIAL_SHARES = 1024
const INITIAL_KEEP_ALIVE_SECONDS = 600
const LONGEST_KEEP_ALIVE_SECONDS = 1e9

/** What a platform remembers of its tenants between steps; columns [N]. */
export class TenantStates {
  /** 1 of a tenant that is there. */
  readonly present: Float64Array
  /** Requests that wait. */
  readonly backlog: Float64Array
  /** In force: shares of each container, containers asked for, seconds that idle ones above these are kept. */
  readonly shares: Float64Array
  readonly containers: Float64Array
  readonly keepAlive: Float64Array
  readonly #bounds: ServerlessSpec['bounds']

  constructor({ tenants, bounds }: ServerlessSpec) {
    this.#bounds = bounds
    this.present = new Float64Array(tenants.length)
    this.backlog = new Float64Array(tenants.length)
    this.shares = new Float64Array(tenants.length).fill(bounds.shares[0])
    this.containers = new Float64Array(tenants.length)
    this.keepAlive = new Float64Array(tenants.length)
  }

  /** Tenant `i` is there, with a first allocation that is enough for `busy` containers at work: R + 2√R of 1,024 shares. */
  join(i: number, busy: number): void {
    this.present[i] = 1
    this.backlog[i] = 0
    const containers = containersFor(busy, 2)
    this.take(i, { containers, shares: INITIAL_SHARES, keepAliveSeconds: INITIAL_KEEP_ALIVE_SECONDS })
  }

  /** Tenant `i` is gone: it is to have no containers. */
  leave(i: number): void {
    this.present[i] = 0
    this.backlog[i] = 0
    this.containers[i] = 0
  }

  /** Brings an allocation into force, clamped to the bounds. */
  take(i: number, { containers, shares, keepAliveSeconds }: Readonly<TenantAllocation>): void {
    this.containers[i] = clamp(Math.round(containers), this.#bounds.containers)
    this.shares[i] = clamp(shares, this.#bounds.shares)
    this.keepAlive[i] = clamp(keepAliveSeconds, [0, LONGEST_KEEP_ALIVE_SECONDS])
  }

  /** What is in force for tenant `i`. */
  tell(i: number, out: TenantAllocation): void {
    out.containers = this.containers[i]!
    out.shares = this.shares[i]!
    out.keepAliveSeconds = this.keepAlive[i]!
  }

  /** How many lists `save` gives. */
  static readonly LISTS = 5

  save(): readonly Float64Array[] {
    return [this.present, this.backlog, this.shares, this.containers, this.keepAlive]
  }

  /** Whether these tenants can be so. */
  isPossible(lists: readonly Float64Array[]): boolean {
    const { shares, containers } = this.#bounds
    const [present, backlog, inForce, asked, keepAlive] = lists as [Float64Array, ...Float64Array[]]
    return (
      lists.every(({ length }) => length === this.present.length) &&
      isAll(present, 0, 1, Number.isInteger) &&
      isAll(backlog!, 0, Number.MAX_SAFE_INTEGER) &&
      isAll(inForce!, shares[0], shares[1]) &&
      isAll(asked!, 0, containers[1], Number.isInteger) &&
      isAll(keepAlive!, 0, LONGEST_KEEP_ALIVE_SECONDS)
    )
  }

  /** Goes back to lists that are possible. */
  load(lists: readonly Float64Array[]): void {
    for (const [c, column] of this.save().entries()) column.set(lists[c]!)
  }
}

const isAll = (
  list: Float64Array,
  low: number,
  high: number,
  isOne: (value: number) => boolean = () => true,
): boolean => list.every((value) => value >= low && value <= high && isOne(value))

const clamp = (value: number, [low, high]: readonly [number, number]): number => Math.min(high, Math.max(low, value))
