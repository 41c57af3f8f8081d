import { Problems } from '@trimtab/core'
import type { ControlTask, TaskLabels } from '@trimtab/tasks'
import { runAll, type StudyHooks } from '../run-all.js'
import { meanOf, type Spread, spreadOf } from '../spread.js'
import { checkControllers, controllersOf, describeController, type NamedController } from './controllers.js'
import type { TrialResult, TrialSpec } from './trial.js'

/** What is compared on which pairs of a task. */
export interface CompareOptions {
  /** Names of rules, `trimtab`, `scratch`. Default: all that the task has. */
  readonly controllers?: readonly string[]
  /** Pairs, by number from `first` on. Default 3. */
  readonly pairs?: number
  /** Number of the first pair. Default 1. */
  readonly first?: number
  /** Runs of everything. Default 3. */
  readonly seeds?: number
  /** The first seed. Default 1. */
  readonly seed?: number
  /** Learning episodes. Default 100. */
  readonly episodes?: number
  /** How workers find the task, as `loadTask` takes it. Default: its name. */
  readonly reference?: string
}

/** One controller over all pairs: each spread is over seeds, of the mean over pairs. */
export interface ComparedController extends NamedController {
  /** Mean of a judged episode. */
  readonly reward: Spread
  /** True violations in judged episodes, percent of steps; absent where the task has none. */
  readonly violationPercent?: Spread
  /** The same in learning episodes; rules live through the same ones. */
  readonly learningViolationPercent?: Spread
  /** Learning episodes that the rule drove; learners only. */
  readonly ruleEpisodes?: Spread
  /** The run that did worst beside the fallback rule on the same pair and seed; absent where the rule was not compared. */
  readonly worst?: { readonly pair: number; readonly seed: number; readonly gain: number }
}

/** All numbers of one comparison. */
export interface Comparison {
  readonly format: 'trimtab-comparison'
  readonly version: 1
  readonly settings: {
    readonly task: string
    readonly labels: TaskLabels
    readonly pairs: readonly number[]
    readonly seeds: readonly number[]
    readonly episodes: number
    /** Always `simulation`. */
    readonly world: 'simulation'
  }
  readonly controllers: readonly ComparedController[]
  readonly results: readonly TrialResult[]
  /** Plain sentences, derived from the numbers. */
  readonly findings: readonly string[]
}

/**
 * Runs the rules of a task beside its base learner: the same pairs and seeds for all, several seeds, each judged on episodes
 * that nobody learned from.
 *
 * @throws {ConfigError} `config_invalid` with every problem; what a trial throws; the signal's reason
 * @example
 * const task = findTask('cpu-frequency')
 * const core = await createCore()
 * const { findings } = await compare(task, { episodes: 30 }, { run: async (spec) => runTrial(core, task, spec) })
 */
export async function compare(
  task: ControlTask,
  options: CompareOptions,
  hooks: StudyHooks<TrialSpec, TrialResult>,
): Promise<Comparison> {
  const { pairs = 3, first = 1, seeds = 3, seed = 1, episodes = 100, controllers = controllersOf(task) } = options
  const problems = new Problems()
  for (const [name, count, least] of [
    ['pairs', pairs, 1],
    ['first', first, 0],
    ['seeds', seeds, 1],
    ['seed', seed, 0],
    ['episodes', episodes, 0],
  ] as const) {
    const isCount = Number.isSafeInteger(count) && count >= least
    problems.check(isCount, `${name} must be a whole number >= ${least}, got ${count}`)
  }
  problems.throwIfAny('comparison')
  checkControllers(task, controllers)
  const numbers = Array.from({ length: pairs }, (_, i) => first + i)
  const runs = Array.from({ length: seeds }, (_, i) => seed + i)
  const specs = numbers.flatMap((pair) =>
    runs.flatMap((run) =>
      controllers.map((controller): TrialSpec => {
        return { task: options.reference ?? task.name, pair, seed: run, controller, episodes }
      }),
    ),
  )
  const labelOf = (spec: TrialSpec): string =>
    `${task.labels.spec} ${spec.pair - first + 1}/${pairs} · seed ${spec.seed} · ${spec.controller}`
  const results = await runAll(specs, labelOf, hooks)
  const compared = controllers.map((name) => summaryOf(task, name, runs, results))
  return {
    format: 'trimtab-comparison',
    version: 1,
    settings: {
      ...{ task: task.name, labels: task.labels, pairs: numbers, seeds: runs, episodes },
      world: 'simulation',
    },
    controllers: compared,
    results,
    findings: findingsOf(task, compared),
  }
}

function summaryOf(
  task: ControlTask,
  name: string,
  seeds: readonly number[],
  results: readonly TrialResult[],
): ComparedController {
  const own = results.filter(({ spec }) => spec.controller === name)
  const spread = (of: (result: TrialResult) => number): Spread =>
    spreadOf(seeds.map((seed) => meanOf(own.filter(({ spec }) => spec.seed === seed).map(of))))
  const controller = describeController(task, name)
  const hasEpisodes = own.every(({ learning }) => learning.reward.length > 0)
  const worst = worstOf(task.rules[0]!.name, own, results)
  return {
    ...controller,
    reward: spread(({ judged }) => judged.reward),
    ...(task.safety && { violationPercent: spread(({ judged }) => judged.violationPercent!) }),
    ...(task.safety &&
      hasEpisodes && { learningViolationPercent: spread(({ learning }) => meanOf(learning.violationPercent!)) }),
    ...(controller.kind === 'learner' && { ruleEpisodes: spread(({ learning }) => learning.ruleEpisodes) }),
    ...(worst && { worst }),
  }
}

function worstOf(
  fallback: string,
  own: readonly TrialResult[],
  results: readonly TrialResult[],
): ComparedController['worst'] {
  const gains = own.flatMap(({ spec: { pair, seed }, judged }) => {
    const rule = results.find(({ spec }) => spec.controller === fallback && spec.pair === pair && spec.seed === seed)
    return rule ? [{ pair, seed, gain: judged.reward - rule.judged.reward }] : []
  })
  return gains.length === 0 ? undefined : gains.reduce((a, b) => (b.gain < a.gain ? b : a))
}

function findingsOf({ labels, rules }: ControlTask, controllers: readonly ComparedController[]): string[] {
  const rule = controllers.find(({ name }) => name === rules[0]!.name)
  if (!rule) return []
  return controllers.flatMap((one) => {
    if (one.kind !== 'learner' || !one.worst) return []
    const gain = one.reward.mean - rule.reward.mean
    const broken =
      one.violationPercent && rule.violationPercent
        ? `; ${labels.violation}: ${percent(one.violationPercent)} against ${percent(rule.violationPercent)}`
        : ''
    return [
      `${one.label} earns ${signed(gain)} beside ${rule.label}; in the worst run ${signed(one.worst.gain)} (${labels.spec} ${one.worst.pair}, seed ${one.worst.seed})${broken}.`,
    ]
  })
}

const signed = (value: number): string => `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`
const percent = ({ mean }: Spread): string => `${mean.toFixed(2)} %`
