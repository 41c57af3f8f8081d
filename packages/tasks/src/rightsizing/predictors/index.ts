import type { FitPredictor } from '../predictor.js'
import { fitAdditive, fitCopy } from './additive.js'
import { chooseAmong } from './chosen.js'
import { fitFactorisation } from './factorisation.js'
import { fitGaussian } from './gaussian.js'
import { fitNeighbours } from './neighbours.js'

/** The predictors that learn from a small pool in no time. */
export const STATISTICAL_PREDICTORS: Readonly<
  Record<'gaussian' | 'neighbours' | 'factorisation' | 'additive' | 'copy', FitPredictor>
> = {
  gaussian: fitGaussian,
  neighbours: fitNeighbours,
  factorisation: fitFactorisation,
  additive: fitAdditive,
  copy: fitCopy,
}

const { copy, ...candidates } = STATISTICAL_PREDICTORS

/**
 * The default: whichever predicts the pool's own workloads best from as many labels, and copying the samples unless that is
 * clearly worse.
 */
export const fitBest: FitPredictor = chooseAmong(candidates, copy)
