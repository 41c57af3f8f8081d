import { type Clock, Problems } from '@trimtab/core'
import { type BatchFormat, type BatchTally, LiveTraces, type Trace } from '@trimtab/trace'

/** What a window keeps. */
export interface CollectedWindowOptions {
  /** How long a trace stays after it was complete. Default 10. */
  readonly seconds?: number
  /** Spans that are kept: of traces that grow, and again of those that are complete; the oldest of these go first. Default 200,000. */
  readonly maxSpans?: number
}

/** The requests of the last seconds, out of what exporters send. What a control loop looks at. */
export class CollectedWindow {
  readonly #live: LiveTraces
  readonly #clock: Clock
  readonly #keptMs: number
  readonly #maxSpans: number
  #kept: { readonly trace: Trace; readonly atMs: number }[] = []
  #spans = 0
  #traces = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(clock: Clock, { seconds = 10, maxSpans = 200_000 }: CollectedWindowOptions = {}) {
    const problems = new Problems()
    problems.check(Number.isFinite(seconds) && seconds > 0, `seconds must be > 0, got ${seconds}`)
    problems.check(
      Number.isInteger(maxSpans) && maxSpans > 0,
      `maxSpans must be a whole number above 0, got ${maxSpans}`,
    )
    problems.throwIfAny('window')
    this.#live = new LiveTraces({ maxSpans })
    this.#clock = clock
    this.#keptMs = 1000 * seconds
    this.#maxSpans = maxSpans
  }

  /** Traces that were complete since the start. */
  get traces(): number {
    return this.#traces
  }

  /** Spans that are held. */
  get spans(): number {
    return this.#live.size + this.#spans
  }

  /** Whether nothing fits before the next sweep. */
  get isFull(): boolean {
    return this.#live.isFull
  }

  /** Takes a batch of spans. @throws {TraceError} `batch_malformed`: nothing is kept of it */
  add(batch: Uint8Array, format: BatchFormat): BatchTally {
    return this.#live.add(batch, format)
  }

  /** Takes the traces as complete of which nothing came since the last call; forgets the old ones. @returns the new ones */
  sweep(): Trace[] {
    const now = this.#clock.now()
    const traces = this.#live.sweep()
    for (const trace of traces) {
      this.#kept.push({ trace, atMs: now })
      this.#spans += trace.size
    }
    this.#traces += traces.length
    const isOver = ({ atMs }: { readonly atMs: number }): boolean =>
      now - atMs >= this.#keptMs || this.#spans > this.#maxSpans
    let gone = 0
    for (; gone < this.#kept.length && isOver(this.#kept[gone]!); gone++) this.#spans -= this.#kept[gone]!.trace.size
    this.#kept = this.#kept.slice(gone)
    return traces
  }

  /** The complete traces of the last seconds, the oldest first. */
  recent(): Trace[] {
    return this.#kept.map(({ trace }) => trace)
  }
}
