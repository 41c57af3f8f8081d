import { type Attribution, NO_EDGE } from '../attribution.js'
import { ERROR, type Trace } from '../types.js'

/**
 * What a request shows of an operation beside its times:
 *
 * - `calls`: the operations that it called, a set;
 * - `stops`: whether it did nothing more for others after it had called `callee`, as one that gives up on the answer;
 * - `repeats`: whether it called `callee` more than once;
 * - `fails`: whether its span is an error that no call of its own explains.
 */
export interface Mark {
  readonly kind: 'calls' | 'stops' | 'repeats' | 'fails'
  readonly service: string
  readonly operation: string
  /** Of `stops` and `repeats`; of `fails` where the operation is nothing but a call. */
  readonly callee: string | undefined
  /** The set, sorted, those of other services after their service's name; of the other kinds one word if it is so, else none. */
  readonly seen: readonly string[]
}

const SEPARATOR = '\u0000'
const YES = ['yes']
const NO: readonly string[] = []

/** The mark that a text of `marksOf` stands for. */
export function markFrom(text: string): Mark {
  const [kind, service = '', operation = '', callee, ...seen] = text.split(SEPARATOR)
  return { kind: kind as Mark['kind'], service, operation, callee: callee || undefined, seen }
}

/** What may be seen in place of a mark: all of these are about the same. */
export const subjectOf = ({ kind, service, operation, callee = '' }: Mark): string =>
  [kind, service, operation, callee].join(SEPARATOR)

/** The service that a mark speaks against, if it is seen more often than usual. */
export function accusedBy({ kind, service, callee, seen }: Mark): string | undefined {
  return kind === 'calls' || seen.length > 0 ? (callee ?? service) : undefined
}

/**
 * The marks of a trace as texts, each with the part of the runs of its operation that show it: however often a request runs
 * an operation, it speaks once.
 * @param attribution  of this trace
 */
export function marksOf(trace: Trace, attribution: Attribution): Map<string, number> {
  const counts = new Map<string, number>()
  const runs = new Map<string, number>()
  const add = (kind: Mark['kind'], row: number, callee: string, seen: readonly string[]): void => {
    const subject = [kind, textOf(trace, 'service', row), textOf(trace, 'operation', row), callee].join(SEPARATOR)
    const text = [subject, ...seen].join(SEPARATOR)
    runs.set(subject, (runs.get(subject) ?? 0) + 1)
    counts.set(text, (counts.get(text) ?? 0) + 1)
    subjects.set(text, subject)
  }
  const subjects = new Map<string, string>()
  const { answer, children } = attribution
  for (let row = 0; row < trace.size; row++) {
    const called = children.rows.subarray(children.starts[row]!, children.starts[row + 1]!)
    const isFailing = isError(trace, row) && !called.some((child) => isError(trace, child))
    const answered = answer[row]!
    add('fails', row, answered < 0 ? '' : textOf(trace, 'service', answered), isFailing ? YES : NO)
    if (answered >= 0) continue // nothing but a call
    const names = Array.from(called, (child) => nameFor(trace, row, child))
    add('calls', row, '', [...new Set(names)].sort())
    const callees = calleesOf(trace, attribution, called)
    let lastNs = Number.NEGATIVE_INFINITY
    for (const { startNs } of callees.values()) lastNs = Math.max(lastNs, startNs)
    for (const [callee, { startNs, calls }] of callees) {
      add('stops', row, callee, startNs === lastNs ? YES : NO)
      add('repeats', row, callee, calls > 1 ? YES : NO)
    }
  }
  return new Map([...counts].map(([text, count]) => [text, count / runs.get(subjects.get(text)!)!]))
}

/** For each service that answered these calls, how many it answered and when the last of them started. */
function calleesOf(
  trace: Trace,
  { answer, edge }: Attribution,
  called: Int32Array,
): Map<string, { startNs: number; calls: number }> {
  const callees = new Map<string, { startNs: number; calls: number }>()
  for (const child of called) {
    const answering = edge[child] === NO_EDGE ? answer[child]! : child
    if (answering < 0) continue
    const callee = textOf(trace, 'service', answering)
    const calls = (callees.get(callee)?.calls ?? 0) + 1
    callees.set(callee, { startNs: trace.startNs[child]!, calls }) // children are in order of their start
  }
  return callees
}

function nameFor(trace: Trace, row: number, child: number): string {
  const operation = textOf(trace, 'operation', child)
  return trace.service[child] === trace.service[row] ? operation : `${textOf(trace, 'service', child)} ${operation}`
}

const isError = ({ flags }: Trace, row: number): boolean => (flags[row]! & ERROR) !== 0

const textOf = (trace: Trace, column: 'service' | 'operation', row: number): string =>
  trace.names.text(trace[column][row]!)
