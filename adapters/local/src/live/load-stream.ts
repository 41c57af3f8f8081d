import { Child } from '../child.js'
import { LIVE_GENERATOR_PROGRAM } from '../programs.js'

/** A request that is to go out. */
export interface TimedRequest {
  readonly atMs: number
  /** `/browse?size=1` */
  readonly path: string
}

/** What callers saw in one period. */
export interface LoadPeriod {
  /** Requests that were meant to go out in it. */
  readonly arrivals: number
  /** Of those answered in it, from when they were meant to go out; and how long those have waited that are older than the SLO. */
  readonly latenciesMs: readonly number[]
  /** By how much requests went out late: the generator's own fault, or the machine's. */
  readonly lagsMs: readonly number[]
  /** Answers that were none. */
  readonly failures: number
  readonly lengthMs: number
}

/** Where a load goes, and how it is told. */
export interface StreamTarget {
  readonly port: number
  readonly periodMs: number
  readonly periods: number
  readonly sloMs: number
}

/** The open-loop generator in a process of its own: begins a load when it is told to, and says at the end of each period what became of it. */
export class LoadStream {
  readonly #child: Child<{ readonly period: LoadPeriod }>
  #periods: LoadPeriod[] = []
  #tell: (() => void) | undefined

  /** @param niceness  below 0 where the system allows it: what goes out late says nothing of the pods */
  constructor(niceness: number) {
    this.#child = new Child({
      ...{ name: 'the load generator', program: LIVE_GENERATOR_PROGRAM, niceness },
      onMessage: ({ period }) => {
        this.#periods.push(period)
        this.#tell?.()
      },
    })
    for (const stream of this.#child.output) stream.resume()
  }

  /** Of the generator. */
  get pid(): number {
    return this.#child.pid
  }

  /** Sends these requests from now on; those of the last load must have had all their periods. */
  begin(requests: readonly TimedRequest[], target: StreamTarget): void {
    this.#periods = []
    this.#child.send({ load: { ...target, requests: requests.map(({ atMs, path }) => [atMs, path]) } })
  }

  /** The next period, when it has ended. @throws {AdapterError} `process_ended`; the signal's reason */
  async next(signal: AbortSignal): Promise<LoadPeriod> {
    if (this.#periods.length === 0) await this.#untilTold(signal)
    return this.#periods.shift()!
  }

  async #untilTold(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    let stop = () => {}
    const told = new Promise<void>((resolve, reject) => {
      this.#tell = resolve
      stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop)
    })
    try {
      await Promise.race([told, this.#child.failWhenGone()])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Ends the generator, whatever it does. */
  async stop(): Promise<void> {
    this.#child.kill()
    await this.#child.gone
  }
}
