import { ConfigError } from '@trimtab/core'
import {
  checkPrices,
  DEFAULT_PRICES,
  type LoadSeries,
  type Prices,
  parseLoad,
  type ResizeMode,
  ruleFamilies,
} from '@trimtab/tasks/autoscaling'
import { MAX_DAYS } from '../promise/loads.js'
import { ERROR_BUDGET_PERCENT, LEARNED_SHARE, LEARNING_RULES } from '../promise/spec.js'
import { runAll, type StudyHooks } from '../run-all.js'
import { meanOf, type Spread, spreadOf } from '../spread.js'
import {
  AUTOSCALERS,
  type AutoscalerCell,
  type AutoscalerCellSpec,
  type AutoscalerName,
  type AutoscalerTrial,
  autoscalerPartsOf,
} from './cell.js'
import { findingsOf, verdictOf } from './findings.js'
import type { AutoscalerResult, AutoscalerSummary, AutoscalingReport } from './report-types.js'

/** What is compared on which applications. */
export interface AutoscalingComparison {
  /** A table of requests per minute; without it each application has a generated load of its own. */
  readonly load?: { readonly name: string; readonly text: string }
  /** One of them at least a rule that does not learn. Default: all that the cluster allows. */
  readonly controllers?: readonly AutoscalerName[]
  /** Generated applications. Default 3. */
  readonly apps?: number
  /** Runs of everything. Default 3. */
  readonly seeds?: number
  /** First seed of applications and runs. Default 1. */
  readonly seed?: number
  /** Days of the load, at most 14. Default 14. */
  readonly days?: number
  /** SLO as a multiple of the p99 at ample resources. Default 2. */
  readonly sloFactor?: number
  /** How pods change their size. Default `in-place`. */
  readonly resize?: ResizeMode
  readonly prices?: Prices
  /** Steps that may break the SLO, percent. Default 0.5. */
  readonly budgetPercent?: number
}

/** Who runs the cells: this thread, unless told, or workers. */
export type AutoscalingHooks = StudyHooks<AutoscalerCellSpec, AutoscalerCell>

const DAY_MINUTES = 1440
/** The reward adds up 100 steps of 15 seconds. */
const STEP_SECONDS = 15

/**
 * Runs controllers side by side in the simulator, in continuous time: rules are tuned on the first 70 % of the load, everybody
 * lives through that and is judged on the rest, by dollars under an SLO with an error budget.
 * @throws {ConfigError} `load_invalid`, `config_invalid`; the signal's reason
 * @example
 * const core = await createCore()
 * const report = await compareAutoscalers({ apps: 1, days: 2 }, { run: async (spec) => runAutoscalerCell(core, spec) })
 */
export async function compareAutoscalers(
  options: AutoscalingComparison,
  hooks: AutoscalingHooks,
): Promise<AutoscalingReport> {
  const { apps = 3, seed = 1 } = options
  const first = autoscalerCellOf(options, seed)
  const specs = Array.from({ length: apps }, (_, i): AutoscalerCellSpec => ({ ...first, appSeed: seed + i }))
  hooks.onProgress?.({ done: 0, total: apps * autoscalerPartsOf(first), label: 'starting' })
  const cells = await runAll(specs, ({ appSeed }) => `app ${appSeed - seed + 1}/${apps}`, hooks, autoscalerPartsOf)
  return autoscalingReportOf(cells, first)
}

/**
 * What a comparison runs on one application.
 * @throws {ConfigError} `load_invalid`, `config_invalid`
 */
export function autoscalerCellOf(options: AutoscalingComparison, appSeed: number): AutoscalerCellSpec {
  const { sloFactor = 2, days = MAX_DAYS, resize = 'in-place', prices = DEFAULT_PRICES } = options
  const { budgetPercent = ERROR_BUDGET_PERCENT, seeds = 3, seed = 1 } = options
  const load = options.load && readLoad(options.load)
  checkPrices(prices)
  const rules = ruleFamilies(resize).map(({ name }) => name)
  const isThere = ({ name, kind }: (typeof AUTOSCALERS)[number]): boolean =>
    kind === 'rule' ? rules.includes(name) : name !== 'oracle' || resize === 'in-place' // it plans with pods that change at once
  const controllers = AUTOSCALERS.filter(isThere)
    .map(({ name }) => name)
    .filter((name) => options.controllers?.includes(name) ?? true)
  const fixed = rules.filter((name) => !LEARNING_RULES.includes(name))
  if (!controllers.some((name) => fixed.includes(name))) {
    throw new ConfigError(
      'config_invalid',
      `controllers must name a rule to be measured by: one of ${fixed.join(', ')}`,
    )
  }
  return {
    ...{ appSeed, seeds: Array.from({ length: seeds }, (_, i) => seed + i), controllers },
    ...{ sloFactor, days, resize, prices, budgetPercent, ...(load && { load }) },
  }
}

function readLoad({ name, text }: { readonly name: string; readonly text: string }): LoadSeries {
  const load = parseLoad(name, text)
  if (load.shape.length < DAY_MINUTES) {
    throw new ConfigError(
      'load_invalid',
      `${name} covers ${load.shape.length} minutes; learning and judging need a day, ${DAY_MINUTES}`,
    )
  }
  return load
}

/** The report of finished cells. */
export function autoscalingReportOf(cells: readonly AutoscalerCell[], spec: AutoscalerCellSpec): AutoscalingReport {
  const { load, seeds, sloFactor, budgetPercent, resize, prices } = spec
  const present = AUTOSCALERS.filter(({ name }) => cells[0]!.trials.some(({ controller }) => controller === name))
  const controllers = present.map((controller): AutoscalerSummary => {
    const spread = (of: Figure): Spread =>
      spreadOf(seeds.map((seed) => meanOf(cells.map((cell) => of(trialOf(cell, controller.name, seed), cell)))))
    return {
      ...controller,
      ...figuresOf(spread),
      strongestIn: cells.filter(({ strongest }) => strongest === controller.name).length,
    }
  })
  const results = cells.flatMap((cell) =>
    present.map(({ name }): AutoscalerResult => {
      const mean = (of: Figure): number => meanOf(seeds.map((seed) => of(trialOf(cell, name, seed), cell)))
      return { app: cell.app, controller: name, ...figuresOf(mean) }
    }),
  )
  const settings: AutoscalingReport['settings'] = {
    ...{ load: load?.name ?? 'generated', apps: cells.map(({ app }) => app), seeds },
    days: Math.min(spec.days, load ? load.shape.length / DAY_MINUTES : MAX_DAYS),
    ...{ learnedShare: LEARNED_SHARE, stepSeconds: STEP_SECONDS, sloFactor, budgetPercent, resize, prices },
    world: 'simulation',
  }
  const worlds = cells.map(({ app, strongest, shadow, isWithinSeen }) => ({ app, strongest, shadow, isWithinSeen }))
  const numbers = { settings, controllers, worlds, results }
  const verdict = verdictOf(numbers)
  return {
    ...{ format: 'trimtab-autoscale-report', version: 2, ...numbers },
    timelines: cells.flatMap(({ timelines }) => timelines),
    days: cells.flatMap(({ days }) => days),
    decisions: cells.flatMap(({ decisions }) => decisions),
    guard: cells.flatMap(({ guard }) => guard),
    ...(verdict && { verdict }),
    findings: findingsOf(numbers),
  }
}

type Figure = (trial: AutoscalerTrial, cell: AutoscalerCell) => number

/** Every figure, each brought together by `combine`. */
const figuresOf = <T>(combine: (of: Figure) => T) => ({
  dollarsPerHour: combine(({ judged }) => judged.dollarsPerHour),
  relativeCost: combine(({ judged, seed }, cell) => {
    return judged.dollarsPerHour / trialOf(cell, cell.strongest, seed).judged.dollarsPerHour
  }),
  violationPercent: combine(({ judged }) => judged.violationPercent),
  learningViolationPercent: combine(({ learning }) => learning.violationPercent),
  worstHourPercent: combine(({ judged }) => judged.worstHourPercent),
  cores: combine(({ judged }) => judged.cores),
  memoryGiB: combine(({ judged }) => judged.memoryGiB),
  reward: combine(({ reward }) => reward),
})

const trialOf = ({ trials }: AutoscalerCell, controller: string, seed: number): AutoscalerTrial =>
  trials.find((trial) => trial.controller === controller && trial.seed === seed)!
