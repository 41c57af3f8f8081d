import type { CpuJob } from './shared-cpu.js'

/** A container of an `EventPlatform`, with the request that it serves. */
export interface EventContainer extends CpuJob {
  /** Among all that were ever started. */
  readonly number: number
  readonly tenant: number
  readonly invoker: number
  /** It starts, waits for a request, computes, or waits for the request's I/O. */
  state: 'starting' | 'idle' | 'computing' | 'waiting'
  /** When it began to be idle, or to serve. */
  sinceSeconds: number
  /** Of the request that it serves: when that came, and how long its I/O takes. */
  arrivedSeconds: number
  ioSeconds: number
}

/** One that starts. */
export const createContainer = (number: number, tenant: number, invoker: number): EventContainer => ({
  ...{ number, tenant, invoker, state: 'starting' },
  ...{ sinceSeconds: 0, arrivedSeconds: 0, ioSeconds: 0, shares: 0, capCores: 1, workLeft: 0, rate: 0 },
})
