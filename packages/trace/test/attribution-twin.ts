import { FOLLOWS_FROM, KINDS, type Trace } from '../src/types.js'

const kindOf = (trace: Trace, row: number) => KINDS[trace.kind[row]!]
const serviceOf = (trace: Trace, row: number) => trace.names.text(trace.service[row]!)

/** Whether a span was handed over by its parent, called by it, or is part of it. */
function hop(trace: Trace, row: number): 'queue' | 'call' | undefined {
  const parent = trace.parent[row]!
  if (parent < 0) return undefined
  if (trace.flags[row]! & FOLLOWS_FROM) return 'queue'
  if (kindOf(trace, parent) === 'producer' && kindOf(trace, row) === 'consumer') return 'queue'
  if (kindOf(trace, parent) === 'client' && kindOf(trace, row) === 'server') return 'call'
  return serviceOf(trace, parent) === serviceOf(trace, row) ? undefined : 'call'
}

/** Whose a span's own time is, by name, in words of the rule and as slow as that: `cart`, `front → cart (call)`. */
export function ownerTwin(trace: Trace, row: number): string {
  const own = serviceOf(trace, row)
  const kind = kindOf(trace, row)
  const children = Array.from(trace.parent.keys()).filter((child) => trace.parent[child] === row)
  if (kind === 'server' || kind === 'consumer') return own
  const saysSo = kind === 'client' || kind === 'producer'
  const isEntry = trace.parent[row]! < 0 || hop(trace, row) !== undefined
  if (!saysSo && (isEntry || children.length > 2)) return own
  const answers = children.filter((child) => hop(trace, child) === 'call' || (saysSo && hop(trace, child) === 'queue'))
  const callees = new Set(answers.map((child) => serviceOf(trace, child)))
  return callees.size === 1 ? `${own} → ${[...callees][0]} (${hop(trace, answers[0]!)})` : own
}
