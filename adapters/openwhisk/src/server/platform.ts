import type { Action, ActivationStatus, JsonObject, NamespaceLimits } from '../protocol.js'

/** One call of an action. */
export interface Invocation {
  readonly activationId: string
  readonly action: Action
  /** The action's own, overridden by those of the call. */
  readonly parameters: JsonObject
}

/** What became of it. */
export interface ActivationOutcome {
  /** When it began to run in its container, the initialisation included, unix milliseconds. */
  readonly startMs: number
  readonly endMs: number
  /** From its arrival to its start: in a queue, and for a container to be made. */
  readonly waitTimeMs: number
  /** Of a cold start: how long the code took to be ready, within start and end. Absent: the container was warm. */
  readonly initTimeMs?: number
  readonly status: ActivationStatus
  /** It was ended because its time was over. */
  readonly timedOut?: boolean
  readonly result: JsonObject
  readonly logs?: readonly string[]
}

/** Who runs functions. The server in front keeps actions, versions and records, and holds callers to the limits; this only runs. */
export interface FunctionPlatform {
  /** Of a namespace as they are now: asked at every request, so that an operator may change them. */
  limits(namespace: string): NamespaceLimits
  /**
   * An action is new or has a new version: it alone is invoked from now on.
   * @throws {WhiskError} where it cannot be run here; the action stays as it was
   */
  put(action: Action): void | Promise<void>
  /** An action is gone; what runs of it may end. */
  remove(action: Action): void | Promise<void>
  /**
   * Runs an action once, and answers when that has ended, well or not: an error of the function's own is an outcome.
   * @throws {WhiskError} what was not run
   */
  invoke(invocation: Invocation): Promise<ActivationOutcome>
}
