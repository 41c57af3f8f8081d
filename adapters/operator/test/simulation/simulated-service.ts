// A simulated application behind the pods of a Deployment: what the stand-in runs is what it has, what it uses is what the metrics API and
// Prometheus are told.

import type { Core } from '@trimtab/core'
import { type PodObject, parseQuantity } from '@trimtab/kubernetes'
import { type Allocation, ClusterSimulator, generateApplication, generateLoad } from '@trimtab/tasks/autoscaling'
import { kindOf, SYSTEM } from '../../../kubernetes/test/stand-in/controllers/controller.js'
import type { StandIn } from '../../../kubernetes/test/stand-in/index.js'
import { asPod, type Stored } from '../../../kubernetes/test/stand-in/objects.js'
import type { TimedSample } from '../../../prometheus/test/remote-write.js'

const MIB = 2 ** 20

export interface ServiceOptions {
  readonly app: string
  readonly seed: number
  /** Of the load, at which it begins. */
  readonly second: number
  readonly stepSeconds?: number
}

export class SimulatedService {
  readonly simulator: ClusterSimulator
  readonly #app: string
  #requests = 0

  constructor(core: Core, { app, seed, second, stepSeconds = 15 }: ServiceOptions) {
    this.#app = app
    // Pods are ready when the kubelet says so.
    this.simulator = new ClusterSimulator(core, generateApplication(core, seed), generateLoad(core, seed), {
      startSeconds: 0,
      restartSeconds: Math.min(10, 0.9 * stepSeconds),
      stepSeconds,
    })
    this.simulator.reset(second, seed)
  }

  /** What one of its pods uses, for `metrics.k8s.io`. */
  use(pod: PodObject): { main: { cpu: string; memory: string } } | undefined {
    if (pod.metadata?.labels?.app !== this.#app || pod.status?.phase !== 'Running') return undefined
    const { usedCores, usedMemoryMiB, readyReplicas } = this.simulator.telemetry
    const cpu = `${Math.round((1e9 * usedCores) / readyReplicas)}n`
    return { main: { cpu, memory: `${Math.round(usedMemoryMiB * 1024)}Ki` } }
  }

  /** Lives through one step on the pods that are ready; where its memory does not suffice they are killed and start anew. */
  async step(standIn: StandIn): Promise<void> {
    const ready = standIn.registry.store
      .list('/pods')
      .filter((pod) => this.use(asPod(pod)) !== undefined && !pod.metadata.deletionTimestamp)
    this.simulator.step(allocationOf(ready.map(asPod)))
    this.#requests += this.simulator.telemetry.requests
    if (this.simulator.telemetry.oomKills > 0) for (const pod of ready) await killed(standIn, pod)
  }

  /** What a scrape would find at a moment: requests so far, and the 99th percentile of the last step, NaN without requests. */
  samples(atMs: number): TimedSample[] {
    const { p99Ms } = this.simulator.telemetry
    const labels = { app: this.#app }
    return [
      { labels: { __name__: 'http_requests_total', ...labels }, value: this.#requests, atMs },
      { labels: { __name__: 'http_request_duration_p99_seconds', ...labels }, value: p99Ms / 1000, atMs },
    ]
  }
}

/** What pods have in force: as many, each with the mean. */
function allocationOf(pods: readonly PodObject[]): Allocation {
  const inForce = pods.map((pod) => pod.status?.containerStatuses?.[0]?.resources?.requests ?? {})
  const mean = (what: 'cpu' | 'memory'): number =>
    inForce.reduce((sum, requests) => sum + parseQuantity(requests[what] ?? '0'), 0) / Math.max(1, pods.length)
  return {
    replicas: Math.max(1, pods.length),
    coresPerReplica: mean('cpu'),
    memoryMiBPerReplica: mean('memory') / MIB,
  }
}

async function killed({ registry }: StandIn, { metadata }: Stored): Promise<void> {
  const reason = { terminated: { reason: 'OOMKilled', exitCode: 137 } }
  const again = (live: Stored): Stored => ({
    ...live,
    status: {
      ...live.status,
      containerStatuses: (asPod(live).status?.containerStatuses ?? []).map((status) => ({
        ...status,
        restartCount: (status.restartCount ?? 0) + 1,
        lastState: reason,
      })),
    },
  })
  await registry.change(kindOf(registry, 'pods'), metadata.namespace, metadata.name, again, {
    ...SYSTEM,
    subresource: 'status',
  })
}
