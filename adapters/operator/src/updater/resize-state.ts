import type { PodObject } from '@trimtab/kubernetes'
import { toAmounts } from '../sizes.js'

/** How a resize in place stands: under way, waiting for room on the node, or impossible there. */
export interface ResizeState {
  readonly state: 'InProgress' | 'Deferred' | 'Infeasible'
  readonly message: string
}

/** Whether containers have what they request: what a condition says of a resize before is over then. */
function isInForce({ spec, status }: PodObject): boolean {
  const given = new Map(status?.containerStatuses?.map(({ name, resources }) => [name, resources]))
  return (spec?.containers ?? []).every(({ name, resources }) => {
    const [wanted, has] = [toAmounts(resources?.requests), toAmounts(given.get(name)?.requests)]
    return wanted.cpuMilli === has.cpuMilli && wanted.memoryBytes === has.memoryBytes
  })
}

/** Of a pod whose resize is not in force yet; undefined: there is none. Told by conditions from 1.33 on, before by `status.resize`. */
export function resizeStateOf(pod: PodObject): ResizeState | undefined {
  if (isInForce(pod)) return undefined
  const { status } = pod
  const holds = (wanted: string) => status?.conditions?.find(({ type, status }) => type === wanted && status === 'True')
  const pending = holds('PodResizePending')
  const progress = holds('PodResizeInProgress')
  const state = pending?.reason ?? (progress ? 'InProgress' : status?.resize)
  if (state === undefined || state === '') return undefined
  const message = pending?.message ?? progress?.message ?? ''
  return { state: state === 'Infeasible' || state === 'Deferred' ? state : 'InProgress', message }
}
