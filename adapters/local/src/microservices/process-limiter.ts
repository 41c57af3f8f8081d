import type { Resource, ResourceVector } from '@trimtab/tasks/microservices'
import type { StressKind } from '../inject/stressor.js'

/** Holds processes to what a microservice is granted, as far as this machine can. */
export interface ProcessLimiter {
  /** By what it does so. */
  readonly name: string
  /** What it really holds; of the others everybody has what there is. */
  readonly holds: readonly Resource[]
  /** Holds a process from now on. @throws {AdapterError} as the host says */
  hold(pid: number, grant: ResourceVector): Promise<ProcessHold>
  /** Lets all go. May be called twice. */
  dispose(): void
}

/** One process that is held. */
export interface ProcessHold {
  /** Holds it to another grant. @throws {AdapterError} as the host says: it may have ended */
  set(grant: ResourceVector): Promise<void>
  /** Used until now by all that its limits hold, stressors that joined included; NaN where nobody counts. */
  readonly used: { readonly cpuSeconds: number; readonly diskBytes: number }
  /** What stressors join so that they count against its limits. */
  readonly stressorGroups: Readonly<Partial<Record<StressKind, readonly string[]>>>
  /** Lets it go; call it too when the process has ended. */
  release(): void
}
