import type { Core } from '@trimtab/core'
import type { LabelError } from '../task.js'
import { foldsOf, type HeldOut, type HeldOutOptions, heldOut } from './held-out.js'
import type { FitPredictor } from './predictor.js'
import type { RuntimeTable } from './runtime-table.js'

/** How a predictor is cross-validated. */
export interface CrossValidationOptions extends HeldOutOptions {
  /** Each with folds and draws of its own. Default 3. */
  readonly repeats?: number
}

/** What cross-validation has done so far. */
export interface FoldDone {
  readonly done: number
  readonly total: number
}

/**
 * Cross-validates a predictor by groups of workloads.
 * @returns yields after each fold; then the errors, one for each number of labels that some workload has enough measurements for
 * @throws {ConfigError} `config_invalid`, `table_invalid`
 */
export function* crossValidate(
  core: Core,
  table: RuntimeTable,
  fit: FitPredictor,
  options: CrossValidationOptions,
): Generator<FoldDone, LabelError[]> {
  const { labels, repeats = 3, seed = 1 } = options
  const total = repeats * foldsOf(table, options)
  let done = 0
  const errors: WorkloadErrors[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const own = new WorkloadErrors()
    errors.push(own)
    for (const fold of heldOut(core, table, fit, { ...options, seed: seed + 1000 * repeat })) {
      for (const one of fold) own.add(one)
      done++
      yield { done, total }
    }
  }
  return labels.flatMap((count) => {
    const found = errors.map((one) => one.of(count)).filter((list) => list.length > 0)
    if (found.length === 0) return []
    const means = found.map(meanOf)
    const mape = meanOf(means)
    const squares = means.reduce((sum, value) => sum + (value - mape) ** 2, 0)
    const deviation = means.length > 1 ? Math.sqrt(squares / (means.length - 1)) : 0
    return [{ labels: count, mape, deviation, worst: meanOf(found.map((list) => Math.max(...list))) }]
  })
}

/** Runs a generator to its end and returns what it returns. */
export function finish<T>(steps: Generator<unknown, T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** |predicted / true − 1|, mean over the judged configurations. */
export const absolutePercentageError = ({ workload, prediction, judged }: HeldOut): number =>
  meanOf(judged.map((c) => Math.abs(prediction.seconds[c]! / workload.seconds[c]! - 1)))

/** Percentage errors of held-out workloads. */
export class WorkloadErrors {
  readonly #errors = new Map<number, Map<string, number[]>>()

  add(one: HeldOut): void {
    const byWorkload = this.#errors.get(one.samples.length) ?? new Map<string, number[]>()
    this.#errors.set(one.samples.length, byWorkload)
    const errors = byWorkload.get(one.workload.name) ?? []
    byWorkload.set(one.workload.name, errors)
    errors.push(absolutePercentageError(one))
  }

  /** One a workload, mean over draws, in the order in which workloads first came. */
  of(labels: number): number[] {
    return [...(this.#errors.get(labels)?.values() ?? [])].map(meanOf)
  }
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
