import type { RequestTelemetry } from '@trimtab/tasks/microservices'
import { ERROR, KINDS, type Trace } from '@trimtab/trace'

const [SERVER, CLIENT, PRODUCER, CONSUMER] = (['server', 'client', 'producer', 'consumer'] as const).map((kind) =>
  KINDS.indexOf(kind),
) as [number, number, number, number]

/** What spans say of one instance. */
export interface VisitTally {
  arrivals: number
  /** From arrival to response. */
  sojournNs: number
  /** On the way to it, and in front of it: what its callers waited beyond that. */
  wayNs: number
  /** [request types] */
  readonly mix: Float64Array
}

/** Visits by instance. @param requests  types of requests, by what their first span does */
export function tallyVisits(traces: readonly Trace[], requests: readonly string[]): ReadonlyMap<string, VisitTally> {
  const tallies = new Map<string, VisitTally>()
  for (const trace of traces) {
    const { size, kind, parent, startNs, endNs, names, instance, operation, root } = trace
    const type = requests.indexOf(names.text(operation[root]!))
    for (let row = 0; row < size; row++) {
      if (kind[row] !== SERVER && kind[row] !== CONSUMER) continue
      const tally = tallyOf(tallies, names.text(instance[row]!), requests.length)
      tally.arrivals++
      tally.sojournNs += endNs[row]! - startNs[row]!
      if (type >= 0) tally.mix[type]! += 1
      const above = parent[row]!
      if (above < 0) continue
      if (kind[above] === CLIENT)
        tally.wayNs += Math.max(0, endNs[above]! - startNs[above]! - (endNs[row]! - startNs[row]!))
      if (kind[above] === PRODUCER) tally.wayNs += Math.max(0, startNs[row]! - endNs[above]!)
    }
  }
  return tallies
}

function tallyOf(tallies: Map<string, VisitTally>, instance: string, types: number): VisitTally {
  const known = tallies.get(instance)
  if (known) return known
  const tally = { arrivals: 0, sojournNs: 0, wayNs: 0, mix: new Float64Array(types) }
  tallies.set(instance, tally)
  return tally
}

/** How requests fared, as far as they were traced. @param groups  traces by type of request */
export const requestTelemetry = (
  requests: readonly string[],
  groups: ReadonlyMap<string, readonly Trace[]>,
): RequestTelemetry[] =>
  requests.map((name) => {
    const traces = groups.get(name) ?? []
    const refused = traces.filter(({ flags, root }) => (flags[root]! & ERROR) !== 0).length
    return {
      ...{ name, arrivals: traces.length, served: traces.length - refused, timedOut: 0, refused },
      latenciesMs: Float64Array.from(
        traces,
        ({ startNs, endNs, root }) => (endNs[root]! - startNs[root]!) / 1e6,
      ).sort(),
    }
  })
