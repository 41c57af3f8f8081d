import { ConfigError, type Core, Problems, Random } from '@trimtab/core'
import type { FitPredictor, Prediction, Sample } from './predictor.js'
import { type MeasuredWorkload, measuredOn, type RuntimeTable, withWorkloads } from './runtime-table.js'
import { sampleOf } from './samples.js'

/** How a predictor is judged on workloads that it has not seen. */
export interface HeldOutOptions {
  /** Numbers of measured configurations that predictors are given. */
  readonly labels: readonly number[]
  /** Parts of the table, each held out once. Default 5, at most one a group. */
  readonly folds?: number
  /** Choices of the measured configurations for each workload. Default 8. */
  readonly draws?: number
  /** Always these configurations are measured, in place of draws; workloads that lack one of them are left out. */
  readonly configurations?: readonly number[]
  /** Same seed, same folds and draws, whatever the predictor. Default 1. */
  readonly seed?: number
}

/** What a predictor said of a workload it had not seen. */
export interface HeldOut {
  readonly workload: MeasuredWorkload
  readonly samples: readonly Sample[]
  readonly prediction: Prediction
  /** Measured configurations that are not among the samples: what the prediction is judged on. */
  readonly judged: readonly number[]
}

/** How many folds there are of what was asked for. @throws {ConfigError} `config_invalid`; `table_invalid` with one group */
export function foldsOf(table: RuntimeTable, { labels, folds = 5, draws = 8 }: HeldOutOptions): number {
  const problems = new Problems()
  problems.check(Number.isInteger(folds) && folds >= 2, `folds must be a whole number >= 2, got ${folds}`)
  problems.check(Number.isInteger(draws) && draws >= 1, `draws must be a whole number >= 1, got ${draws}`)
  problems.check(
    labels.length > 0 && labels.every((count) => Number.isInteger(count) && count >= 1),
    `labels must be whole numbers >= 1, got ${labels}`,
  )
  problems.throwIfAny('held-out workloads')
  const groups = new Set(table.workloads.map(({ group }) => group)).size
  if (groups < 2)
    throw new ConfigError(
      'table_invalid',
      `${table.name} has one workload; judging needs others to learn from, two at least`,
    )
  return Math.min(folds, groups)
}

/**
 * Cuts the table into folds by group, learns from all but one, and predicts the workloads of that one from a few of their
 * configurations. More labels of a draw contain the fewer ones. Workloads that were measured on too few configurations are
 * left out.
 * @returns yields one list a fold
 */
export function* heldOut(
  core: Core,
  table: RuntimeTable,
  fit: FitPredictor,
  options: HeldOutOptions,
): Generator<HeldOut[], void> {
  const folds = foldsOf(table, options)
  const { labels, draws = 8, configurations, seed = 1 } = options
  const groups = shuffled(core, [...new Set(table.workloads.map(({ group }) => group))], seed, 0)
  const foldOf = new Map(groups.map((group, i) => [group, i % folds]))
  for (let fold = 0; fold < folds; fold++) {
    const training = table.workloads.filter(({ group }) => foldOf.get(group) !== fold)
    const predictor = fit(core, withWorkloads(table, training), seed + fold)
    try {
      yield table.workloads.flatMap((workload, index) => {
        if (foldOf.get(workload.group) !== fold) return []
        const measured = measuredOn(workload)
        const orders = configurations
          ? ordersFrom(configurations, measured)
          : Array.from({ length: draws }, (_, draw) => shuffled(core, measured, seed, 1 + index * draws + draw))
        return orders.flatMap((order) =>
          labels
            .filter((count) => count < order.length)
            .map((count): HeldOut => {
              const samples = order.slice(0, count).map((configuration) => sampleOf(table, workload, configuration))
              return { workload, samples, prediction: predictor.predict(samples), judged: order.slice(count) }
            }),
        )
      })
    } finally {
      predictor.dispose()
    }
  }
}

/** The given configurations first; none when one of them was not measured. */
function ordersFrom(given: readonly number[], measured: readonly number[]): number[][] {
  if (!given.every((c) => measured.includes(c))) return []
  return [[...given, ...measured.filter((c) => !given.includes(c))]]
}

function shuffled<T>(core: Core, items: readonly T[], seed: number, stream: number): T[] {
  const random = new Random(core, seed, stream)
  const mixed = [...items]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    const item = mixed[i]!
    mixed[i] = mixed[j]!
    mixed[j] = item
  }
  random.dispose()
  return mixed
}
