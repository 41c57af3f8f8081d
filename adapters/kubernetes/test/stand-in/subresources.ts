// scale, eviction and resize: what they read and write of their object.
import type { Container, LabelSelector } from '../../src/index.js'
import type { Kind } from './kinds.js'
import { asBudget, asPod, at, type Fields, isFields, isSame, type Stored } from './objects.js'
import type { Registry, Writer } from './registry.js'
import { formatSelector, matches } from './selectors.js'
import { badRequest, invalid, StatusError, tooManyRequests } from './status-error.js'
import { resourceCauses } from './strategies.js'

/** What `GET …/scale` answers. */
export function toScale({ scalePaths }: Kind, object: Stored): Stored {
  const { spec, status, selector } = scalePaths!
  const labels = object.spec?.selector as LabelSelector | undefined
  const selected = selector ? at(object, selector) : labels && formatSelector(labels)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, spec) ?? 0 },
    status: { replicas: at(object, status) ?? 0, ...(selected ? { selector: selected } : {}) },
  }
}

/** @throws StatusError 422 */
export function withScale(_kind: Kind, object: Stored, scale: unknown): Stored {
  const replicas = at(scale, 'spec.replicas') ?? 0
  const of = { kind: 'Scale', plural: 'scales', group: 'autoscaling' }
  if (!Number.isInteger(replicas) || Number(replicas) < 0)
    throw invalid(of, object.metadata.name, [
      {
        field: 'spec.replicas',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
      },
    ])
  const version = at(scale, 'metadata.resourceVersion')
  const metadata = typeof version === 'string' ? { ...object.metadata, resourceVersion: version } : object.metadata
  return { ...object, metadata, spec: { ...object.spec, replicas } }
}

/**
 * Evicts a pod if every disruption budget that covers it allows it.
 * @throws StatusError 429 where none may go now; 500 where more than one budget covers it, as Kubernetes has it
 */
export async function evict(
  registry: Registry,
  pods: Kind,
  namespace: string,
  name: string,
  body: unknown,
  writer: Writer,
): Promise<object> {
  const pod = registry.get(pods, namespace, name)
  const success = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 }
  const options = (isFields(body) && isFields(body.deleteOptions) ? body.deleteOptions : {}) as Fields
  const budgets = registry.store.list('policy/poddisruptionbudgets', namespace).filter(({ spec }) => covers(spec, pod))
  if (budgets.length > 1 && isHealthy(pod))
    throw new StatusError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  const [budget] = budgets
  if (budget && isHealthy(pod)) await takeFrom(registry, budget, writer)
  if (!writer.isDryRun) registry.delete(pods, namespace, name, options)
  return success
}

const covers = (spec: Fields | undefined, { metadata }: Stored): boolean =>
  matches((spec?.selector ?? {}) as LabelSelector, metadata.labels)

const isHealthy = (pod: Stored): boolean =>
  (asPod(pod).status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')

async function takeFrom(registry: Registry, { metadata }: Stored, writer: Writer): Promise<void> {
  const { name, namespace } = metadata
  const kind = registry.kinds.find(({ plural }) => plural === 'poddisruptionbudgets')!
  const take = (live: Stored): Stored => {
    const { disruptionsAllowed = 0, observedGeneration = 0 } = (live.status ?? {}) as {
      disruptionsAllowed?: number
      observedGeneration?: number
    }
    if (observedGeneration < (live.metadata.generation ?? 0))
      throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10, [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} is still being processed by the server.`,
        },
      ])
    if (disruptionsAllowed <= 0) {
      const { currentHealthy, desiredHealthy } = asBudget(live).status!
      const message = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
      throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0, [
        { reason: 'DisruptionBudget', message },
      ])
    }
    return { ...live, status: { ...live.status, disruptionsAllowed: disruptionsAllowed - 1 } }
  }
  await registry.change(kind, namespace, name, take, { ...writer, subresource: 'status' })
}

/** @throws StatusError 422 where more than resources of containers would change */
export function withResize(kind: Kind, live: Stored, wanted: unknown): Stored {
  const before = containersOf(live)
  const after = containersOf(wanted as Stored)
  if (before.length !== after.length) throw badRequest('containers cannot be added or removed by resize')
  const causes = after.flatMap((container, index) => {
    const { resources, ...rest } = container
    const { resources: _, ...restBefore } = before[index]!
    const field = `spec.containers[${index}]`
    if (!isSame(rest, restBefore))
      return [{ field, reason: 'FieldValueForbidden', message: 'Forbidden: only cpu and memory resources are mutable' }]
    return resourceCauses(resources, `${field}.resources`)
  })
  if (causes.length > 0) throw invalid(kind, live.metadata.name, causes)
  return { ...live, spec: { ...live.spec, containers: after } }
}

const containersOf = (pod: Stored): readonly Container[] => asPod(pod).spec?.containers ?? []
