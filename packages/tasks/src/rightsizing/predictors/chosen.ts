import type { Core } from '@trimtab/core'
import { WorkloadErrors } from '../cross-validation.js'
import { heldOut } from '../held-out.js'
import { checkSamples, type FitPredictor } from '../predictor.js'
import type { RuntimeTable } from '../runtime-table.js'

const FOLDS = 10
const DRAWS = 8
/** Standard errors by which a candidate must beat the baseline: a few odd workloads must not decide. */
const CLEARLY = 1.645

/**
 * The candidate that predicts the training workloads best from so many labels, if it is clearly better than the baseline:
 * cross-validated among them when a number of labels is first asked for, so that the choice never sees the workload in
 * question. Errors are compared workload by workload.
 */
export function chooseAmong(candidates: Readonly<Record<string, FitPredictor>>, baseline: FitPredictor): FitPredictor {
  return (core, training, seed) => {
    const fitted = new Map(Object.entries(candidates).map(([name, fit]) => [name, fit(core, training, seed)]))
    const fallback = { name: 'copy', predictor: baseline(core, training, seed) }
    const chosen = new Map<number, string | undefined>()
    return {
      predict(samples) {
        checkSamples(samples, training.configurations.length)
        const labels = samples.length
        if (!chosen.has(labels)) chosen.set(labels, bestOf(core, training, candidates, baseline, labels, seed))
        const name = chosen.get(labels)
        const { predictor, by } =
          name === undefined
            ? { predictor: fallback.predictor, by: fallback.name }
            : { predictor: fitted.get(name)!, by: name }
        return { ...predictor.predict(samples), by }
      },
      dispose() {
        for (const predictor of fitted.values()) predictor.dispose()
        fallback.predictor.dispose()
      },
    }
  }
}

/** @returns undefined for the baseline */
function bestOf(
  core: Core,
  training: RuntimeTable,
  candidates: Readonly<Record<string, FitPredictor>>,
  baseline: FitPredictor,
  labels: number,
  seed: number,
): string | undefined {
  if (new Set(training.workloads.map(({ group }) => group)).size < 2) return undefined
  const errorsOf = (fit: FitPredictor) => {
    const errors = new WorkloadErrors()
    for (const fold of heldOut(core, training, fit, { labels: [labels], folds: FOLDS, draws: DRAWS, seed }))
      for (const one of fold) errors.add(one)
    return errors.of(labels)
  }
  const usual = errorsOf(baseline)
  let [best, largest] = [undefined as string | undefined, 0]
  for (const [name, fit] of Object.entries(candidates)) {
    const errors = errorsOf(fit)
    const gains = usual.map((error, i) => error - errors[i]!)
    const { mean, standardError } = meanAndError(gains)
    if (mean > CLEARLY * standardError && mean > largest) [best, largest] = [name, mean]
  }
  return best
}

function meanAndError(values: readonly number[]): { readonly mean: number; readonly standardError: number } {
  const n = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, standardError: n > 1 ? Math.sqrt(squares / (n - 1) / n) : Number.POSITIVE_INFINITY }
}
