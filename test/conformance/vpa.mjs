// Handlers for the vertical autoscaler's vectors, the recommender's; the updater's are in vpa-updater.mjs.
import {
  ContainerSamples,
  capToLimits,
  capToPodLimitRange,
  capToPolicy,
  confidence,
  DecayingHistogram,
  exponentialBuckets,
  isExpired,
  linearBuckets,
  MemoryPeaks,
  podMinimum,
  proportionalLimit,
  roundUpTo,
  toAmount,
  toIntegerCpu,
  toMillicores,
  UsageHistogram,
  VerticalRecommender,
  withConfidence,
  withMargin,
  withMinimum,
} from '@trimtab/tasks/vpa'
import { compare } from './compare.mjs'
import { caught, compareNumbers, compareSets, present, toAmounts, toRecommendation } from './kubernetes.mjs'

const DAY = 86400

const toBuckets = (options, core) =>
  options.type === 'exponential' ? exponentialBuckets(core.math, options) : linearBuckets(options)

/** A histogram, decaying or not, behind one face. */
function toHistogram(buckets, halfLifeSeconds, core) {
  return halfLifeSeconds == null
    ? new UsageHistogram(buckets)
    : new DecayingHistogram(core.math, buckets, halfLifeSeconds)
}

function applyOp(histogram, [op, value, weight, time]) {
  if (op === 'add') histogram.add(value, weight, time)
  else if (op === 'sub') histogram.subtract(value, weight, time)
  else throw new Error(`unknown histogram op ${op}`)
}

function filled({ options, halfLifeSeconds }, ops, core, buckets = toBuckets(options, core)) {
  const histogram = toHistogram(buckets, halfLifeSeconds, core)
  for (const op of ops) applyOp(histogram, op)
  return histogram
}

/** Weights by bucket, relative to all of them, so that the reference time of a decaying histogram cancels. */
const shares = (histogram, buckets) =>
  Array.from(buckets.starts, (_, i) => (histogram.isEmpty ? 0 : histogram.weightOf(i) / histogram.totalWeight))

export const handlers = {
  'histogram-options'({ inputs, expected }, _file, { core }) {
    let buckets
    const error = caught(() => {
      buckets = toBuckets(inputs, core)
    })
    if (expected.error) return compare(error !== undefined, true, undefined, 'expected.error')
    if (error) throw error
    const { numBuckets, bucketStarts = [], findBucket = [], epsilon } = expected
    return [
      ...(numBuckets === undefined ? [] : compareNumbers({ numBuckets: buckets.starts.length }, { numBuckets })),
      ...(epsilon === undefined ? [] : compareNumbers(buckets, { epsilon })),
      ...compareNumbers(
        bucketStarts.map(([i]) => [i, buckets.starts[i]]),
        bucketStarts,
      ),
      ...compareNumbers(
        findBucket.map(([value]) => [value, buckets.find(value)]),
        findBucket,
      ),
    ]
  },

  histogram({ inputs, expected }, _file, { core }) {
    const histogram = toHistogram(toBuckets(inputs.options, core), inputs.halfLifeSeconds, core)
    const isEmptyAfterEachOp = inputs.ops.map((op) => {
      applyOp(histogram, op)
      return histogram.isEmpty
    })
    const percentiles = (expected.percentiles ?? []).map(([share]) => [share, histogram.percentile(share)])
    const { isEmpty, totalWeight } = histogram
    return compareNumbers({ percentiles, isEmpty, isEmptyAfterEachOp, totalWeight }, expected)
  },

  'histogram-merge'({ inputs, expected }, _file, { core }) {
    const buckets = toBuckets(inputs.options, core)
    const merged = filled(inputs, inputs.a, core, buckets)
    merged.merge(filled(inputs, inputs.b, core, buckets))
    const once = filled(inputs, expected.equalTo, core, buckets)
    return [
      ...compare(merged.isEmpty, once.isEmpty, undefined, 'expected.equalTo.isEmpty'),
      ...compare(shares(merged, buckets), shares(once, buckets), { rel: 1e-12, abs: 1e-15 }, 'expected.equalTo'),
    ]
  },

  'checkpoint-save'({ inputs, expected }, _file, { core }) {
    const got = filled(inputs, inputs.ops, core).save()
    const count = Object.keys(got.bucketWeights).length
    return [
      ...compareNumbers(got, expected),
      ...compare(count, Object.keys(expected.bucketWeights).length, undefined, 'buckets in the checkpoint'),
    ]
  },

  'checkpoint-load'({ inputs, expected }, _file, { core }) {
    const buckets = toBuckets(inputs.options, core)
    const histogram = toHistogram(buckets, inputs.halfLifeSeconds, core)
    const error = caught(() => histogram.load(inputs.checkpoint))
    if (expected.error) return compare(error !== undefined, true, undefined, 'expected.error')
    if (error) throw error
    const bucketWeights = Object.fromEntries(
      Array.from(buckets.starts, (_, i) => [i, histogram.weightOf(i)]).filter(([, weight]) => weight > 0),
    )
    const { totalWeight, isEmpty } = histogram
    return compareNumbers({ totalWeight, bucketWeights, isEmpty }, expected)
  },

  'checkpoint-roundtrip'({ inputs, expected }, _file, { core }) {
    const before = filled(inputs, inputs.ops, core)
    const after = filled(inputs, [], core)
    after.load(before.save())
    return compareNumbers({ isEmptyBefore: before.isEmpty, isEmptyAfter: after.isEmpty }, expected)
  },

  'percentile-estimator'({ inputs, expected }, _file, { core }) {
    const percentile = (options, samples, share) => {
      const histogram = new UsageHistogram(toBuckets(options, core))
      for (const [value, weight] of samples) histogram.add(value, weight)
      return histogram.percentile(share)
    }
    const cores = percentile(inputs.cpuOptions, inputs.cpuSamples, inputs.cpuPercentile)
    const bytes = percentile(inputs.memoryOptions, inputs.memorySamples, inputs.memoryPercentile)
    const cpuMilli = toMillicores(cores)
    return compareNumbers({ cpuCores: cpuMilli / 1000, cpuMilli, memoryBytes: toAmount(bytes) }, expected)
  },

  'confidence-multiplier'({ inputs, expected }, _file, { core }) {
    const { count, stepSeconds = 0 } = inputs.samples
    const history = { samples: count, firstSampleSeconds: 0, lastSampleSeconds: Math.max(count - 1, 0) * stepSeconds }
    const trust = confidence(history, inputs.confidenceIntervalSeconds ?? DAY)
    const widen = (amount) => withConfidence(core.math, amount, trust, inputs.multiplier, inputs.exponent)
    const got = {
      confidence: trust,
      cpuMilli: widen(inputs.baseCpuMilli),
      memoryBytes: widen(inputs.baseMemoryBytes),
    }
    return compareNumbers(got, expected)
  },

  margin: ({ inputs, expected }) =>
    compareNumbers(
      {
        cpuMilli: withMargin(inputs.baseCpuMilli, inputs.marginFraction),
        memoryBytes: withMargin(inputs.baseMemoryBytes, inputs.marginFraction),
      },
      expected,
    ),

  'min-resource': ({ inputs, expected }) =>
    compareNumbers(
      {
        cpuMilli: withMinimum(inputs.baseCpuMilli, inputs.minCpuMilli ?? 0),
        memoryBytes: withMinimum(inputs.baseMemoryBytes, inputs.minMemoryBytes ?? 0),
      },
      expected,
    ),

  'pod-minimum'({ inputs, expected }) {
    const minimum = podMinimum(inputs.containers, inputs.podMinCpuMilli, inputs.podMinMemoryMb)
    const got = {
      targetCpuMilli: withMinimum(inputs.baseCpuMilli, minimum.cpuMilli),
      targetMemoryBytes: withMinimum(inputs.baseMemoryBytes, minimum.memoryBytes),
    }
    return compareNumbers(got, expected)
  },

  'controlled-resources'({ inputs, expected }, _file, { core }) {
    const controlled = present(inputs.controlled)
    const recommender = new VerticalRecommender(core.math, controlled === undefined ? {} : { controlled })
    recommender.addCpuSample(0, inputs.cpuMilli)
    recommender.addMemorySample(0, inputs.memoryBytes)
    const { cpuMilli, memoryBytes } = recommender.recommend(0).target
    const keys = [...(cpuMilli === undefined ? [] : ['cpu']), ...(memoryBytes === undefined ? [] : ['memory'])]
    return compareSets(keys, expected.keys, 'expected.keys')
  },

  'state-expiry'({ inputs, expected }) {
    const age = {
      samples: inputs.totalSamples,
      lastSampleSeconds: inputs.lastSampleTime,
      creationSeconds: inputs.creationTime,
    }
    const windowSeconds = inputs.intervalSeconds * inputs.intervalCount
    return compareNumbers({ expired: inputs.now.map((now) => isExpired(age, windowSeconds, now)) }, expected)
  },

  'memory-peaks'({ inputs, expected }) {
    const { surviving, sink } = recordingSink()
    const peaks = new MemoryPeaks(sink, inputs)
    const accepted = inputs.ops.map(([op, time, bytes]) =>
      op === 'oom' ? peaks.addOom(time, bytes) : peaks.addUsage(time, bytes),
    )
    return compareNumbers({ accepted, peaks: surviving }, expected)
  },

  'cpu-samples'({ inputs, expected }) {
    const { surviving, sink } = recordingSink()
    const samples = new ContainerSamples(sink, sink, {})
    const accepted = inputs.ops.map(([time, milli]) => samples.addCpu(time, milli))
    return compareNumbers({ accepted, samples: surviving }, expected)
  },

  rounding({ inputs, expected }) {
    let value = inputs.value
    const error = caught(() => {
      value = roundUpTo(inputs.value, inputs.scale)
    })
    return compareNumbers({ value, error: error !== undefined }, expected)
  },

  'cpu-truncation': ({ inputs, expected }) => compareNumbers({ milli: inputs.cores.map(toMillicores) }, expected),

  'integer-cpu': ({ inputs, expected }) =>
    compareNumbers(
      { cpuMilli: inputs.containers.map((c) => (c.integerCpu ? toIntegerCpu(c.cpuMilli) : c.cpuMilli)) },
      expected,
    ),

  'proportional-limit'({ inputs, expected }) {
    const container = { request: present(inputs.originalRequest), limit: present(inputs.originalLimit) }
    const limit = proportionalLimit(container, present(inputs.recommendedRequest), present(inputs.defaultLimit))
    return compareNumbers({ limit }, expected)
  },

  'policy-capping'({ inputs, expected }) {
    const { minAllowed, maxAllowed, globalMaxAllowed } = inputs
    const policy = {
      minAllowed: toAmounts(minAllowed),
      maxAllowed: toAmounts(maxAllowed),
      globalMaxAllowed: toAmounts(globalMaxAllowed),
    }
    return compareNumbers(capToPolicy(toRecommendation(inputs.recommendation), policy), expected)
  },

  'limit-capping'({ inputs, expected }) {
    const recommendation = toRecommendation(inputs.recommendation)
    const limits = toAmounts(inputs.containerLimits)
    return compareNumbers(capToLimits(recommendation, limits, present(inputs.controlledValues)), expected)
  },

  'pod-limit-range'({ inputs, expected }) {
    const containers = inputs.containers.map(({ request, limit, target }) => ({
      request: present(request),
      limit: present(limit),
      target: present(target),
    }))
    const range = { min: inputs.min ?? 0, max: inputs.max ?? 0, defaultLimit: present(inputs.defaultLimit) }
    return compareNumbers({ targets: capToPodLimitRange(containers, range) }, expected)
  },
}

/** Takes samples and takes them back; what survives is `[time, value]` in order of arrival. */
function recordingSink() {
  const surviving = []
  const sink = {
    add: (value, _weight, time) => surviving.push([time, value]),
    subtract(value, _weight, time) {
      const i = surviving.findIndex(([heldTime, heldValue]) => heldTime === time && heldValue === value)
      if (i < 0) throw new Error(`took back ${value} at ${time}, which was never added`)
      surviving.splice(i, 1)
    },
  }
  return { surviving, sink }
}
