import type { Children } from './children.js'
import type { Names } from './names.js'
import { OwnTime } from './own-time.js'
import type { CriticalPath } from './path/types.js'
import { type Edge, FOLLOWS_FROM, KINDS, type Trace } from './types.js'

const [SERVER, CLIENT, PRODUCER, CONSUMER] = (['server', 'client', 'producer', 'consumer'] as const).map((kind) =>
  KINDS.indexOf(kind),
) as [number, number, number, number]
/** Children of a span of no known kind that is still nothing but a call: the answer, and the making of a connection. */
const MOST_OF_A_CALL = 2

/** Values of `Attribution.edge`. */
export const NO_EDGE = 0
export const CALL = 1
export const QUEUE = 2

/**
 * Whose the time of a request is; everything that divides it (profile, path, what-if, diff, culprits) divides it by this.
 *
 * A span's own time is its service's work. If the span is a call, its own time is that of the edge to the service that
 * answers: network, connection, and whatever queue is in front of the callee. What was handed over (FOLLOWS_FROM, producer →
 * consumer) waits in a queue from the end of the parent to its own start; that time is the edge's too, and no span's.
 *
 * A span is a call if its kind says so (client, producer) and just one service answers it. Of a span without a kind it is
 * guessed: below a span of its own service it does nothing but call one other service.
 */
export class Attribution {
  /** [N] row of the span that answers this one, which is a call; −1: it works. */
  answer: Int32Array = new Int32Array(64)
  /** [N] what leads from the parent to the span: `NO_EDGE` within a service, `CALL` or `QUEUE` between two. */
  edge: Uint8Array = new Uint8Array(64)
  /** [N] ns in which the span ran and no child did that it waited for. */
  ownNs: Float64Array = new Float64Array(0)
  /** [N] ns between the parent's end and the start of what was handed over. */
  queuedNs: Float64Array = new Float64Array(64)
  /** [N] the part of it that the path holds: all of it on a path to the end of the trace. */
  queuedSelfNs: Float64Array = new Float64Array(64)
  readonly #ownTime = new OwnTime()

  /** Of the trace that was asked about last. */
  get children(): Children {
    return this.#ownTime.children
  }

  /** Fills the columns, which hold until the next call. */
  of(path: CriticalPath): this {
    const { trace, background } = path
    const { size } = trace
    if (this.answer.length < size) {
      this.answer = new Int32Array(2 * size)
      this.edge = new Uint8Array(2 * size)
      this.queuedNs = new Float64Array(2 * size)
      this.queuedSelfNs = new Float64Array(2 * size)
    }
    this.ownNs = this.#ownTime.of(trace, background)
    this.#findQueues(path)
    for (let row = 0; row < size; row++) this.answer[row] = this.#answerOf(trace, row)
    return this
  }

  /** The edge that a section of the path is spent on; undefined where its span works. */
  edgeOf({ trace, row, endNs }: CriticalPath, section: number): Edge | undefined {
    const at = row[section]!
    if (endNs[section]! <= trace.startNs[at]! && trace.parent[at]! >= 0) return this.#edgeTo(trace, at)
    const answer = this.answer[at]!
    return answer < 0 ? undefined : this.#edgeTo(trace, answer)
  }

  #edgeTo({ names, service, parent }: Trace, row: number): Edge {
    return {
      caller: names.text(service[parent[row]!]!),
      callee: names.text(service[row]!),
      kind: this.edge[row] === QUEUE ? 'queue' : 'call',
    }
  }

  #findQueues({ trace, mode, size: sections, row: rows, startNs: from, endNs: to }: CriticalPath): void {
    const { size, parent, startNs, endNs } = trace
    this.queuedNs.fill(0, 0, size)
    this.queuedSelfNs.fill(0, 0, size)
    for (let row = 0; row < size; row++) {
      const above = parent[row]!
      this.edge[row] = above < 0 ? NO_EDGE : edgeBetween(trace, above, row)
      if (this.edge[row] === QUEUE) this.queuedNs[row] = Math.max(0, startNs[row]! - endNs[above]!)
    }
    if (mode !== 'to-trace-end') return
    for (let i = 0; i < sections; i++) {
      const row = rows[i]!
      if (to[i]! > startNs[row]! || parent[row]! < 0) continue
      this.edge[row] = QUEUE
      this.queuedSelfNs[row]! += to[i]! - from[i]!
    }
  }

  #answerOf(trace: Trace, row: number): number {
    const { kind, service, operation, names } = trace
    const { starts, rows } = this.children
    const from = starts[row]!
    const to = starts[row + 1]!
    if (to === from || kind[row] === SERVER || kind[row] === CONSUMER) return -1
    const isKnownCall = kind[row] === CLIENT || kind[row] === PRODUCER
    const isWithin = trace.parent[row]! >= 0 && this.edge[row] === NO_EDGE
    if (!isKnownCall && !(isWithin && to - from <= MOST_OF_A_CALL)) return -1
    let answer = -1
    for (let i = from; i < to; i++) {
      const child = rows[i]!
      if (this.edge[child] === NO_EDGE || (!isKnownCall && this.edge[child] === QUEUE)) continue
      if (answer >= 0 && service[child] !== service[answer]) return -1
      if (answer < 0 || isBefore(names, operation[child]!, operation[answer]!)) answer = child
    }
    return answer
  }
}

/** What leads from a span to its child. */
function edgeBetween({ service, kind, flags }: Trace, above: number, row: number): number {
  if ((kind[above] === PRODUCER && kind[row] === CONSUMER) || (flags[row]! & FOLLOWS_FROM) !== 0) return QUEUE
  return service[above] !== service[row] || (kind[above] === CLIENT && kind[row] === SERVER) ? CALL : NO_EDGE
}

const isBefore = (names: Names, name: number, other: number): boolean =>
  name !== other && names.text(name) < names.text(other)
