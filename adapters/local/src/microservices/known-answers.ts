import { KINDS, type Span, type Trace, toSpans, traceFromSpans } from '@trimtab/trace'

const CLIENT = KINDS.indexOf('client')
const SERVER = KINDS.indexOf('server')

/** Who answers. */
interface Answer {
  readonly service: string
  readonly operation: string
}

/**
 * Who answers which call, as traces have shown it. A process that is starved of CPU time sends its spans too late as well, and a trace is
 * complete without them: then its callers seem to have worked for as long as they waited.
 */
export class KnownAnswers {
  readonly #answers = new Map<string, Answer>()

  /** Takes the answers of a trace that are there. */
  learn(trace: Trace): void {
    const { size, kind, parent, names, service, operation } = trace
    for (let row = 0; row < size; row++) {
      const above = parent[row]!
      if (kind[row] !== SERVER || above < 0 || kind[above] !== CLIENT) continue
      const answer = { service: names.text(service[row]!), operation: names.text(operation[row]!) }
      this.#answers.set(keyOf(names.text(service[above]!), names.text(operation[above]!)), answer)
    }
  }

  /**
   * The trace with an answer to every call whose answer has not come: whoever is late to tell is taken to have worked on it all the time.
   * @param instanceOf  of a service, that serves now
   */
  complete(trace: Trace, instanceOf: (service: string) => string | undefined): Trace {
    const isAnswered = new Set(trace.parent)
    const missing = Array.from(trace.kind.keys()).filter((row) => trace.kind[row] === CLIENT && !isAnswered.has(row))
    if (missing.length === 0) return trace
    const spans = toSpans(trace)
    const added = missing.flatMap((row): Span[] => {
      const call = spans[row]!
      const answer = this.#answers.get(keyOf(call.service, call.operation))
      if (!answer) return [] // of somebody who is not traced
      const { startUs, durationUs, traceId } = call
      const instance = instanceOf(answer.service)
      return [
        {
          ...answer,
          id: `${call.id}-answer`,
          parentId: call.id,
          kind: 'server',
          traceId,
          startUs,
          durationUs,
          instance,
        },
      ]
    })
    return added.length > 0 ? traceFromSpans([...spans, ...added]) : trace
  }
}

const keyOf = (service: string, operation: string): string => JSON.stringify([service, operation])
