import { Problems, type Space } from '@trimtab/core'
import { COUNT, isCount } from '@trimtab/core/internal'
import type { PolicyAlgorithm, PolicyHeader } from './policy-file.js'
import { headsOf } from './spaces.js'

/** A task's settings for one family: spread it into a set-up, and change what differs in `options`. */
export interface AgentPreset<Options> {
  /** What the options are called, in names and policy files. */
  readonly preset: string
  /** All of them: a preset does not move with the family's defaults. */
  readonly options: Options
}

/** What an agent of any family is made of. */
export interface AgentSetup<Options> {
  /** What the options are called, in names and policy files. Default `default`. */
  readonly preset?: string
  /** What differs from the family's defaults. */
  readonly options?: Partial<Options>
  readonly observation: Space
  /** A box with every coordinate in [−1, 1], which the task maps to limits and replicas, or a choice (`discreteSpace`, `headsSpace`). */
  readonly action: Space
  /** The same seed and the same transitions give the same bytes on every host. */
  readonly seed: number
  /** Whose policy this is; a file of another task is refused. Default `unnamed`. */
  readonly task?: string
  /** Free text for the policy file: which application, load and simulator teach it. */
  readonly trainingData?: string
}

/** What an agent that pairs share is made of. */
export interface SharedAgentSetup<Options> extends AgentSetup<Options> {
  /** Z: numbers of an embedding behind the observation (FLASH); see `setContext`. Default 0. */
  readonly contextSize?: number
  /** Pairs that share the agent, each with a replay or a part of the rollout of its own. Default 1. */
  readonly partitions?: number
}

/** What sets a family's set-up apart. */
export interface AgentFamily<Options> {
  readonly algorithm: PolicyAlgorithm
  readonly defaults: Options
  readonly actions: readonly Space['kind'][]
  /** How many choices at once its actions may be. */
  readonly heads: 'one' | 'several'
  /** Keys of its set-up beyond those of `AgentSetup`. */
  readonly keys: readonly string[]
  /** What its files say of the networks that serve. */
  network(options: Options): Pick<PolicyHeader, 'hidden' | 'activation' | 'normalised'>
  /** Notes everything that is wrong with the options, unknown keys too. */
  checkOptions(options: Options, problems: Problems, path: string): void
}

const KEYS = ['preset', 'options', 'observation', 'action', 'seed', 'task', 'trainingData']

/**
 * Checks a set-up and completes it: all options, and what the agent's files will say of it.
 * @throws {ConfigError} `config_invalid` with every problem at once
 */
export function openSetup<Options extends object>(
  family: AgentFamily<Options>,
  setup: AgentSetup<Options> & { readonly global?: Space },
): { readonly options: Options; readonly header: PolicyHeader } {
  const { algorithm, defaults } = family
  const options: Options = { ...defaults, ...setup.options }
  const problems = new Problems()
  problems.checkKeys(setup, [...KEYS, ...family.keys], 'setup')
  family.checkOptions(options, problems, 'options')
  const { observation, action, global, seed, preset = 'default', task = 'unnamed', trainingData = '' } = setup
  for (const [name, text] of Object.entries({ preset, task, trainingData })) {
    problems.check(typeof text === 'string', `${name} must be text, got ${String(text)}`)
  }
  checkSharing(setup, problems)
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.check(observation.names.length > 0, 'observation must have at least one entry')
  checkAction(action, family, problems)
  if (global) checkGlobal(global, problems)
  problems.throwIfAny(algorithm)
  return {
    options,
    header: {
      ...{ algorithm, task, preset, observation, action, seed, trainingData },
      ...(global && global.names.length > 0 && { global }),
      ...family.network(options),
      options: { ...(options as Readonly<Record<string, unknown>>) },
    },
  }
}

/** Pairs that share an agent, in families that have them. */
function checkSharing(setup: object, problems: Problems): void {
  const { contextSize = 0, partitions = 1, maxGroups = 1 } = setup as Readonly<Record<string, number>>
  problems.check(contextSize === 0 || isCount(contextSize), `contextSize must be 0 or ${COUNT}, got ${contextSize}`)
  for (const [name, value] of Object.entries({ partitions, maxGroups })) {
    problems.check(isCount(value), `${name} must be ${COUNT}, got ${value}`)
  }
}

function checkAction(
  action: Space,
  { actions: kinds, heads: most }: Pick<AgentFamily<never>, 'actions' | 'heads'>,
  problems: Problems,
): void {
  problems.check(action.names.length > 0, 'action must have at least one entry')
  if (!kinds.includes(action.kind)) {
    const way = kinds.includes('box') ? 'createDqn, createPpo or createQTable' : 'createDdpg, createPpo or createBcq'
    problems.check(false, `action must be ${kinds.join(' or ')}, got ${action.kind}: use ${way} for that`)
    return
  }
  if (action.kind === 'discrete') {
    const heads = headsOf(action)
    problems.check(
      heads.length > 0 && heads.every((choices) => choices >= 2) && action.low.every((low) => low === 0),
      'a discrete action must have indices from 0 to at least 1 for each name (discreteSpace, headsSpace)',
    )
    problems.check(
      most === 'several' || action.names.length === 1,
      `action must be one choice, got ${action.names.length}, ${action.names.join(' and ')}: use createPpo for that`,
    )
    return
  }
  problems.check(
    action.low.every((x) => x === -1) && action.high.every((x) => x === 1),
    'action must be a box of [−1, 1]: map to physical units in the task (linearMap, logMap)',
  )
}

function checkGlobal({ kind, names }: Space, problems: Problems): void {
  problems.check(kind === 'box', `global must be a box, got ${kind}`)
  problems.check(new Set(names).size === names.length, `global must name each number once, got ${names.join(', ')}`)
}
