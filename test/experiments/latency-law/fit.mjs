// Fits the constants of the law `bursting` to measured points, and says how far each law is from them.
import { quantileOf } from '@trimtab/local'
import { BURSTING, BurstingLatency, normalQuantile, ThrottledLatency } from '@trimtab/tasks/autoscaling'
import { VARIABILITY, WAIT_MS } from './measure.mjs'

/** What is fitted and judged of a point. */
const QUANTILES = [
  [0.9, 'p90Ms'],
  [0.99, 'p99Ms'],
]
const WINDOW_SECONDS = 30

/** A point's application: what a request takes there of CPU time, HTTP among it. */
function applicationOf({ workMs, requestMs }) {
  const plain = { name: `${workMs} ms`, segments: [], baseMemoryMiB: 0, requestMemoryMiB: 0, peakRatePerSecond: 1 }
  return { ...plain, workSeconds: requestMs / 1000, waitSeconds: WAIT_MS / 1000, variability: VARIABILITY }
}

/** What a law says of a point, ms. */
function predict(core, model, point, p) {
  model.prepare(applicationOf(point), point.ratePerSecond, point.cores, WINDOW_SECONDS)
  return 1000 * model.quantile(p, normalQuantile(core.math, p))
}

const errorsOf = (core, model, points, quantiles = QUANTILES) =>
  points.flatMap((point) => quantiles.map(([p, field]) => Math.log(predict(core, model, point, p) / point[field])))

const OVERHEADS_MS = Array.from({ length: 41 }, (_, i) => i / 4)
const BURSTS = Array.from({ length: 41 }, (_, i) => i / 20)

/** The constants with the least mean absolute error of the logarithm, over a grid. */
export function fitConstants(core, points) {
  let best = { constants: BURSTING, error: Number.POSITIVE_INFINITY }
  for (const overheadMs of OVERHEADS_MS)
    for (const burstPeriods of BURSTS) {
      const constants = { overheadSeconds: overheadMs / 1000, burstPeriods }
      const errors = errorsOf(core, new BurstingLatency(core.math, constants), points)
      const error = errors.reduce((sum, value) => sum + Math.abs(value), 0) / errors.length
      if (error < best.error) best = { constants, error }
    }
  return best.constants
}

/** How far the laws are from the points: as fitted to all, as shipped, and to each size by what the others fit. */
export function judgeLaws(core, points, constants) {
  const throttled = new ThrottledLatency(core.math)
  const fitted = new BurstingLatency(core.math, constants)
  const shipped = new BurstingLatency(core.math)
  const heldOut = [...new Set(points.map(({ cores }) => cores))].map((cores) => {
    const [own, others] = [true, false].map((isOwn) => points.filter((point) => (point.cores === cores) === isOwn))
    return { own, model: new BurstingLatency(core.math, fitConstants(core, others)) }
  })
  const p99 = [QUANTILES[1]]
  return {
    errors: {
      throttled: summary(errorsOf(core, throttled, points, p99)),
      'bursting, fitted to these points': summary(errorsOf(core, fitted, points, p99)),
      'bursting, each size by a fit to the others': summary(
        heldOut.flatMap(({ own, model }) => errorsOf(core, model, own, p99)),
      ),
      'bursting, as shipped': summary(errorsOf(core, shipped, points, p99)),
    },
    points: points.map((point) => ({
      throttledMs: predict(core, throttled, point, 0.99),
      burstingMs: predict(core, fitted, point, 0.99),
    })),
  }
}

/** Factors by which a law is off: in the middle and at most. */
const summary = (errors) => ({
  middle: Math.exp(quantileOf(errors.map(Math.abs), 0.5)),
  most: Math.exp(Math.max(...errors.map(Math.abs))),
})
