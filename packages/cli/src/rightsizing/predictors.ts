import {
  type FitPredictor,
  fitBest,
  NETWORK_PRESETS,
  networkPredictor,
  SET_EMBEDDING,
  STATISTICAL_PREDICTORS,
} from '@trimtab/tasks'

const { network } = NETWORK_PRESETS

/** What `--predictor` may name; the first is the default. */
export const PREDICTORS: Readonly<Record<string, FitPredictor>> = {
  best: fitBest,
  ...STATISTICAL_PREDICTORS,
  network: networkPredictor(network),
  embedding: networkPredictor({ ...network, maxBases: 1, embedding: SET_EMBEDDING }),
}

/** What the predictor in question is always shown beside. */
export const BASELINES: readonly string[] = Object.keys(STATISTICAL_PREDICTORS)
