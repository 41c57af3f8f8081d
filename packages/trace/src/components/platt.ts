import type { TraceCore } from '@trimtab/core/trace'
import type { Judged } from './roc.js'

/** P(positive | score) = 1 / (1 + exp(slope · score + offset)). */
export interface Calibration {
  readonly slope: number
  readonly offset: number
}

const ITERATIONS = 100
const MIN_STEP = 1e-10
const RIDGE = 1e-12

/**
 * Fits a sigmoid to decisions whose truth is known and that nothing was learned from, by Newton's method with backtracking.
 * Labels are smoothed by their counts (Platt's prior), so the fit exists even where scores separate them.
 *
 * Source: Platt 1999 in the form of Lin, Lin and Weng 2007.
 */
export function fitCalibration(core: TraceCore, judged: readonly Judged[]): Calibration {
  let [positives, negatives] = [0, 0]
  for (const { isPositive, weight = 1 } of judged) {
    if (isPositive) positives += weight
    else negatives += weight
  }
  const high = (positives + 1) / (positives + 2)
  const low = 1 / (negatives + 2)
  const { exp, log } = core.math
  const lossOf = (slope: number, offset: number): number => {
    let loss = 0
    for (const { score, isPositive, weight = 1 } of judged) {
      const target = isPositive ? high : low
      const x = slope * score + offset
      loss += weight * (x >= 0 ? target * x + log(1 + exp(-x)) : (target - 1) * x + log(1 + exp(x)))
    }
    return loss
  }

  let slope = 0
  let offset = log((negatives + 1) / (positives + 1))
  let loss = lossOf(slope, offset)
  for (let i = 0; i < ITERATIONS; i++) {
    let [h11, h22, h21, g1, g2] = [RIDGE, RIDGE, 0, 0, 0]
    for (const { score, isPositive, weight = 1 } of judged) {
      const p = core.math.sigmoid(-(slope * score + offset))
      const curvature = weight * p * (1 - p)
      const residual = weight * ((isPositive ? high : low) - p)
      h11 += score * score * curvature
      h22 += curvature
      h21 += score * curvature
      g1 += score * residual
      g2 += residual
    }
    if (Math.abs(g1) < 1e-9 && Math.abs(g2) < 1e-9) break
    const determinant = h11 * h22 - h21 * h21
    const slopeStep = -(h22 * g1 - h21 * g2) / determinant
    const offsetStep = -(h11 * g2 - h21 * g1) / determinant
    const descent = g1 * slopeStep + g2 * offsetStep
    let size = 1
    for (; size >= MIN_STEP; size /= 2) {
      const candidate = lossOf(slope + size * slopeStep, offset + size * offsetStep)
      if (candidate < loss + 1e-4 * size * descent) {
        slope += size * slopeStep
        offset += size * offsetStep
        loss = candidate
        break
      }
    }
    if (size < MIN_STEP) break
  }
  return { slope, offset }
}

export function probabilityOf(core: TraceCore, { slope, offset }: Calibration, score: number): number {
  return core.math.sigmoid(-(slope * score + offset))
}
