import type { ResizeMode } from '@trimtab/tasks/autoscaling'
import { meanOf, type Spread, spreadOf } from '../spread.js'
import type { PromiseCell, PromiseRecord, PromiseTrial } from './spec.js'

/** One controller in one cell, over its seeds. */
export interface ControllerFigures {
  readonly controller: string
  /** Dollars an hour on the judged part. */
  readonly dollars: Spread
  /** True violations, percent of steps. */
  readonly violations: Spread
  /** Mean over seeds of the worst hour, percent. */
  readonly worstHour: number
  readonly cores: number
  readonly memoryGiB: number
  /** The same while learning. */
  readonly learningDollars: number
  readonly learningViolations: number
  /** Steps in which the rule served in the learner's place, percent: judged, and while learning; of a guarded learner. */
  readonly byRule?: readonly [judged: number, learning: number]
}

/** A cell as it is judged: application × load × SLO × what the cluster can resize, means of seeds. */
export interface CellFigures {
  readonly app: number
  readonly load: string
  readonly sloFactor: number
  readonly resize: ResizeMode
  /** How many. */
  readonly seeds: number
  /** Whether the judged part lies within what was seen. */
  readonly isWithinSeen: boolean
  /** The strongest rule, chosen on the learning part, and the strongest of those that do not learn. */
  readonly strongest: string
  readonly shadow: string
  readonly controllers: readonly ControllerFigures[]
}

/** `app 21 · nasa · SLO 2× · in-place`. */
export const cellLabel = ({ app, load, sloFactor, resize }: CellFigures): string =>
  `app ${app} · ${load} · SLO ${sloFactor}× · ${resize}`

/** One controller of a cell; undefined where it was not run. */
export const figuresOf = (cell: CellFigures, controller: string): ControllerFigures | undefined =>
  cell.controllers.find((one) => one.controller === controller)

/** Means of the seeds of a finished cell. */
export function cellFigures({ spec, isWithinSeen, strongest, shadow, trials }: PromiseCell): CellFigures {
  const names = [...new Set(trials.map(({ controller }) => controller))]
  return {
    ...{ app: spec.appSeed, load: spec.load, sloFactor: spec.sloFactor, resize: spec.resize },
    ...{ seeds: spec.seeds.length, isWithinSeen, strongest, shadow },
    controllers: names.map((name) =>
      controllerFigures(
        name,
        trials.filter(({ controller }) => controller === name),
      ),
    ),
  }
}

function controllerFigures(controller: string, trials: readonly PromiseTrial[]): ControllerFigures {
  const judged = (of: (record: PromiseRecord) => number): number[] => trials.map((trial) => of(trial.judged))
  const isGuarded = trials.some((trial) => trial.judged.byRulePercent !== undefined)
  const byRule = (of: (trial: PromiseTrial) => PromiseRecord): number =>
    meanOf(trials.map((trial) => of(trial).byRulePercent ?? 0))
  return {
    controller,
    dollars: spreadOf(judged((record) => record.dollarsPerHour)),
    violations: spreadOf(judged((record) => record.violationPercent)),
    worstHour: meanOf(judged((record) => record.worstHourPercent)),
    cores: meanOf(judged((record) => record.cores)),
    memoryGiB: meanOf(judged((record) => record.memoryGiB)),
    learningDollars: meanOf(trials.map(({ learning }) => learning.dollarsPerHour)),
    learningViolations: meanOf(trials.map(({ learning }) => learning.violationPercent)),
    ...(isGuarded && { byRule: [byRule((trial) => trial.judged), byRule((trial) => trial.learning)] }),
  }
}

/** Someone who was tried: what it cost and what it broke. */
export interface Tried {
  readonly name: string
  readonly dollars: number
  readonly violations: number
}

/** The cheapest of those within the budget (percent of steps); without one, the one that broke least. */
export function strongestOf(tried: readonly Tried[], budgetPercent: number): string {
  const within = tried.filter(({ violations }) => violations <= budgetPercent)
  const best =
    within.length > 0
      ? within.reduce((a, b) => (b.dollars < a.dollars ? b : a))
      : tried.reduce((a, b) => (b.violations < a.violations ? b : a))
  return best.name
}
