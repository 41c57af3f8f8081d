/** Rows that may run together: the same group, in order of arrival. */
export interface BatcherOptions<Row, Result> {
  readonly maxBatch: number
  readonly groupOf: (row: Row) => number
  readonly run: (rows: readonly Row[]) => Promise<readonly Result[]>
}

interface Waiting<Row, Result> {
  readonly row: Row
  readonly group: number
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Gathers rows that are asked for while a run is going on, and runs them together: the oldest first, with those of its group.
 * One run at a time; a run that fails fails for its own rows only.
 */
export class Batcher<Row, Result> {
  readonly #options: BatcherOptions<Row, Result>
  #waiting: Waiting<Row, Result>[] = []
  #isRunning = false

  constructor(options: BatcherOptions<Row, Result>) {
    this.#options = options
  }

  add(row: Row): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, group: this.#options.groupOf(row), resolve, reject })
      if (!this.#isRunning) this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    await undefined // what is asked for in the same turn comes along
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      try {
        const results = await this.#options.run(batch.map(({ row }) => row))
        for (const [i, { resolve }] of batch.entries()) resolve(results[i]!)
      } catch (reason) {
        for (const { reject } of batch) reject(reason)
      }
    }
    this.#isRunning = false
  }

  #take(): Waiting<Row, Result>[] {
    const batch: Waiting<Row, Result>[] = []
    const { group } = this.#waiting[0]!
    this.#waiting = this.#waiting.filter((one) => {
      const comes = one.group === group && batch.length < this.#options.maxBatch
      if (comes) batch.push(one)
      return !comes
    })
    return batch
  }
}
