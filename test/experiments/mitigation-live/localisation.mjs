// Whom traces named while something was wrong, against the truth of the injector.
import { RESOURCE_OF } from '@trimtab/tasks/microservices'

/** Telemetry is late: what is seen until then is of the anomaly. */
const LAG_SECONDS = 3

const isOfEdge = (kind) => kind.startsWith('network')
/** What a kind makes short; more load needs more of what the service works with. */
const trueResource = (kind) => (isOfEdge(kind) ? 'network' : (RESOURCE_OF[kind] ?? 'cpu'))

/**
 * For each anomaly of a block: what the first window says that names anybody while it is there, by the largest part of what was added.
 * @returns `{ kind, service, isNamed, afterSeconds, named, isService, isPlace, resource, isResource }` each
 */
export const locate = ({ struck, ticks }) =>
  struck.map(({ kind, service, startSeconds, durationSeconds }) => {
    const first = ticks.find(
      ({ atSecond, culprits }) =>
        culprits.length > 0 && atSecond > startSeconds && atSecond <= startSeconds + durationSeconds + LAG_SECONDS,
    )
    if (!first) return { kind, service, isNamed: false }
    const [culprit] = first.culprits
    const isService = culprit.service === service
    return {
      ...{ kind, service, isNamed: true, afterSeconds: first.atSecond - startSeconds },
      named: culprit.edge ? `${culprit.edge.caller} → ${culprit.edge.callee}` : culprit.service,
      ...{ isService, isPlace: isService && Boolean(culprit.edge) === isOfEdge(kind) },
      ...{ resource: culprit.resource, isResource: isService && culprit.resource === trueResource(kind) },
    }
  })
