// The recommender's own decisions over a recorded history: only observed, nothing that it wants ever comes into force.
import { setImmediate } from 'node:timers/promises'
import type { Clock, Core } from '@trimtab/core'
import type { ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import { type Decision, pricesOf, SteeredWorkload } from '@trimtab/operator'
import {
  type Allocation,
  allocationDollars,
  createTelemetry,
  isMeasuredViolation,
  type Telemetry,
} from '@trimtab/tasks/autoscaling'
import type { History } from './history.js'
import type { Workload } from './target.js'

const MIB = 2 ** 20

/** What a history came to, and what would have been. Means are over the steps in which the use of pods was measured. */
export interface Replay {
  readonly steps: number
  /** In which nothing is known of the pods. */
  readonly gaps: number
  /** Steps in which it is known whether the SLO held, and in which it did not. */
  readonly judged: number
  readonly broken: number
  /** Means, an hour, in the currency of the spec. */
  readonly requestedCost: number
  readonly wantedCost: number
  /** What is in force at the end, and what is wanted then. */
  readonly inForce: Readonly<Allocation>
  readonly wanted: Readonly<Allocation>
  readonly verdict: Decision['verdict']
  /** p99 expected of what is wanted, and the range that it lies in with 95 %, ms; undefined: no policy decides. */
  readonly p99Ms: { readonly expected: number; readonly low: number; readonly high: number } | undefined
  /** Cores of all pods [T], NaN in gaps. */
  readonly requestedCores: Float64Array
  readonly wantedCores: Float64Array
}

/** What is replayed, and for whom. */
export interface ReplayOptions {
  readonly spec: ResolvedAutoscalerSpec
  readonly workload: Workload
  readonly canResizeInPlace: boolean
  readonly stepSeconds: number
  readonly clock: Clock
  readonly onProgress: (done: number, total: number) => void
}

/** Steps between two looks at what else there is: a signal, a line of progress. */
const BREATH = 128

/** Steps through a history as the recommender would have. */
export async function replay(
  core: Core,
  history: History,
  options: ReplayOptions,
  signal: AbortSignal,
): Promise<Replay> {
  const { spec, workload, canResizeInPlace, stepSeconds, clock } = options
  const { template } = workload
  const steered = new SteeredWorkload(core, { spec, template, stepSeconds, clock, capabilities: { canResizeInPlace } })
  const length = history.timesSeconds.length
  const prices = pricesOf(spec)
  const requestedCores = new Float64Array(length).fill(Number.NaN)
  const wantedCores = new Float64Array(length).fill(Number.NaN)
  let [steps, judged, broken, requested, recommended] = [0, 0, 0, 0, 0]
  let last: (Decision & { readonly inForce: Allocation }) | undefined
  try {
    for (let step = 0; step < length; step++) {
      if (step % BREATH === 0) {
        await setImmediate()
        signal.throwIfAborted()
        options.onProgress(step, length)
      }
      const telemetry = telemetryAt(history, step, options)
      if (!(telemetry.readyReplicas > 0 && telemetry.usedCores >= 0 && telemetry.usedMemoryMiB >= 0)) continue
      const { coresPerReplica, memoryMiBPerReplica, readyReplicas: replicas } = telemetry
      const inForce = { coresPerReplica, memoryMiBPerReplica, replicas }
      const measured = { telemetry, servedPerSecond: Number.NaN, missing: [] }
      const { wanted, verdict } = await steered.pass(measured, inForce, false)
      last = { inForce, wanted, verdict }
      steps++
      requested += allocationDollars(prices, inForce)
      recommended += allocationDollars(prices, wanted)
      requestedCores[step] = replicas * coresPerReplica
      wantedCores[step] = wanted.replicas * wanted.coresPerReplica
      if (!isJudged(telemetry)) continue
      judged++
      if (isMeasuredViolation(telemetry)) broken++
    }
    if (last === undefined) throw new RangeError('a history without a measured step')
    const margin = steered.decider.policy?.margin.explain(last.wanted)
    const sloMs = spec.slo.latency?.p99Ms ?? Number.NaN
    return {
      ...{ steps, gaps: length - steps, judged, broken },
      requestedCost: requested / steps,
      wantedCost: recommended / steps,
      ...last,
      p99Ms: margin && {
        expected: sloMs * margin.p99OverSlo,
        low: sloMs * margin.interval[0],
        high: sloMs * margin.interval[1],
      },
      ...{ requestedCores, wantedCores },
    }
  } finally {
    steered.dispose()
  }
}

/** Whether it is known if the SLO held: there is one, and a p99, or a kill, or no request. */
const isJudged = (t: Telemetry): boolean => t.sloMs > 0 && (t.p99Ms >= 0 || t.oomKills > 0 || t.requests === 0)

function telemetryAt({ timesSeconds, series }: History, step: number, options: ReplayOptions): Telemetry {
  const { spec, workload, stepSeconds } = options
  const t = createTelemetry()
  t.timeSeconds = timesSeconds[step]!
  t.ratePerSecond = series.ratePerSecond[step]!
  t.requests = t.ratePerSecond * stepSeconds
  t.sloMs = spec.slo.latency?.p99Ms ?? Number.NaN
  t.p99Ms = t.requests === 0 ? Number.NaN : 1000 * series.p99Seconds[step]!
  t.usedCores = series.cores[step]!
  t.usedMemoryMiB = series.memoryBytes[step]! / MIB
  t.readyReplicas = series.pods[step]!
  t.coresPerReplica = known(series.requestedCores[step]!, workload.inForce.coresPerReplica)
  t.memoryMiBPerReplica = known(series.requestedBytes[step]! / MIB, workload.inForce.memoryMiBPerReplica)
  t.oomKills = step > 0 ? grown(series.kills[step - 1]!, series.kills[step]!) : 0
  return t
}

/** What was not recorded is taken to have been as it is now; it is said. */
const known = (value: number, now: number): number => (value > 0 ? value : now)

/** A counter of pods that come and go; what was not recorded is no kill, and it is said. */
const grown = (before: number, after: number): number => (after > before ? after - before : 0)
