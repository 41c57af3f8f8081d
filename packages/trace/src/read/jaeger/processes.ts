import { Names } from '../../names.js'
import type { TraceBuilder } from '../../trace-builder.js'
import { ByteNames } from '../byte-names.js'
import { IDENTITY_KEYS, Identity, type Process } from '../identity.js'
import { END, type JsonCursor, NUMBER, OPEN_OBJECT, STRING } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { readTags } from './tags.js'

const PROCESS = new Keys(['serviceName', 'tags'])
const SERVICE_NAME = 0
const TAGS = 1

/**
 * The processes of a trace. They may be described before or after the spans that name them: until the trace is over,
 * a span's row holds a number from here in place of its service.
 */
export class JaegerProcesses {
  /** Of a span that names no process. */
  readonly none = 0
  readonly #cursor: JsonCursor
  readonly #builder: TraceBuilder
  readonly #names: ByteNames
  readonly #ids = new ByteNames(new Names())
  readonly #text: () => string
  /** By number of their id. */
  #named: (Process | undefined)[] = []
  /** Those described inside their span, by −1 − number. */
  #own: Process[] = []

  constructor(cursor: JsonCursor, builder: TraceBuilder, names: ByteNames) {
    this.#cursor = cursor
    this.#builder = builder
    this.#names = names
    this.#text = () => cursor.text()
  }

  /** Reads a span's process id. */
  readId(): number {
    const kind = this.#cursor.scalar()
    return kind === STRING || kind === NUMBER ? this.#number(this.#ids) : this.none
  }

  /** Reads a process that stands inside its span, as the storage backends write it. */
  readOwn(): number {
    const process = this.#readProcess()
    return process ? -this.#own.push(process) : this.none
  }

  /** Reads the next entry of a trace's `processes`. @returns false behind the last one */
  readEntry(): boolean {
    const cursor = this.#cursor
    if (!cursor.anyKey()) return false
    const id = this.#number(this.#ids)
    this.#named[id] = this.#readProcess()
    return true
  }

  /** Puts services, instances and hosts into all rows, and forgets the processes. */
  resolve(trace: number): void {
    const { columns, names } = this.#builder
    const { service, instance, host } = columns
    for (let row = 0; row < columns.size; row++) {
      const number = service[row]!
      const process = number < 0 ? this.#own[-1 - number] : this.#named[number]
      if (process) {
        service[row] = process.service
        instance[row] = process.instance
        host[row] = process.host
      } else {
        service[row] = names.number('unknown')
        this.#builder.repair(
          'unknown_process',
          trace,
          () => `${this.#builder.traceIds.text(trace)}/${columns.id.text(row)}`,
        )
      }
    }
    this.#named = []
    this.#own = []
  }

  #readProcess(): Process | undefined {
    const cursor = this.#cursor
    const identity = new Identity()
    let service = 0
    if (!cursor.enter(OPEN_OBJECT)) return undefined
    for (let key = cursor.key(PROCESS); key !== END; key = cursor.key(PROCESS)) {
      if (key === SERVICE_NAME) service = cursor.scalar() === STRING ? this.#number(this.#names) : 0
      else if (key === TAGS) {
        readTags(cursor, IDENTITY_KEYS, (tag, kind) => {
          if (kind === STRING || kind === NUMBER) identity.add(tag, this.#number(this.#names))
        })
      } else cursor.skip()
    }
    return { ...identity.process, service: service || identity.process.service }
  }

  #number(names: ByteNames): number {
    const { bytes, from, to } = this.#cursor
    return names.number(bytes, from, to, this.#text)
  }
}
