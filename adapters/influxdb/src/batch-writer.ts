import { backOffMs, type Sleep } from '@trimtab/control'
import { AdapterError, ConfigError, type Logger } from '@trimtab/core'
import { type InfluxServer, Unavailable } from './server.js'

/** Lines of one request. */
const BATCH_LINES = 1000

interface Pending {
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** How the writer waits and speaks. */
export interface BatchWriterOptions {
  readonly maxPending: number
  readonly sleep: Sleep
  readonly logger: Logger | undefined
}

/**
 * Sends lines in order, one request at a time; what comes meanwhile is the next batch. What the database does not take is kept and sent
 * again, with back-off, until it does: a line is the same point each time, so none is there twice. A batch that is refused is halved until
 * the line at fault stands alone.
 */
export class BatchWriter {
  readonly #server: InfluxServer
  readonly #options: BatchWriterOptions
  readonly #pending: Pending[] = []
  readonly #stop = new AbortController()
  #work: Promise<void> | undefined
  #failures = 0 // in a row

  constructor(server: InfluxServer, options: BatchWriterOptions) {
    this.#server = server
    this.#options = options
  }

  /** Lines that the database has not acknowledged. */
  get pending(): number {
    return this.#pending.length
  }

  /**
   * Takes a line; resolves once the database has acknowledged it, rejects with `influxdb_refused` when it never will, with
   * `trajectory_store_disposed` when it was given up.
   * @throws {AdapterError} `influxdb_backlog_full`: not taken
   * @throws {ConfigError} `trajectory_store_disposed`: not taken
   */
  add(line: string): Promise<void> {
    this.#stop.signal.throwIfAborted()
    const { maxPending } = this.#options
    if (this.#pending.length >= maxPending) {
      const message = `InfluxDB owes answers to ${maxPending} steps; this one is not taken (bring it back, or raise maxPending)`
      throw new AdapterError('influxdb_backlog_full', message)
    }
    const stored = new Promise<void>((resolve, reject) => this.#pending.push({ line, resolve, reject }))
    this.#work ??= this.#drain()
    return stored
  }

  /** Resolves when nothing is pending. */
  async settled(): Promise<void> {
    await this.#work
  }

  /** Gives up what is pending. */
  dispose(): void {
    if (this.#stop.signal.aborted) return
    const reason = new ConfigError(
      'trajectory_store_disposed',
      'the trajectory store was disposed; what was pending may not be stored',
    )
    this.#stop.abort(reason)
    for (const { reject } of this.#pending.splice(0)) reject(reason)
  }

  async #drain(): Promise<void> {
    await Promise.resolve() // what is appended together goes together
    while (this.#pending.length > 0) await this.#send(Math.min(BATCH_LINES, this.#pending.length))
    this.#work = undefined
  }

  /** Settles the first `count` lines. */
  async #send(count: number): Promise<void> {
    const batch = this.#pending.slice(0, count)
    try {
      await this.#server.write(
        batch.map(({ line }) => line),
        this.#stop.signal,
      )
      this.#noteSuccess()
      for (const { resolve } of this.#pending.splice(0, count)) resolve()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (!(error instanceof AdapterError && error.code === 'influxdb_refused')) await this.#waitAfter(error)
      else if (count > 1) await this.#send(Math.ceil(count / 2))
      else this.#pending.shift()!.reject(error)
    }
  }

  async #waitAfter(error: unknown): Promise<void> {
    if (this.#failures++ === 0)
      this.#options.logger?.warn('InfluxDB does not take steps; they are kept and sent again', { error })
    const asked = error instanceof Unavailable ? error.retryAfterMs : 0
    await this.#options.sleep(Math.max(asked, backOffMs(this.#failures)), this.#stop.signal)
  }

  #noteSuccess(): void {
    if (this.#failures > 0) this.#options.logger?.info('InfluxDB takes steps again')
    this.#failures = 0
  }
}
