import { MetricError } from './metric-error.js'
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
  /** All pods that the selector finds. */
  readonly pods: readonly Pod[]
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
      const tally = tallyFor(metric, require(metric, reading), scale, periods)
      return checkNumber(replicasForPods(tally, metric.target, scale.specReplicas, tolerances))
    }
    case 'object':
    case 'external': {
      const found = require(metric, reading)
      if (!('values' in found)) throw mismatch(metric)
      if (found.values.length === 0) throw unavailable(metric)
      let sum = 0
      for (const value of found.values) sum += value
      return checkNumber(
        'valueMilli' in metric.target
          ? replicasForValue(sum, metric.target.valueMilli, scale.pods, scale.specReplicas, tolerances)
          : replicasForAverage(sum, metric.target.averageValueMilli, scale.statusReplicas, tolerances),
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
  { pods, nowSeconds }: ScaleTarget,
  periods: ReadinessPeriods,
): PodTally {
  if ('tally' in reading) return reading.tally
  const { target } = metric
  if (metric.source === 'resource' && 'usage' in reading) {
    const { resource, container } = metric
    const samples = resourceSamples(reading.usage, resource, container)
    return tallyPods(pods, samples, { resource, container, target }, periods, nowSeconds)
  }
  if (metric.source === 'pods' && 'samples' in reading) {
    const samples = new Map<string, PodSample>()
    for (const sample of reading.samples) samples.set(sample.pod, sample)
    return tallyPods(pods, samples, { resource: '', container: undefined, target }, periods, nowSeconds)
  }
  throw mismatch(metric)
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
    throw new MetricError('metric_not_a_number', 'a sample or its target is not a number')
  }
  return proposal
}
