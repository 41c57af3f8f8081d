import { ConfigError } from '@trimtab/core'
import { Attribution, QUEUE } from '../attribution.js'
import { Names } from '../names.js'
import type { CriticalPath } from '../path/types.js'
import type { Edge, Trace } from '../types.js'
import { type Mark, markFrom, marksOf } from './marks.js'

/** What one trace says about its services, small enough to keep. P: its spans, then Q: waits in queues; M: its marks. */
export interface Observation {
  readonly traceId: string
  /** [P + Q] where the time was spent, a number of `CulpritWindow.contexts`. */
  readonly context: Int32Array
  /** [P + Q] ns in which no child was running that the span waited for; ns of the wait. */
  readonly exclusiveNs: Float64Array
  /** [P + Q] ns that the request waited for this itself. */
  readonly onPathNs: Float64Array
  /** [M] what was seen beside times, a number of `CulpritWindow.mark`. */
  readonly mark: Int32Array
  /** [M] part of the runs of the mark's operation that show it, in this trace. */
  readonly markPart: Float64Array
}

/**
 * A place where requests spend time: an operation's own work, or (`callee` given) the way from it to another service, which
 * is where a slow or distant callee shows. See `Attribution`.
 */
export interface CulpritContext {
  readonly service: string
  readonly operation: string
  readonly callee?: string | undefined
  readonly calleeOperation?: string | undefined
  /** Of the way to `callee`. */
  readonly kind?: Edge['kind'] | undefined
}

/** How much a window keeps. */
export interface CulpritWindowOptions {
  /** Most traces kept; of more, those with the smallest hashes of their ids: a fair sample of any number. Default 1000. */
  readonly maxTraces?: number
}

const SEPARATOR = '\u0000'

/**
 * The traces of one stretch of time, kept as what `rankCulprits` compares. Order of arrival means nothing, windows
 * merge, and memory is bounded by `maxTraces`.
 */
export class CulpritWindow {
  readonly maxTraces: number
  readonly #contexts = new Names()
  readonly #marks = new Names()
  readonly #attribution = new Attribution()
  #seen = 0
  /** Of a kept trace, once there are as many as may be kept. */
  #highestHash = Infinity
  #kept: { observation: Observation; hash: number }[] = []

  constructor(options: CulpritWindowOptions = {}) {
    this.maxTraces = options.maxTraces ?? 1000
    if (!(Number.isInteger(this.maxTraces) && this.maxTraces > 0))
      throw new ConfigError('config_invalid', `maxTraces must be a whole number above 0, got ${options.maxTraces}`)
  }

  /** Traces added, kept or not. */
  get traces(): number {
    return this.#seen
  }

  /** Takes one trace with its critical path; nothing of it is kept beside numbers. */
  add(path: CriticalPath): void {
    const { trace } = path
    this.#seen++
    const hash = hashText(trace.traceId)
    if (hash > this.#highestHash) return // cannot be among the kept
    const places = this.#placesOf(path) // and the attribution that marks are read from
    this.#keep({ traceId: trace.traceId, ...places, ...this.#marksOf(trace) }, hash)
  }

  /** Adds what `other` holds; the same as having added its traces here. */
  merge(other: CulpritWindow): void {
    const contexts = renumber(other.#contexts, this.#contexts)
    const marks = renumber(other.#marks, this.#marks)
    for (const { observation, hash } of other.#kept) {
      const context = observation.context.map((number) => contexts[number]!)
      const mark = observation.mark.map((number) => marks[number]!)
      this.#keep({ ...observation, context, mark }, hash)
    }
    this.#seen += other.#seen
  }

  /** The kept traces, in the order of their hashes. */
  observations(): readonly Observation[] {
    this.#trim()
    return this.#kept.map(({ observation }) => observation)
  }

  /** What the number of a context in `observations` stands for. */
  context(number: number): CulpritContext {
    const [service = '', operation = '', callee, calleeOperation, kind] = this.#contexts.text(number).split(SEPARATOR)
    return { service, operation, callee, calleeOperation, kind: kind as Edge['kind'] | undefined }
  }

  /** The name of a context, the same in every window. */
  contextKey(number: number): string {
    return this.#contexts.text(number)
  }

  /** What the number of a mark in `observations` stands for. */
  mark(number: number): Mark {
    return markFrom(this.#marks.text(number))
  }

  #keep(observation: Observation, hash: number): void {
    this.#kept.push({ observation, hash })
    if (this.#kept.length >= 2 * this.maxTraces) this.#trim()
  }

  #trim(): void {
    this.#kept.sort((a, b) => a.hash - b.hash || (a.observation.traceId < b.observation.traceId ? -1 : 1))
    if (this.#kept.length < this.maxTraces) return
    this.#kept.length = this.maxTraces
    this.#highestHash = this.#kept.at(-1)!.hash
  }

  #placesOf(path: CriticalPath): Pick<Observation, 'context' | 'exclusiveNs' | 'onPathNs'> {
    const { trace, selfNs } = path
    const { size, parent } = trace
    const { answer, edge, ownNs, queuedNs, queuedSelfNs } = this.#attribution.of(path)
    const wayTo = (from: number, to: number): number => {
      const kind: Edge['kind'] = edge[to] === QUEUE ? 'queue' : 'call'
      return this.#contexts.number([nameOf(trace, from), nameOf(trace, to), kind].join(SEPARATOR))
    }
    const waits = Array.from(queuedNs.subarray(0, size).keys()).filter((row) => queuedNs[row]! > 0)
    const context = new Int32Array(size + waits.length)
    const exclusiveNs = new Float64Array(size + waits.length)
    const onPathNs = new Float64Array(size + waits.length)
    for (let row = 0; row < size; row++) {
      const answered = answer[row]!
      context[row] = answered < 0 ? this.#contexts.number(nameOf(trace, row)) : wayTo(row, answered)
      exclusiveNs[row] = ownNs[row]!
      onPathNs[row] = selfNs[row]! - queuedSelfNs[row]!
    }
    for (const [i, row] of waits.entries()) {
      context[size + i] = wayTo(parent[row]!, row)
      exclusiveNs[size + i] = queuedNs[row]!
      onPathNs[size + i] = queuedSelfNs[row]!
    }
    return { context, exclusiveNs, onPathNs }
  }

  #marksOf(trace: Trace): Pick<Observation, 'mark' | 'markPart'> {
    const marks = marksOf(trace, this.#attribution)
    return {
      mark: Int32Array.from(marks.keys(), (text) => this.#marks.number(text)),
      markPart: Float64Array.from(marks.values()),
    }
  }
}

const nameOf = ({ names, service, operation }: Trace, row: number): string =>
  `${names.text(service[row]!)}${SEPARATOR}${names.text(operation[row]!)}`

/** For each number of `from`, the number of the same text in `to`. */
function renumber(from: Names, to: Names): Int32Array {
  return Int32Array.from({ length: from.size }, (_, number) => to.number(from.text(number)))
}

/** FNV-1a over UTF-16 code units, 32-bit. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // FNV's low bits are weak for short ids: mix once (murmur3's finaliser)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
