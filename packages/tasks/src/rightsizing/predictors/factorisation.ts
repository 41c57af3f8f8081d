import { choleskyFactor, choleskySolve, symmetricEigen } from '../linear-algebra.js'
import { logProfiles } from '../log-profiles.js'
import { type FitPredictor, logPredictor } from '../predictor.js'

const RANK = 2 // two directions hold most of what an additive model leaves (67 % of it with three, on CloudBandit)
const NOISE = 0.03

/**
 * Low-rank factorisation: ln seconds = effect of the configuration + level + a few directions in which workloads scale
 * differently, found as principal components of what the additive model leaves. Level and loadings of a new workload come
 * from ridge regression on its samples.
 */
export const fitFactorisation: FitPredictor = (core, training) => {
  const { logs: known, levels, effects } = logProfiles(core, training)
  const [w, c] = [levels.length, training.configurations.length]
  const left = Float64Array.from(known, (log, i) => log - levels[Math.floor(i / c)]! - effects[i % c]!)
  const directions = principalDirections(left, w, c)
  const level = levels.reduce((sum, one) => sum + one, 0) / w
  const levelVariance = levels.reduce((sum, one) => sum + (one - level) ** 2, 0) / w
  // B [1 + rank, C]: the level's row is all its deviation, so that every loading has a prior of variance 1
  const basis = [new Float64Array(c).fill(Math.sqrt(levelVariance) || 1), ...directions]
  return logPredictor(core, training, (samples, logs) => {
    const n = basis.length
    const normal = new Float64Array(n * n)
    const loadings = new Float64Array(n)
    for (let i = 0; i < n; i++) {
      for (const { configuration, log } of samples) {
        const one = basis[i]![configuration]! / NOISE
        loadings[i]! += one * (log - level - effects[configuration]!)
        for (let j = 0; j < n; j++) normal[i * n + j]! += one * basis[j]![configuration]!
      }
      normal[i * n + i]! += 1
    }
    choleskyFactor(normal, n)
    choleskySolve(normal, loadings)
    for (let j = 0; j < c; j++) {
      logs[j] = level + effects[j]!
      for (let i = 0; i < n; i++) logs[j]! += loadings[i]! * basis[i]![j]!
    }
  })
}

/** Each as long as workloads deviate along it. @param left  [W, C] @returns up to RANK rows [C] */
function principalDirections(left: Float64Array, w: number, c: number): Float64Array[] {
  // The smaller of the two Gram matrices has the same eigenvalues.
  const isWide = w <= c
  const n = isWide ? w : c
  const at = (i: number, j: number) => (isWide ? left[i * c + j]! : left[j * c + i]!)
  const other = isWide ? c : w
  const gram = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let k = 0; k < other; k++) sum += at(i, k) * at(j, k)
      gram[i * n + j] = sum
    }
  }
  const { values, vectors } = symmetricEigen(gram, n)
  return Array.from({ length: Math.min(RANK, n) }, (_, r) => {
    const direction = new Float64Array(c)
    for (let i = 0; i < n; i++) {
      const loading = vectors[r * n + i]!
      if (isWide) for (let j = 0; j < c; j++) direction[j]! += (loading * left[i * c + j]!) / Math.sqrt(w)
      else direction[i] = loading * Math.sqrt(Math.max(0, values[r]!) / w)
    }
    return direction
  })
}
