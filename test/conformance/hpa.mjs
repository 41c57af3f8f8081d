// Handlers for the horizontal autoscaler's vectors.
import {
  applyLegacyLimits,
  completeRules,
  completeSpec,
  createState,
  groupPods,
  History,
  limitRate,
  noteScaleEvent,
  policyLimit,
  proposeReplicas,
  reconcile,
  stabilizeDownscale,
  stabilizeWithBehavior,
  usageRatio,
  utilizationRatio,
} from '@trimtab/tasks/hpa'
import { compare } from './compare.mjs'
import { caught, compareNumbers, compareSets, present } from './kubernetes.mjs'

const NOW = 1_000_000_000

/** Their words for our error codes; `any` is any of them. */
const ERRORS = {
  metric_unavailable: 'metric-unavailable',
  no_pods: 'no-pods',
  no_samples: 'no-metrics-for-pods',
  no_metric_matches_known_pods: 'no-metric-matches-known-pods',
  missing_request: 'missing-request',
  container_not_found: 'container-not-found',
}

const compareError = (error, expected) =>
  error !== undefined && (expected === 'any' || !Object.values(ERRORS).includes(expected))
    ? []
    : compare(ERRORS[error?.code], expected, undefined, 'expected.error')

const toPod = (pod, resource) => ({
  name: pod.name,
  phase: pod.phase,
  isTerminating: pod.terminating ?? false,
  ready: present(pod.ready),
  readyTransitionSeconds: present(pod.readyTransitionTime),
  startSeconds: present(pod.startTime),
  containers: (pod.containers ?? []).map(({ name, requestMilli }) => ({
    name,
    requestsMilli: requestMilli == null ? {} : { [resource]: requestMilli },
  })),
})

const toSample = ({ pod, timestamp, windowSeconds, valueMilli }) => ({
  pod,
  atSeconds: timestamp,
  windowSeconds,
  valueMilli,
})

const usageOf = (container, resource) =>
  resource === 'memory' && container.usageBytes != null ? container.usageBytes * 1000 : container.usageMilli

const toUsage = ({ pod, timestamp, windowSeconds, containers }, resource) => ({
  pod,
  atSeconds: timestamp,
  windowSeconds,
  containers: containers.map((container) => ({
    name: container.name,
    usageMilli: { [resource]: usageOf(container, resource) },
  })),
})

/** A metric and its reading from a vector's; samples and values may stand in the metric or beside it. */
function toMetric(metric, beside) {
  const { source, target, resource, container } = metric
  const samples = metric.samples ?? beside.samples ?? []
  const values = metric.values ?? beside.values ?? []
  const reading = (given) => (metric.fetchError ? undefined : given)
  if (source === 'resource') {
    return {
      spec: { source, resource, target, ...(container == null ? {} : { container }) },
      reading: reading({ usage: samples.map((sample) => toUsage(sample, resource)) }),
    }
  }
  if (source === 'pods') return { spec: { source, target }, reading: reading({ samples: samples.map(toSample) }) }
  return { spec: { source: source.replace(/-per-pod$/, ''), target }, reading: reading({ values }) }
}

const toPeriods = (inputs) => ({
  cpuInitializationSeconds: inputs.cpuInitializationPeriodSeconds,
  initialReadinessDelaySeconds: inputs.initialReadinessDelaySeconds,
})

function toHistory(entries, valueKey) {
  const history = new History()
  for (const entry of entries) history.append(entry[valueKey], NOW - entry.ageSeconds)
  return history
}

const toEvents = ({ scaleUpEvents, scaleDownEvents }) => ({
  up: toHistory(scaleUpEvents, 'replicaChange'),
  down: toHistory(scaleDownEvents, 'replicaChange'),
})

/** Rules with absent parts left out. */
const toRules = (rules) =>
  rules == null ? undefined : Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null))

const listOf = (history, toEntry) => Array.from({ length: history.length }, (_, i) => toEntry(i))

export const handlers = {
  'replica-calculator'({ inputs, expected }) {
    const { spec, reading } = toMetric(inputs.metric, inputs)
    const scale = {
      nowSeconds: inputs.now,
      specReplicas: inputs.currentReplicas,
      statusReplicas: inputs.currentReplicas,
      pods: inputs.pods.map((pod) => toPod(pod, inputs.metric.resource)),
    }
    const tolerances = { up: inputs.toleranceUp, down: inputs.toleranceDown }
    let proposal
    const error = caught(() => {
      proposal = proposeReplicas(spec, reading, scale, tolerances, toPeriods(inputs))
    })
    if (expected.error) return compareError(error, expected.error)
    if (error) throw error
    return compareNumbers(proposal, expected)
  },

  'group-pods'({ inputs, expected }) {
    const samples = new Map(inputs.samples.map((sample) => [sample.pod, toSample(sample)]))
    const pods = inputs.pods.map((pod) => toPod(pod, inputs.resource))
    const groups = groupPods(pods, samples, inputs.resource, toPeriods(inputs), inputs.now)
    return [
      ...compare(groups.readyPodCount, expected.readyPodCount, undefined, 'expected.readyPodCount'),
      ...['unready', 'missing', 'ignored'].flatMap((group) =>
        compareSets([...groups[group]], expected[group] ?? [...groups[group]], `expected.${group}`),
      ),
    ]
  },

  'utilization-ratio'({ inputs, expected }) {
    const values = new Map(Object.entries(inputs.values))
    const requests = new Map(Object.entries(inputs.requests))
    let got
    const error = caught(() => {
      got = utilizationRatio(values, requests, inputs.targetUtilizationPercent)
    })
    return expected.error ? compareError(error, expected.error) : compareNumbers(got, expected)
  },

  'usage-ratio': ({ inputs, expected }) =>
    compareNumbers(usageRatio(new Map(Object.entries(inputs.values)), inputs.targetValue), expected),

  'legacy-limits': ({ inputs, expected }) =>
    compareNumbers(applyLegacyLimits(inputs.currentReplicas, inputs.desiredReplicas, inputs), expected),

  'policy-limit'({ inputs, expected }) {
    const rules = completeRules(inputs.direction, toRules(inputs.rules))
    const limit = policyLimit(inputs.direction, inputs.currentReplicas, toEvents(inputs), rules, NOW)
    return compareNumbers({ limit }, expected)
  },

  'behavior-defaults': ({ inputs, expected }) =>
    compareNumbers(completeRules(inputs.direction, toRules(inputs.rules)), expected),

  'behavior-rate'({ inputs, expected }) {
    const rate = {
      ...inputs,
      scaleUp: completeRules('scaleUp', toRules(inputs.scaleUp)),
      scaleDown: completeRules('scaleDown', toRules(inputs.scaleDown)),
    }
    return compareNumbers(limitRate(rate, toEvents(inputs), NOW), expected)
  },

  'scale-events'({ inputs, expected }) {
    const events = toHistory(inputs.events, 'replicaChange')
    const changeInPeriodBefore = events.sumWithin(inputs.periodSeconds, NOW)
    const rules = inputs.rules == null ? undefined : completeRules('scaleUp', toRules(inputs.rules))
    noteScaleEvent(events, inputs.replicaChange, rules, NOW)
    const longest = rules ? Math.max(...rules.policies.map(({ periodSeconds }) => periodSeconds)) : Infinity
    const eventsAfter = listOf(events, (i) => ({
      replicaChange: events.valueAt(i),
      outdated: events.ageAt(i, NOW) > longest,
    }))
    return compareNumbers({ changeInPeriodBefore, eventsAfter }, expected)
  },

  'downscale-stabilization'({ inputs, expected }) {
    const log = toHistory(inputs.recommendations, 'replicas')
    const replicas = stabilizeDownscale(log, inputs.desiredReplicas, inputs.windowSeconds, NOW)
    return compareNumbers({ replicas, logLength: log.length, log: listOf(log, (i) => log.valueAt(i)) }, expected)
  },

  'behavior-stabilization'({ inputs, expected }) {
    const log = toHistory(inputs.recommendations, 'replicas')
    const { scaleUpStabilizationSeconds: up, scaleDownStabilizationSeconds: down } = inputs
    const replicas = stabilizeWithBehavior(log, inputs.currentReplicas, inputs.desiredReplicas, up, down, NOW)
    return compareNumbers({ replicas, logLength: log.length, log: listOf(log, (i) => log.valueAt(i)) }, expected)
  },

  reconcile({ inputs, expected }) {
    const { behavior } = inputs
    const metrics = inputs.metrics.map((metric) => toMetric(metric, inputs))
    const spec = {
      ...completeSpec({ minReplicas: present(inputs.minReplicas), maxReplicas: inputs.maxReplicas }),
      metrics: metrics.map((metric) => metric.spec),
      tolerances: { up: inputs.toleranceUp, down: inputs.toleranceDown },
      downscaleStabilizationSeconds: inputs.downscaleStabilizationSeconds,
      // Kubernetes has neither; the vectors' samples are dated 0.
      scaleToZeroCooldownSeconds: 0,
      sampleWindowSeconds: Number.POSITIVE_INFINITY,
      ...toPeriods(inputs),
      scaleUpLimitFactor: inputs.scaleUpLimitFactor,
      scaleUpLimitMinimum: inputs.scaleUpLimitMinimum,
      behavior: behavior
        ? {
            scaleUp: completeRules('scaleUp', toRules(behavior.scaleUp)),
            scaleDown: completeRules('scaleDown', toRules(behavior.scaleDown)),
          }
        : undefined,
    }
    const state = createState()
    if (inputs.recommendations) {
      state.recommendations = new History()
      for (const { replicas, ageSeconds } of inputs.recommendations) {
        state.recommendations.append(replicas, inputs.now - ageSeconds)
      }
    }
    // The vectors take it for granted that a target at zero with a minimum of zero got there by the autoscaler.
    state.isScaledToZero = inputs.specReplicas === 0 && inputs.minReplicas === 0
    const resource = inputs.metrics.find((metric) => metric.resource)?.resource ?? 'cpu'
    const result = reconcile(spec, state, {
      nowSeconds: inputs.now,
      specReplicas: inputs.specReplicas,
      statusReplicas: inputs.statusReplicas,
      pods: inputs.pods.map((pod) => toPod(pod, resource)),
      readings: metrics.map(({ reading }) => reading),
    })
    const { conditions, ...rest } = expected
    const cpu = inputs.metrics.findIndex((metric) => metric.resource === 'cpu')
    const got = {
      desiredReplicas: result.replicas,
      action: result.action,
      error: result.error ? 'internal' : 'none',
      cpuUtilizationPercent: result.proposals[cpu]?.utilizationPercent,
    }
    return [
      ...compareNumbers(got, rest),
      ...(conditions
        ? compareSets(result.conditions.map(inOrder), conditions.map(inOrder), 'expected.conditions')
        : []),
    ]
  },
}

const inOrder = ({ type, status, reason }) => ({ type, status, reason })
