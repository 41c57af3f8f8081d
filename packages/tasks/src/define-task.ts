import { ConfigError, Problems, type Space } from '@trimtab/core'
import type {
  ControlTask,
  ControlTaskDefinition,
  SupervisedTask,
  SupervisedTaskDefinition,
  Task,
  TaskEnvironment,
  TaskLabels,
} from './task.js'

const SHARED_KEYS = ['kind', 'name', 'generate', 'labels']
const CONTROL_KEYS = [
  ...SHARED_KEYS,
  ...['observation', 'action', 'episodeSteps', 'environment', 'rules', 'baseLearner', 'safety', 'parameters'],
]
const SUPERVISED_KEYS = [...SHARED_KEYS, 'read', 'predictors', 'judge']
const LABEL_KEYS = ['task', 'spec', 'reward', 'violation']
const SAFETY_KEYS = ['isViolation', 'isTrueViolation', 'safeDirection', 'reach', 'hindsight']
const ALGORITHMS = { ddpg: 'box', dqn: 'discrete', ppo: undefined } as const

/**
 * Makes a task of its parts: one object that pretraining, adaptation, comparison, the command and the playground take as it
 * is. Unknown keys and missing or half-made parts are refused, all at once.
 *
 * @throws {ConfigError} `config_invalid` with every problem, each with its path
 * @example
 * // my-task.js: `trimtab compare ./my-task.js`
 * export const task = defineTask({
 *   kind: 'control',
 *   name: 'queue-workers',
 *   observation: boxSpace(['backlog', 'workers']),
 *   action: boxSpace(['workers']),
 *   episodeSteps: 100,
 *   generate: (core, number) => ({ arrivals: 1 + (number % 7) }),
 *   environment: (core, spec) => new QueueWorld(core, spec),
 *   rules: [{ name: 'threshold', create: () => new ThresholdRule() }],
 *   baseLearner: { algorithm: 'ddpg', preset: 'default', options: {} },
 *   safety: { isViolation: (info) => info.late === 1, safeDirection: [1] },
 * })
 */
export function defineTask<Spec, World extends TaskEnvironment>(
  definition: ControlTaskDefinition<Spec, World>,
): ControlTask<Spec, World>
export function defineTask<Data, Model>(definition: SupervisedTaskDefinition<Data, Model>): SupervisedTask<Data, Model>
export function defineTask(
  definition: ControlTaskDefinition<unknown> | SupervisedTaskDefinition<unknown, unknown>,
): Task {
  const problems = new Problems()
  const { name, kind } = definition ?? {}
  problems.check(/^[a-z][a-z0-9-]*$/.test(String(name)), `name must be lower case with dashes, got ${String(name)}`)
  requireFunctions(problems, definition, ['generate'])
  if (definition?.labels !== undefined) {
    problems.checkKeys(definition.labels, LABEL_KEYS, 'labels')
    for (const [key, label] of Object.entries(definition.labels))
      problems.check(typeof label === 'string' && label !== '', `labels.${key} must be text, got ${String(label)}`)
  }
  if (definition?.kind === 'control') checkControl(problems, definition)
  else if (definition?.kind === 'supervised') checkSupervised(problems, definition)
  else problems.check(false, `kind must be control or supervised, got ${String(kind)}`)
  problems.throwIfAny(`task ${String(name)}`)
  const labels: TaskLabels = {
    ...{ task: definition.name, spec: 'pair', reward: 'reward an episode', violation: 'violations' },
    ...definition.labels,
  }
  if (definition.kind === 'supervised') return Object.freeze({ ...definition, labels })
  return Object.freeze({
    ...definition,
    labels,
    pool: (core, first, count) => pairNumbers(first, count).map((number) => definition.generate(core, number)),
    fallback: (core, world) => definition.rules[0]!.create(core, world),
  } satisfies ControlTask)
}

function checkControl(problems: Problems, task: ControlTaskDefinition<unknown>): void {
  problems.checkKeys(task, CONTROL_KEYS, 'task')
  requireFunctions(problems, task, ['environment'])
  const { observation, action, episodeSteps, baseLearner, safety, parameters } = task
  const hasSpaces = checkSpace(problems, observation, 'observation') && checkSpace(problems, action, 'action')
  problems.check(observation?.kind === 'box', `observation.kind must be box, got ${observation?.kind}`)
  if (hasSpaces && action.kind === 'box') {
    const isUnit = action.low.every((value) => value === -1) && action.high.every((value) => value === 1)
    problems.check(isUnit, 'action must be a box of [−1, 1]: scale it inside the world')
  }
  problems.check(
    Number.isSafeInteger(episodeSteps) && episodeSteps >= 1,
    `episodeSteps must be a whole number >= 1, got ${episodeSteps}`,
  )
  checkNamed(problems, task.rules, 'rules', 'create')
  const kind = ALGORITHMS[baseLearner?.algorithm as keyof typeof ALGORITHMS]
  const known = Object.keys(ALGORITHMS)
  problems.check(
    known.includes(baseLearner?.algorithm),
    `baseLearner.algorithm must be one of ${known.join(', ')}, got ${baseLearner?.algorithm}`,
  )
  problems.check(
    kind === undefined || kind === action?.kind,
    `baseLearner.algorithm ${baseLearner?.algorithm} needs a ${kind} action, this one is ${action?.kind}: ppo takes both`,
  )
  problems.check(parameters === undefined || typeof parameters === 'function', 'parameters must be a function')
  if (safety === undefined) return
  problems.checkKeys(safety, SAFETY_KEYS, 'safety')
  requireFunctions(problems, safety, ['isViolation'], 'safety.')
  const { safeDirection, reach } = safety
  problems.check(
    reach === undefined || (reach > 0 && reach <= 2 && action?.kind === 'box'),
    `safety.reach must be in (0, 2] and needs a box, got ${reach}`,
  )
  problems.check(
    safeDirection === undefined ||
      (safeDirection.length === action?.names?.length && safeDirection.every((sign) => [-1, 0, 1].includes(sign))),
    `safety.safeDirection must hold −1, 0 or 1 for each of ${action?.names?.length} coordinates, got ${safeDirection}`,
  )
}

function checkSupervised(problems: Problems, task: SupervisedTaskDefinition<unknown, unknown>): void {
  problems.checkKeys(task, SUPERVISED_KEYS, 'task')
  requireFunctions(problems, task, ['read', 'judge'])
  checkNamed(problems, task.predictors, 'predictors', 'fit')
}

/** A list of at least one thing with a name of its own and a function to make it. */
function checkNamed(problems: Problems, list: readonly { readonly name: string }[], path: string, make: string): void {
  const isList = Array.isArray(list) && list.length > 0
  problems.check(isList, `${path} must be a list of at least one`)
  if (!isList) return
  for (const [i, one] of list.entries()) {
    problems.check(
      typeof one?.name === 'string' && one.name !== '',
      `${path}[${i}].name must be text, got ${one?.name}`,
    )
    requireFunctions(problems, one, [make], `${path}[${i}].`)
    problems.check(
      list.findIndex((other) => other?.name === one?.name) === i,
      `${path}[${i}].name ${one?.name} is taken: each has one of its own`,
    )
  }
}

/** @returns whether the space can be looked into further */
function checkSpace(problems: Problems, space: Space, path: string): boolean {
  const { names, low, high, kind } = space ?? {}
  const isWhole = Array.isArray(names) && names.length > 0 && [low, high].every((side) => side?.length === names.length)
  problems.check(isWhole, `${path} must be a space: names, low and high of one length, at least one`)
  problems.check(kind === 'box' || kind === 'discrete', `${path}.kind must be box or discrete, got ${String(kind)}`)
  if (!isWhole) return false
  for (const [i, name] of names.entries())
    problems.check(low![i]! < high![i]!, `${path}.${name}: low must be below high, got ${low![i]} and ${high![i]}`)
  return true
}

function requireFunctions(problems: Problems, holder: object, names: readonly string[], path = ''): void {
  for (const name of names) {
    const value = (holder as Readonly<Record<string, unknown>> | undefined)?.[name]
    problems.check(typeof value === 'function', `${path}${name} must be a function, got ${String(value)}`)
  }
}

/** A pool's pair numbers, checked. */
function pairNumbers(first: number, count: number): number[] {
  const last = first + count - 1
  if (!(Number.isSafeInteger(first) && first >= 0 && Number.isSafeInteger(last) && count >= 1)) {
    throw new ConfigError(
      'config_invalid',
      `a pool needs a whole first number >= 0 and count >= 1, got ${first} and ${count}`,
    )
  }
  return Array.from({ length: count }, (_, i) => first + i)
}
