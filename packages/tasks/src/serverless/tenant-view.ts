import type { CoreMath } from '@trimtab/core'
import type { ServerlessSpec } from './platform-spec.js'
import { createTenantTelemetry, type TenantTelemetry } from './telemetry.js'

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
}

/** A view to be filled. */
export const createTenantView = (): TenantView => ({
  telemetry: createTenantTelemetry(),
  arrivalsBefore: 0,
  largestDemand: 0,
  sharesChange: 0,
  containersChange: 0,
})

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
