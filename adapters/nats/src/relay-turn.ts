const HEARTBEATS = 1.5 // half a one for how far steps of two processes drift; twice it is within the patience of all

/**
 * Whether it is this process's turn to pass on what all say: it is when nobody of longer standing has done so for a heartbeat and a half,
 * and until such a one does.
 *
 * Time passes only from one answer of the server to the next, a heartbeat at most: who was cut off, or slept, takes nobody for silent.
 */
export class RelayTurn {
  readonly #heartbeatMs: number
  #silentMs = 0
  #sinceMs: number
  #isOurs = false

  /** @param nowMs  of any clock that does not go back */
  constructor(heartbeatMs: number, nowMs: number) {
    this.#heartbeatMs = heartbeatMs
    this.#sinceMs = nowMs
  }

  get isOurs(): boolean {
    return this.#isOurs
  }

  /** One of longer standing passes on. */
  yield(nowMs: number): void {
    this.#isOurs = false
    this.#begin(nowMs)
  }

  /** The server answers: whatever was passed on before has been heard. */
  answered(nowMs: number): void {
    this.#silentMs += Math.min(this.#heartbeatMs, nowMs - this.#sinceMs)
    this.#sinceMs = nowMs
    this.#isOurs ||= this.#silentMs > HEARTBEATS * this.#heartbeatMs
  }

  /** The server does not answer: who is silent cannot be known. */
  unanswered(nowMs: number): void {
    this.#begin(nowMs)
  }

  #begin(nowMs: number): void {
    this.#silentMs = 0
    this.#sinceMs = nowMs
  }
}
