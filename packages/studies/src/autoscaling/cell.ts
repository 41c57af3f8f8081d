import type { Core } from '@trimtab/core'
import { generateLoad, type LoadSeries, type Prices, type ResizeMode } from '@trimtab/tasks/autoscaling'
import { runParts } from '../parts.js'
import { promiseCellInParts } from '../promise/cell.js'
import type { PromiseTrial, PromiseWatch } from '../promise/spec.js'
import { LifeLog } from './life-log.js'
import type { AutoscalerWorld, ExplainedDecision, GuardShares, LearningDays, Timeline } from './report-types.js'

/** Who can be compared: families of rules, learners, and bounds that know what no controller can know. */
export const AUTOSCALERS = [
  { name: 'hpa-vpa', label: 'HPA+VPA', kind: 'rule' },
  { name: 'hpa-headroom', label: 'HPA, memory by headroom', kind: 'rule' },
  { name: 'resize', label: 'resize rule', kind: 'rule' },
  { name: 'forecast', label: 'HPA on a forecast', kind: 'rule' },
  { name: 'bandit', label: 'HPA, target by a bandit', kind: 'rule' },
  { name: 'trimtab', label: 'Trimtab', kind: 'learner' },
  { name: 'margin', label: 'its learner alone', kind: 'learner' },
  { name: 'static', label: 'best static', kind: 'bound' },
  { name: 'oracle', label: 'oracle', kind: 'bound' },
] as const

/** Machine name of one of them. */
export type AutoscalerName = (typeof AUTOSCALERS)[number]['name']

/** One application with all controllers and seeds: the unit of work, so that rules are tuned once. Cloneable. */
export interface AutoscalerCellSpec {
  /** Without it a load is generated from `appSeed`. */
  readonly load?: LoadSeries
  readonly appSeed: number
  readonly seeds: readonly number[]
  readonly controllers: readonly AutoscalerName[]
  readonly sloFactor: number
  /** Cuts the load to its first days. */
  readonly days: number
  readonly resize: ResizeMode
  readonly prices: Prices
  readonly budgetPercent: number
}

/** A controller's life with one seed: while it learned, and judged. */
export interface AutoscalerTrial extends PromiseTrial {
  /** The papers' reward of 100 judged steps. */
  readonly reward: number
}

/** What a cell came to. */
export interface AutoscalerCell extends AutoscalerWorld {
  readonly trials: readonly AutoscalerTrial[]
  readonly timelines: readonly Timeline[]
  readonly days: readonly LearningDays[]
  readonly decisions: readonly ExplainedDecision[]
  readonly guard: readonly GuardShares[]
}

/**
 * Tunes the rules of one application on the first 70 % of its load, lets all controllers live through it and judges them on the
 * rest. Everything follows from the spec; two runs of it give the same numbers on every runtime.
 * @param onPart  hears which part begins
 * @throws {ConfigError} `config_invalid`, `load_invalid`
 */
export function runAutoscalerCell(
  core: Core,
  spec: AutoscalerCellSpec,
  onPart?: (part: string) => void,
): AutoscalerCell {
  return runParts(autoscalerCellInParts(core, spec), onPart)
}

const isRule = (name: AutoscalerName): boolean => AUTOSCALERS.some((one) => one.name === name && one.kind === 'rule')

/** How many parts `autoscalerCellInParts` has: a rule is tuned and lives, everybody else only lives. */
export const autoscalerPartsOf = ({ controllers }: AutoscalerCellSpec): number =>
  controllers.length + controllers.filter(isRule).length

/**
 * `runAutoscalerCell` in parts of a few seconds: says what comes next before each of them.
 * @param watch  looks at every life, beside what is reported
 */
export function* autoscalerCellInParts(
  core: Core,
  spec: AutoscalerCellSpec,
  watch?: PromiseWatch,
): Generator<string, AutoscalerCell, void> {
  const { load, controllers, ...world } = spec
  const app = `app-${spec.appSeed}`
  const log = new LifeLog(app, spec)
  const cell = yield* promiseCellInParts(
    core,
    {
      ...world,
      load: load ?? generateLoad(core, spec.appSeed),
      families: controllers.filter(isRule),
      controllers: controllers.filter((name) => !isRule(name)),
    },
    (life) => {
      const [note, look] = [log.watch(life), watch?.(life)]
      if (!look) return note
      return () => {
        note()
        look()
      }
    },
  )
  const { strongest, shadow, isWithinSeen } = cell
  return {
    ...{ app, strongest, shadow, isWithinSeen },
    trials: cell.trials.map((trial) => ({ ...trial, reward: log.rewardOf(trial) })),
    ...log.build(),
  }
}
