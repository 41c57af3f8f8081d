import type { CoreMath } from '@trimtab/core'
import type { ServerlessSpec } from './platform-spec.js'
import { createTenantTelemetry, type TenantAllocation, type TenantTelemetry } from './telemetry.js'

/** Steps over which an agent sees the largest demand. */
export const DEMAND_WINDOW = 6

/** What is known of one tenant behind a step: its telemetry and what it was before. */
export interface TenantView {
  telemetry: Readonly<TenantTelemetry>
  arrivalsBefore: number
  /** Largest `demandContainers` of the last `DEMAND_WINDOW` steps. */
  largestDemand: number
  /** What the last action changed in what is asked for. */
  sharesChange: number
  containersChange: number
  /** Since the last step with a request, and what that was between requests so far: its moving mean and mean deviation. */
  idleSeconds: number
  meanIdleSeconds: number
  idleDeviationSeconds: number
  /** `demandContainers` as it was over the last minutes: a slow moving mean. */
  meanDemand: number
  /** What the tenant's rule would ask for now, where one advises. */
  readonly advice: TenantAllocation
}

/** Of a tenant that just came. */
export const NEVER_CALLED = { idleSeconds: 0, meanIdleSeconds: 0, idleDeviationSeconds: 0, meanDemand: 0 } as const

/** A view to be filled. */
export const createTenantView = (): TenantView => ({
  telemetry: createTenantTelemetry(),
  arrivalsBefore: 0,
  largestDemand: 0,
  sharesChange: 0,
  containersChange: 0,
  ...NEVER_CALLED,
  advice: { containers: 0, shares: 0, keepAliveSeconds: 0 },
})

/** Keeps what the changes of a step are measured from: before its telemetry is there. */
export function beginStep(view: TenantView): void {
  const { arrivals, shares, containers } = view.telemetry
  view.arrivalsBefore = arrivals
  view.sharesChange = -shares
  view.containersChange = -containers
}

/** Says what the step has changed: when its telemetry is there. */
export function endStep(view: TenantView): void {
  const { shares, containers } = view.telemetry
  view.sharesChange = shares + view.sharesChange || 0 // NaN of one that came or went
  view.containersChange += containers
}

const IDLE_MEMORY = 0.8 // of the moving means
const DEMAND_MEMORY = 0.95

/** Takes in the load of the step just ended: how large it was, and whether there was any. */
export function rememberStep(view: TenantView): void {
  const { arrivals, stepSeconds, demandContainers } = view.telemetry
  const { meanDemand } = view
  const isFirstStep = view.idleSeconds === 0
  view.meanDemand = isFirstStep ? demandContainers : meanDemand + (1 - DEMAND_MEMORY) * (demandContainers - meanDemand)
  if (arrivals > 0) {
    const { idleSeconds, meanIdleSeconds } = view
    const isFirst = meanIdleSeconds === 0
    const error = idleSeconds - meanIdleSeconds
    view.meanIdleSeconds = isFirst ? idleSeconds : meanIdleSeconds + (1 - IDLE_MEMORY) * error
    const deviation = isFirst ? 0 : Math.abs(error)
    view.idleDeviationSeconds += (1 - IDLE_MEMORY) * (deviation - view.idleDeviationSeconds)
    view.idleSeconds = 0
  }
  view.idleSeconds += stepSeconds
}

/** What numbers are measured against. */
export interface ClusterScale {
  readonly math: CoreMath
  readonly bounds: ServerlessSpec['bounds']
  readonly cores: number
  readonly memoryMiB: number
  /** Of a container of the function that holds most. */
  readonly largestContainerMiB: number
}

/** The scale of a spec. */
export function clusterScale(math: CoreMath, { bounds, invokers, functions }: ServerlessSpec): ClusterScale {
  return {
    math,
    bounds,
    cores: invokers.reduce((sum, { count, cores }) => sum + count * cores, 0),
    memoryMiB: invokers.reduce((sum, { count, memoryMiB }) => sum + count * memoryMiB, 0),
    largestContainerMiB: Math.max(...functions.map(({ memoryMiB }) => memoryMiB)),
  }
}
