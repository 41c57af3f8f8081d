// The workload in question, as the API server has it: three reads.
import {
  type ApiResource,
  DEPLOYMENTS,
  type KubernetesClient,
  type LabelSelector,
  PODS,
  REPLICA_SETS,
  resource,
  type WorkloadObject,
} from '@trimtab/kubernetes'
import { readWorkload } from '@trimtab/operator'
import { suggestion, UsageError } from '../options.js'

interface TargetKind {
  readonly kind: ApiResource<WorkloadObject>
  readonly words: readonly string[]
  /** What comes behind the name in the names of its pods, for a regular expression. */
  readonly podSuffix: string
}

const KINDS: readonly TargetKind[] = [
  { kind: DEPLOYMENTS, words: ['deployment', 'deployments', 'deploy'], podSuffix: '-[a-z0-9]+-[a-z0-9]+' },
  {
    kind: resource('apps/v1', 'StatefulSet', 'statefulsets'),
    words: ['statefulset', 'statefulsets', 'sts'],
    podSuffix: '-[0-9]+',
  },
  { kind: REPLICA_SETS, words: ['replicaset', 'replicasets', 'rs'], podSuffix: '-[a-z0-9]+' },
]

/** A workload and what is in force, as the operator sees it. */
export type Workload = NonNullable<ReturnType<typeof readWorkload>>

/** What a call names: `deployment/web`, or `web` for a Deployment. */
export interface Target {
  readonly kind: ApiResource<WorkloadObject>
  readonly name: string
  /** Matches the names of its pods, those that are gone too. */
  readonly podPattern: string
}

/** @throws {UsageError} */
export function readTarget(text: string): Target {
  const [word, name] = text.includes('/') ? text.split('/', 2) : ['deployment', text]
  const found = KINDS.find(({ words }) => words.includes(word!.toLowerCase()))
  if (!found || !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name ?? '')) {
    const words = KINDS.map(({ words: [first] }) => first!)
    const near = found ? '' : suggestion(word!, words, '')
    throw new UsageError(`a workload is KIND/NAME of ${words.join(', ')}, got ${JSON.stringify(text)}${near}`)
  }
  const { kind, podSuffix } = found
  return { kind, name: name!, podPattern: name!.replaceAll('.', '\\\\.') + podSuffix }
}

/**
 * What it is made of and what is in force.
 * @throws {KubernetesError} `api_not_found`, …; {UsageError} where it requests nothing that could be judged
 */
export async function inspectTarget(
  client: KubernetesClient,
  { kind, name }: Target,
  namespace: string,
  signal: AbortSignal,
): Promise<Workload> {
  const object = await client.get(kind, { namespace, name }, { signal })
  const labelSelector = selectorText(object.spec?.selector)
  const pods = await client.list(PODS, { namespace, labelSelector, signal })
  const workload = readWorkload(object, pods.items)
  const what = `${kind.kind} ${name} in ${namespace}`
  if (workload === undefined) throw new UsageError(`${what} has no containers`)
  const { replicas, coresPerReplica, memoryMiBPerReplica } = workload.inForce
  if (replicas === 0) throw new UsageError(`${what} is scaled to 0: there is nothing to judge`)
  if (!(coresPerReplica > 0 && memoryMiBPerReplica > 0))
    throw new UsageError(
      `container ${workload.container} of ${what} must request cpu and memory: what it has is unknown`,
    )
  return workload
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(',')})`
  })
  return [...labels, ...expressions].join(',')
}
