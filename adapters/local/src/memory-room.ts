/** Who shares a machine's memory with others. */
export interface Lodger {
  /** When the request that has waited longest came, ms; Infinity: none waits. */
  readonly oldestArrivalMs: number
  /** Since when the container that has idled longest does, ms; Infinity: none does. */
  readonly oldestIdleMs: number
  /** Ends that container; its memory comes back when it is gone. */
  stopOldestIdle(): void
  /** There is room again: start what is waited for. */
  settle(): void
}

/**
 * The memory that all functions together may take, as containers ask for it, not as they use it. Whoever has a request waiting may have
 * the place of the container that has idled longest, whosesoever that is.
 */
export class MemoryRoom {
  readonly totalMiB: number
  readonly #lodgers = new Set<Lodger>()
  #freeMiB: number
  /** Of containers that were told to end. */
  #leavingMiB = 0
  /** Somebody waits for what he did not get. */
  #isShort = false

  constructor(totalMiB: number) {
    this.totalMiB = totalMiB
    this.#freeMiB = totalMiB
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
   * Takes a container's memory, or says that there is none now; then `settle` is called when that may have changed.
   * @param isWaitedFor  idle containers make room
   */
  take(memoryMiB: number, isWaitedFor: boolean): boolean {
    if (this.#freeMiB >= memoryMiB) {
      this.#freeMiB -= memoryMiB
      return true
    }
    this.#isShort = true
    while (isWaitedFor && this.#freeMiB + this.#leavingMiB < memoryMiB && this.#stopOldestIdle());
    return false
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

  /** There is memory again, or an idle container whose place can be had: who has waited longest comes first. */
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
