import type { ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import { createTelemetry, type Telemetry } from '@trimtab/tasks/autoscaling'
import type { UsageTable } from './pod-usage.js'
import type { Answer } from './query-batch.js'
import type { Workload } from './workload.js'

/** What a pass measured for all workloads. */
export interface Measurements {
  readonly timeSeconds: number
  /** Uses by container, or why nobody could say. */
  readonly usage: UsageTable | { readonly missing: string }
  readonly answers: ReadonlyMap<string, Answer>
}

/** What was measured of a workload, and why the rest was not. */
export interface Measured {
  readonly telemetry: Telemetry
  /** Of the SLO `throughput`; NaN: not measured, or not asked for. */
  readonly servedPerSecond: number
  readonly missing: readonly string[]
}

/** Queries that an autoscaler asks for. */
export const queriesOf = ({ slo, load }: ResolvedAutoscalerSpec): string[] =>
  [slo.latency?.query, slo.throughput?.query, load?.query].filter((text) => text !== undefined)

/**
 * Makes telemetry of what was measured. Cores are summed over ready pods, those without a sample (at most half of them) taken to be as the
 * others; memory is that of the largest. Dropped requests are 0: nothing in a cluster tells of them.
 */
export class WorkloadTelemetry {
  readonly #stepSeconds: number
  /** Restarts of each pod's container as last seen. */
  #restarts = new Map<string, number>()

  /** @param stepSeconds  between two passes */
  constructor(stepSeconds: number) {
    this.#stepSeconds = stepSeconds
  }

  measure(spec: ResolvedAutoscalerSpec, workload: Workload, measurements: Measurements): Measured {
    const { usage, answers, timeSeconds } = measurements
    const missing: string[] = []
    const ask = (what: string, query: string | undefined): number => {
      if (query === undefined) return Number.NaN
      const answer = answers.get(query) ?? { missing: 'not asked yet' }
      if (typeof answer === 'number' && answer >= 0) return answer
      missing.push(`${what}: ${typeof answer === 'number' ? `${answer} is below 0` : answer.missing}`)
      return Number.NaN
    }
    const t = createTelemetry()
    t.timeSeconds = timeSeconds
    t.ratePerSecond = ask('load', spec.load?.query)
    t.requests = t.ratePerSecond * this.#stepSeconds
    t.sloMs = spec.slo.latency?.p99Ms ?? Number.NaN
    // Without requests there is no percentile, and its query gives NaN or nothing.
    t.p99Ms = t.requests === 0 ? Number.NaN : 1000 * ask('latency', spec.slo.latency?.query)
    t.readyReplicas = workload.ready.length
    t.startingReplicas = Math.max(workload.starting.length, workload.inForce.replicas - workload.ready.length)
    t.coresPerReplica = workload.inForce.coresPerReplica
    t.memoryMiBPerReplica = workload.inForce.memoryMiBPerReplica
    t.oomKills = this.#countKills(workload)
    t.usedCores = Number.NaN
    t.usedMemoryMiB = Number.NaN
    if ('missing' in usage) missing.push(`use of pods: ${usage.missing}`)
    else this.#takeUsage(t, workload, usage, missing)
    return { telemetry: t, servedPerSecond: ask('throughput', spec.slo.throughput?.query), missing }
  }

  #takeUsage(t: Telemetry, { ready, container }: Workload, usage: UsageTable, missing: string[]): void {
    let [cores, memory, measured] = [0, 0, 0]
    for (const { metadata } of ready) {
      const used = usage.get(`${metadata?.namespace}/${metadata?.name}/${container}`)
      if (used === undefined || !(used.cores >= 0 && used.memoryMiB >= 0)) continue
      cores += used.cores
      memory = Math.max(memory, used.memoryMiB)
      measured++
    }
    if (ready.length === 0) missing.push('use of pods: none is ready')
    else if (2 * measured < ready.length) missing.push(`use of pods: ${measured} of ${ready.length} have a sample`)
    else {
      t.usedCores = (cores * ready.length) / measured
      t.usedMemoryMiB = memory
    }
  }

  /** Pods whose container was killed for memory since they were last seen. */
  #countKills({ ready, starting, container }: Workload): number {
    const restarts = new Map<string, number>()
    let kills = 0
    for (const pod of [...ready, ...starting]) {
      const status = pod.status?.containerStatuses?.find(({ name }) => name === container)
      const { restartCount = 0, lastState } = status ?? {}
      const name = pod.metadata!.name!
      const before = this.#restarts.get(name)
      restarts.set(name, restartCount)
      const isNew = before !== undefined && restartCount > before
      if (isNew && lastState?.terminated?.reason === 'OOMKilled') kills++
    }
    this.#restarts = restarts
    return kills
  }
}
