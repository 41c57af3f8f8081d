// Whether there is room for what is about to be asked for: quotas of the namespace, and the largest node.
import {
  type KubernetesClient,
  type KubernetesObject,
  parseQuantity,
  resource,
  type StringMap,
} from '@trimtab/kubernetes'
import type { ResourceAmounts } from '@trimtab/tasks/vpa'
import { type Sizes, toAmounts } from '../sizes.js'

interface NodeObject extends KubernetesObject {
  readonly spec?: { readonly unschedulable?: boolean }
  readonly status?: { readonly allocatable?: StringMap }
}

interface ResourceQuota extends KubernetesObject {
  readonly spec?: { readonly scopes?: readonly string[]; readonly scopeSelector?: object }
  readonly status?: { readonly hard?: StringMap; readonly used?: StringMap }
}

const NODES = resource<NodeObject>('v1', 'Node', 'nodes', false)
const QUOTAS = resource<ResourceQuota>('v1', 'ResourceQuota', 'resourcequotas')

/** What would be taken in addition. */
export interface Demand {
  readonly pods: number
  readonly cpuMilli: number
  readonly memoryBytes: number
}

/** The sum of what containers request. */
export function totalOf(sizes: Sizes): { [K in keyof ResourceAmounts]-?: number } {
  const sum = (of: keyof ResourceAmounts): number =>
    [...sizes.values()].reduce((total, amounts) => total + (amounts[of] ?? 0), 0)
  return { cpuMilli: sum('cpuMilli'), memoryBytes: sum('memoryBytes') }
}

/** Why no node could ever take such a pod; undefined: one could. Without nodes to see nothing is known, and nothing refused. */
export async function tooLargeForNodes(
  client: KubernetesClient,
  pod: Sizes,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client.list(NODES, { signal })
  const nodes = items.filter(({ spec }) => !spec?.unschedulable).map(({ status }) => toAmounts(status?.allocatable))
  const wanted = totalOf(pod)
  const hasRoom = ({ cpuMilli = 0, memoryBytes = 0 }: ResourceAmounts): boolean =>
    wanted.cpuMilli <= cpuMilli && wanted.memoryBytes <= memoryBytes
  if (nodes.length === 0 || nodes.some(hasRoom)) return undefined
  const largest = (of: keyof ResourceAmounts): number => Math.max(...nodes.map((node) => node[of] ?? 0))
  const said = (cpuMilli: number, memoryBytes: number): string =>
    `${cpuMilli}m CPU and ${Math.floor(memoryBytes / 2 ** 20)}Mi`
  return `a pod of ${said(wanted.cpuMilli, wanted.memoryBytes)} fits no node (up to ${said(largest('cpuMilli'), largest('memoryBytes'))})`
}

/** Why a quota would refuse; undefined: none would. Quotas for some pods only (scopes) are left to the server. */
export async function beyondQuota(
  client: KubernetesClient,
  namespace: string,
  demand: Demand,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await client.list(QUOTAS, { namespace, signal })
  const wanted: Readonly<Record<string, number>> = {
    pods: demand.pods,
    'count/pods': demand.pods,
    cpu: demand.cpuMilli / 1000,
    'requests.cpu': demand.cpuMilli / 1000,
    memory: demand.memoryBytes,
    'requests.memory': demand.memoryBytes,
  }
  for (const { metadata, spec, status } of items) {
    if (spec?.scopes?.length || spec?.scopeSelector) continue
    for (const [name, hard] of Object.entries(status?.hard ?? {})) {
      const [more = 0, used = '0'] = [wanted[name], status?.used?.[name]]
      if (more > 0 && parseQuantity(used) + more > parseQuantity(hard) * (1 + 1e-9))
        return `quota ${metadata?.name} has ${used} of ${hard} ${name} in use, and ${Number(more.toFixed(3))} more would be needed`
    }
  }
  return undefined
}
