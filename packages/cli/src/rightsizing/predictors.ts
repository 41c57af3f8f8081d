import { type FitPredictor, RIGHTSIZING } from '@trimtab/tasks/rightsizing'

const { predictors } = RIGHTSIZING

/** What `--predictor` may name; the first is the default. */
export const PREDICTORS: Readonly<Record<string, FitPredictor>> = Object.fromEntries(
  predictors.map(({ name, fit }) => [name, fit]),
)

/** What the predictor in question is always shown beside. */
export const BASELINES: readonly string[] = predictors.filter(({ isBaseline }) => isBaseline).map(({ name }) => name)
