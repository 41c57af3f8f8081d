import type { TraceBuilder } from '../trace-builder.js'
import type { Process } from './identity.js'

/**
 * Says who ran the newest rows. OTLP may describe a resource before or after its spans, so their rows are marked out
 * first and filled when the resource is over.
 */
export class ResourceRows {
  readonly #builder: TraceBuilder
  #first = 0
  #process: Process | undefined

  constructor(builder: TraceBuilder) {
    this.#builder = builder
  }

  describe(process: Process): void {
    this.#process = process
  }

  /** Fills the rows since the last call; without a service name they are "unknown", and counted. The next ones are another resource's. */
  close(): void {
    const { columns } = this.#builder
    const { service, instance = 0, host = 0 } = this.#process ?? {}
    for (let row = this.#first; row < columns.size; row++) {
      columns.service[row] = service || this.#countUnknown(row)
      columns.instance[row] = instance
      columns.host[row] = host
    }
    this.#first = columns.size
    this.#process = undefined
  }

  #countUnknown(row: number): number {
    const { columns, names, traceIds } = this.#builder
    const trace = columns.trace[row]!
    this.#builder.repair('unknown_process', trace, () => `${traceIds.text(trace)}/${columns.id.text(row)}`)
    return names.number('unknown')
  }
}
