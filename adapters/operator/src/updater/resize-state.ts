import type { PodObject } from '@trimtab/kubernetes'

/** How a resize in place stands: under way, waiting for room on the node, or impossible there. */
export interface ResizeState {
  readonly state: 'InProgress' | 'Deferred' | 'Infeasible'
  readonly message: string
}

/** Of a pod whose resize is not in force yet; undefined: there is none. Told by conditions from 1.33 on, before by `status.resize`. */
export function resizeStateOf({ status }: PodObject): ResizeState | undefined {
  const holds = (wanted: string) => status?.conditions?.find(({ type, status }) => type === wanted && status === 'True')
  const pending = holds('PodResizePending')
  const progress = holds('PodResizeInProgress')
  const state = pending?.reason ?? (progress ? 'InProgress' : status?.resize)
  if (state === undefined || state === '') return undefined
  const message = pending?.message ?? progress?.message ?? ''
  return { state: state === 'Infeasible' || state === 'Deferred' ? state : 'InProgress', message }
}
