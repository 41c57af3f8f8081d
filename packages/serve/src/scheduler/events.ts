/** What a scheduler tells, by p-queue's names, and with what. */
export interface SchedulerEvents {
  /** A request was taken in. */
  readonly add: readonly []
  /** A request starts. */
  readonly active: readonly []
  readonly completed: readonly [result: unknown]
  /** Work has failed for good; the promise of `add` rejects as well. */
  readonly error: readonly [error: unknown]
  /** A request is over, whether it was completed or not. */
  readonly next: readonly []
  /** None waits any more. */
  readonly empty: readonly []
  /** None waits and none runs any more. */
  readonly idle: readonly []
}

/** Is called with what an event tells. */
export type SchedulerListener<Name extends keyof SchedulerEvents> = (...told: SchedulerEvents[Name]) => void

/** Who listens to what. A listener that throws disturbs nobody: its error is an unhandled rejection. */
export class Listeners {
  readonly #byName = new Map<keyof SchedulerEvents, Set<(...told: never) => void>>()

  add<Name extends keyof SchedulerEvents>(name: Name, listener: SchedulerListener<Name>): void {
    const listeners = this.#byName.get(name)
    if (listeners) listeners.add(listener)
    else this.#byName.set(name, new Set([listener]))
  }

  remove<Name extends keyof SchedulerEvents>(name: Name, listener: SchedulerListener<Name>): void {
    this.#byName.get(name)?.delete(listener)
  }

  /** @param told  of events that tell something */
  tell<Name extends keyof SchedulerEvents>(name: Name, told?: SchedulerEvents[Name][0]): void {
    if (this.#byName.size === 0) return // asked several times for every request
    const listeners = this.#byName.get(name)
    if (!listeners) return
    for (const listener of listeners) {
      try {
        ;(listener as (told: unknown) => void)(told)
      } catch (error) {
        Promise.reject(error)
      }
    }
  }
}
