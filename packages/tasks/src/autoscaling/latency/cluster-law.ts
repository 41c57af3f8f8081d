import type { CoreMath } from '@trimtab/core'
import { BurstingLatency } from './bursting-latency.js'
import type { LatencyModel } from './latency-model.js'
import { ThrottledLatency } from './throttled-latency.js'

/**
 * How latency follows from size and load in a simulated cluster. `throttled`: a small pod is slow all the time, and all that callers
 * wait for is the application. `bursting`: it runs at full speed until its quota is gone, requests take what they took between real
 * processes beside the application, and I/O varies; fitted to measured pods (docs/results/latency-law.md).
 */
export type ClusterLaw = 'throttled' | 'bursting'
/** All that there are. */
export const CLUSTER_LAWS: readonly ClusterLaw[] = ['throttled', 'bursting']

/** The model of a law. */
export const createLatencyModel = (math: CoreMath, law: ClusterLaw): LatencyModel =>
  law === 'bursting' ? new BurstingLatency(math) : new ThrottledLatency(math)
