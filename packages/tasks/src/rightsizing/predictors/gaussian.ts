import { choleskyFactor, choleskySolve } from '../linear-algebra.js'
import { logProfiles } from '../log-profiles.js'
import { type FitPredictor, logPredictor } from '../predictor.js'

/** Variance of ln seconds that no workload explains: of repeats (.0025) and of what a small pool has not shown. */
const NOISE = 0.02

/**
 * The workloads' log runtimes as draws of one Gaussian over configurations; a new workload is what that expects given its
 * samples. Gaps are filled before the covariance is taken, which keeps it free of negative eigenvalues: pairwise covariances
 * of a table with gaps have some, and explode unless they are clipped.
 */
export const fitGaussian: FitPredictor = (core, training) => {
  const { logs: known, levels } = logProfiles(core, training)
  const [w, c] = [levels.length, training.configurations.length]
  const mean = new Float64Array(c)
  for (let i = 0; i < w; i++) for (let j = 0; j < c; j++) mean[j]! += known[i * c + j]! / w
  const covariance = new Float64Array(c * c)
  for (let i = 0; i < w; i++) {
    for (let j = 0; j < c; j++) {
      const part = (known[i * c + j]! - mean[j]!) / w
      for (let k = 0; k < c; k++) covariance[j * c + k]! += part * (known[i * c + k]! - mean[k]!)
    }
  }
  return logPredictor(core, training, (samples, logs, deviation) => {
    const n = samples.length
    const at = samples.map(({ configuration }) => configuration)
    const factor = new Float64Array(n * n)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) factor[i * n + j] = covariance[at[i]! * c + at[j]!]! + (i === j ? NOISE : 0)
    }
    choleskyFactor(factor, n)
    const pull = Float64Array.from(samples, ({ configuration, log }) => log - mean[configuration]!)
    choleskySolve(factor, pull)
    for (let j = 0; j < c; j++) {
      const row = Float64Array.from(at, (s) => covariance[j * c + s]!)
      const explained = row.slice()
      choleskySolve(factor, explained)
      let [log, variance] = [mean[j]!, covariance[j * c + j]! + NOISE]
      for (let i = 0; i < n; i++) {
        log += row[i]! * pull[i]!
        variance -= row[i]! * explained[i]!
      }
      logs[j] = log
      deviation[j] = Math.sqrt(variance)
    }
  })
}
