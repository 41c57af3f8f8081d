import { isAmount, MetricError, requireAmount } from './metric-error.js'
import { type ReadinessPeriods, resourceSamples } from './pods.js'
import {
  type ReplicaProposal,
  replicasForAverage,
  replicasForPods,
  replicasForValue,
  type Tolerances,
} from './replica-calculator.js'
import { tallyPods } from './tally.js'
import type { MetricSpec, Pod, PodSample, PodTally, Reading } from './types.js'

/** What every metric of one pass is judged against. */
export interface ScaleTarget {
  readonly nowSeconds: number
  /** Replicas asked for. */
  readonly specReplicas: number
  /** Replicas that exist. */
  readonly statusReplicas: number
  /** Its pods. */
  readonly pods: readonly Pod[]
  /** Names of pods whose samples do not count: they belong to another workload. Default none. */
  readonly foreign?: ReadonlySet<string>
  /** Samples dated further from now than this count as missing. Default: any date. */
  readonly sampleWindowSeconds?: number
}

/**
 * The size that one metric asks for.
 * @throws {MetricError} it cannot say
 */
export function proposeReplicas(
  metric: MetricSpec,
  reading: Reading | undefined,
  scale: ScaleTarget,
  tolerances: Tolerances,
  periods: ReadinessPeriods,
): ReplicaProposal {
  switch (metric.source) {
    case 'resource':
    case 'pods': {
      const { tally, refusedSamples } = tallyFor(metric, require(metric, reading), scale, periods)
      const proposal = checkNumber(replicasForPods(tally, metric.target, scale.specReplicas, tolerances))
      return refusedSamples === 0 ? proposal : { ...proposal, refusedSamples }
    }
    case 'object':
    case 'external': {
      const found = require(metric, reading)
      if (!('values' in found)) throw mismatch(metric)
      if (found.values.length === 0) throw unavailable(metric)
      let sum = 0
      for (const value of found.values) sum += requireAmount(value, `a value of the ${metric.source} metric`)
      return checkNumber(
        'valueMilli' in metric.target
          ? replicasForValue(sum, metric.target.valueMilli, scale.pods, scale.specReplicas, tolerances)
          : replicasForAverage(sum, metric.target.averageValueMilli, scale, tolerances),
      )
    }
    default:
      return unknownSource(metric)
  }
}

/** Why `ScalingActive` is false when this metric fails, in Kubernetes' words. */
export function failureReason(metric: MetricSpec): string {
  switch (metric.source) {
    case 'resource':
      return metric.container === undefined ? 'FailedGetResourceMetric' : 'FailedGetContainerResourceMetric'
    case 'pods':
      return 'FailedGetPodsMetric'
    case 'object':
      return 'FailedGetObjectMetric'
    case 'external':
      return 'FailedGetExternalMetric'
    default:
      return 'InvalidMetricSourceType'
  }
}

function tallyFor(
  metric: MetricSpec & { readonly source: 'resource' | 'pods' },
  reading: Reading,
  scale: ScaleTarget,
  periods: ReadinessPeriods,
): { readonly tally: PodTally; readonly refusedSamples: number } {
  if ('tally' in reading) {
    for (const name in reading.tally) {
      const amount = reading.tally[name as keyof PodTally] as number
      if (!isAmount(amount)) requireAmount(amount, `tally.${name}`)
    }
    return { tally: reading.tally, refusedSamples: 0 }
  }
  const { target } = metric
  let samples: Map<string, PodSample>
  if (metric.source === 'resource' && 'usage' in reading) {
    samples = resourceSamples(reading.usage, metric.resource, metric.container)
  } else if (metric.source === 'pods' && 'samples' in reading) {
    samples = new Map(reading.samples.map((sample) => [sample.pod, sample]))
  } else throw mismatch(metric)
  const refusedSamples = removeUnusable(samples, scale)
  const { resource, container } = metric.source === 'resource' ? metric : PLAIN_PODS
  const tally = tallyPods(scale.pods, samples, { resource, container, target }, periods, scale.nowSeconds)
  return { tally, refusedSamples }
}

/** A metric of the pods that is no resource: readiness says nothing about it. */
const PLAIN_PODS = { resource: '', container: undefined }

/**
 * Takes out samples of foreign pods and samples that are not of now; those are counted.
 * @throws {MetricError} `metric_invalid`, `no_samples` where none is of now
 */
function removeUnusable(
  samples: Map<string, PodSample>,
  { foreign, nowSeconds, sampleWindowSeconds = Number.POSITIVE_INFINITY }: ScaleTarget,
): number {
  let refused = 0
  for (const { pod, atSeconds, valueMilli } of [...samples.values()]) {
    if (foreign?.has(pod)) samples.delete(pod)
    else if (!(Math.abs(atSeconds - nowSeconds) <= sampleWindowSeconds)) {
      samples.delete(pod)
      refused += 1
    } else requireAmount(valueMilli, `the sample of pod ${pod}`)
  }
  if (refused > 0 && samples.size === 0) {
    throw new MetricError(
      'no_samples',
      `each of ${refused} samples is dated more than ${sampleWindowSeconds} s before or after now, ${nowSeconds} (is a clock wrong?)`,
    )
  }
  return refused
}

function require(metric: MetricSpec, reading: Reading | undefined): Reading {
  if (reading === undefined) throw unavailable(metric)
  return reading
}

function unavailable(metric: MetricSpec): MetricError {
  return new MetricError('metric_unavailable', `the metrics API gave nothing for the ${metric.source} metric`)
}

function mismatch(metric: MetricSpec): MetricError {
  return new MetricError(
    'metric_unavailable',
    `the reading of the ${metric.source} metric is of another kind (usage or tally for resource, samples or tally for pods, values otherwise)`,
  )
}

function unknownSource(metric: never): never {
  const { source } = metric as { source: unknown }
  throw new MetricError('metric_source_unknown', `unknown metric source ${String(source)}`)
}

function checkNumber(proposal: ReplicaProposal): ReplicaProposal {
  if (Number.isNaN(proposal.replicas)) {
    throw new MetricError('metric_invalid', 'a target is not a number')
  }
  return proposal
}
