import type { FunctionProfile } from './function-profile.js'

/**
 * The containers of a platform, oldest first, one row each, and the invokers' memory that they hold. Placement is first fit. Allocates
 * nothing after creation.
 */
export class ContainerTable {
  /** Rows in use. */
  count = 0
  readonly tenant: Int32Array
  readonly invoker: Int32Array
  readonly memoryMiB: Float64Array
  /** Seconds until the container serves; 0: it does. */
  readonly startingSeconds: Float64Array
  /** Seconds since it last served. */
  readonly idleSeconds: Float64Array
  /** [invokers]; 0 of one that is lost. */
  readonly freeMiB: Float64Array
  readonly #capacityMiB: Float64Array
  readonly #isLost: Uint8Array

  /**
   * @param capacityMiB  of each invoker
   * @param rows         the most containers there can be
   */
  constructor(capacityMiB: Float64Array, rows: number) {
    this.#capacityMiB = capacityMiB
    this.freeMiB = capacityMiB.slice()
    this.#isLost = new Uint8Array(capacityMiB.length)
    this.tenant = new Int32Array(rows)
    this.invoker = new Int32Array(rows)
    this.memoryMiB = new Float64Array(rows)
    this.startingSeconds = new Float64Array(rows)
    this.idleSeconds = new Float64Array(rows)
  }

  clear(): void {
    this.count = 0
    this.#isLost.fill(0)
    this.freeMiB.set(this.#capacityMiB)
  }

  isLost(invoker: number): boolean {
    return this.#isLost[invoker] === 1
  }

  /**
   * Starts a container of a tenant on the first invoker with room for it.
   * @returns false where none has
   */
  start(tenant: number, { memoryMiB, coldStartSeconds }: FunctionProfile): boolean {
    const { freeMiB } = this
    let invoker = 0
    while (invoker < freeMiB.length && freeMiB[invoker]! < memoryMiB) invoker++
    if (invoker === freeMiB.length || this.count === this.tenant.length) return false
    freeMiB[invoker]! -= memoryMiB
    const row = this.count++
    this.tenant[row] = tenant
    this.invoker[row] = invoker
    this.memoryMiB[row] = memoryMiB
    this.startingSeconds[row] = coldStartSeconds
    this.idleSeconds[row] = 0
    return true
  }

  /** Removes the rows that `mustGo`, asked newest first; the others keep their order. */
  remove(mustGo: (row: number) => boolean): void {
    const { count, tenant, invoker, memoryMiB, startingSeconds, idleSeconds, freeMiB } = this
    let kept = count
    for (let row = count - 1; row >= 0; row--) {
      if (mustGo(row)) {
        if (this.#isLost[invoker[row]!] === 0) freeMiB[invoker[row]!]! += memoryMiB[row]!
        continue
      }
      kept-- // what stays moves to the end, in order, and back to the front below
      tenant[kept] = tenant[row]!
      invoker[kept] = invoker[row]!
      memoryMiB[kept] = memoryMiB[row]!
      startingSeconds[kept] = startingSeconds[row]!
      idleSeconds[kept] = idleSeconds[row]!
    }
    if (kept === 0) return
    for (const column of [tenant, invoker, memoryMiB, startingSeconds, idleSeconds]) column.copyWithin(0, kept, count)
    this.count = count - kept
  }

  /** An invoker goes, with all its containers. */
  lose(invoker: number): void {
    this.#isLost[invoker] = 1
    this.freeMiB[invoker] = 0
    this.remove((row) => this.invoker[row] === invoker)
  }

  /** An invoker is there again, empty. */
  restore(invoker: number): void {
    if (!this.isLost(invoker)) return
    this.#isLost[invoker] = 0
    this.freeMiB[invoker] = this.#capacityMiB[invoker]!
  }

  /** Rows, and which invokers are lost, as `load` takes them. */
  save(): Float64Array[] {
    const columns = [this.tenant, this.invoker, this.memoryMiB, this.startingSeconds, this.idleSeconds]
    return [
      ...columns.map((column) => Float64Array.from(column.subarray(0, this.count))),
      Float64Array.from(this.#isLost),
    ]
  }

  /** How many lists `save` gives. */
  static readonly LISTS = 6

  /** Whether a platform of `tenants` can have these containers. */
  isPossible(lists: readonly Float64Array[], tenants: number): boolean {
    const [tenant, invoker, memoryMiB, starting, idle, lost] = lists as [Float64Array, ...Float64Array[]]
    const invokers = this.#capacityMiB.length
    const isIndex = (value: number, count: number): boolean => Number.isInteger(value) && value >= 0 && value < count
    if (tenant.length > this.tenant.length || lists.slice(1, 5).some((list) => list.length !== tenant.length))
      return false
    if (lost!.length !== invokers || !lost!.every((flag) => isIndex(flag, 2))) return false
    const free = this.#capacityMiB.map((capacity, i) => (lost![i] === 1 ? 0 : capacity))
    for (const [row, owner] of tenant.entries()) {
      const host = invoker![row]!
      if (!(isIndex(owner, tenants) && isIndex(host, invokers) && memoryMiB![row]! > 0)) return false
      if (!(starting![row]! >= 0 && starting![row]! < Infinity && idle![row]! >= 0 && idle![row]! < Infinity))
        return false
      free[host]! -= memoryMiB![row]!
    }
    return free.every((left) => left >= 0)
  }

  /** Goes back to lists that are possible. */
  load(lists: readonly Float64Array[]): void {
    const [tenant, invoker, memoryMiB, starting, idle, lost] = lists as [Float64Array, ...Float64Array[]]
    this.clear()
    this.#isLost.set(lost!)
    for (const [i, flag] of this.#isLost.entries()) if (flag === 1) this.freeMiB[i] = 0
    this.count = tenant.length
    this.tenant.set(tenant)
    this.invoker.set(invoker!)
    this.memoryMiB.set(memoryMiB!)
    this.startingSeconds.set(starting!)
    this.idleSeconds.set(idle!)
    for (let row = 0; row < this.count; row++) this.freeMiB[this.invoker[row]!]! -= this.memoryMiB[row]!
  }
}
