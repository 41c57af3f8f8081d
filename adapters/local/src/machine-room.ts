/** Who shares a machine with others. */
export interface Lodger {
  /** When the request that has waited longest came, ms; Infinity: none waits. */
  readonly oldestArrivalMs: number
  /** Since when the container that has idled longest does, ms; Infinity: none does. */
  readonly oldestIdleMs: number
  /** CPU shares of a container of its. */
  readonly shares: number
  /** Ends that container; its memory comes back when it is gone. */
  stopOldestIdle(): void
  /** There is room again: start what is waited for. */
  settle(): void
}

/** What all functions together may take. */
export interface MachineRoomOptions {
  readonly memoryMiB: number
  /** Containers that start at once: a start keeps a CPU busy, and more of them than there are CPUs are no sooner done. */
  readonly mostStarting: number
}

/**
 * What a machine has for containers: memory as they ask for it, not as they use it, and CPUs to start on. Whoever has a request waiting
 * comes first, who has waited longest before all, and may have the place of the container that has idled longest, whosesoever that is.
 */
export class MachineRoom {
  readonly totalMiB: number
  readonly #mostStarting: number
  readonly #lodgers = new Set<Lodger>()
  #freeMiB: number
  /** Of containers that were told to end. */
  #leavingMiB = 0
  #starting = 0
  /** Somebody waits for what he did not get. */
  #isShort = false

  constructor({ memoryMiB, mostStarting }: MachineRoomOptions) {
    this.totalMiB = memoryMiB
    this.#freeMiB = memoryMiB
    this.#mostStarting = mostStarting
  }

  /** Shares of a container of whoever has most: what those of the others compare with. */
  get mostShares(): number {
    return Math.max(...[...this.#lodgers].map(({ shares }) => shares))
  }

  /** From now on it is asked to make room, and told of room. */
  add(lodger: Lodger): void {
    this.#lodgers.add(lodger)
  }

  /** It wants no more. */
  remove(lodger: Lodger): void {
    this.#lodgers.delete(lodger)
  }

  /**
   * Takes what a container needs to start, or says that there is none now; then `settle` is called when that may have changed.
   * @param isWaitedFor  idle containers make room
   */
  take(memoryMiB: number, isWaitedFor: boolean): boolean {
    const mayStart = this.#starting < this.#mostStarting
    if (mayStart && this.#freeMiB >= memoryMiB) {
      this.#freeMiB -= memoryMiB
      this.#starting++
      return true
    }
    this.#isShort = true
    const makesRoom = mayStart && isWaitedFor
    while (makesRoom && this.#freeMiB + this.#leavingMiB < memoryMiB && this.#stopOldestIdle());
    return false
  }

  /** A container's start is over, well or not. */
  started(): void {
    this.#starting--
    this.offer()
  }

  /** A container that holds so much was told to end. */
  leave(memoryMiB: number): void {
    this.#leavingMiB += memoryMiB
  }

  /** A container is gone. @param wasLeaving  it had been told to */
  give(memoryMiB: number, wasLeaving: boolean): void {
    this.#freeMiB += memoryMiB
    if (wasLeaving) this.#leavingMiB -= memoryMiB
    this.offer()
  }

  /** There is room again, or an idle container whose place can be had: who has waited longest comes first. */
  offer(): void {
    if (!this.#isShort) return
    this.#isShort = false
    const inOrder = [...this.#lodgers].sort((a, b) => (a.oldestArrivalMs < b.oldestArrivalMs ? -1 : 1))
    for (const lodger of inOrder) lodger.settle()
  }

  #stopOldestIdle(): boolean {
    let oldest: Lodger | undefined
    for (const lodger of this.#lodgers)
      if (lodger.oldestIdleMs < (oldest?.oldestIdleMs ?? Number.POSITIVE_INFINITY)) oldest = lodger
    oldest?.stopOldestIdle()
    return oldest !== undefined
  }
}
