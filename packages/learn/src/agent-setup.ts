import { Problems, type Space } from '@trimtab/core'
import { COUNT, isCount } from '@trimtab/core/internal'
import type { PolicyAlgorithm, PolicyHeader } from './policy-file.js'
import { choicesOf } from './spaces.js'

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
  /** A box with every coordinate in [−1, 1], which the task maps to limits and replicas, or one choice (`discreteSpace`). */
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
  setup: AgentSetup<Options>,
): { readonly options: Options; readonly header: PolicyHeader } {
  const { algorithm, defaults } = family
  const options: Options = { ...defaults, ...setup.options }
  const problems = new Problems()
  problems.checkKeys(setup, [...KEYS, ...family.keys], 'setup')
  family.checkOptions(options, problems, 'options')
  const { observation, action, seed, preset = 'default', task = 'unnamed', trainingData = '' } = setup
  for (const [name, text] of Object.entries({ preset, task, trainingData })) {
    problems.check(typeof text === 'string', `${name} must be text, got ${String(text)}`)
  }
  checkSharing(setup, problems)
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  problems.check(observation.names.length > 0, 'observation must have at least one entry')
  checkAction(action, family.actions, problems)
  problems.throwIfAny(algorithm)
  return {
    options,
    header: {
      ...{ algorithm, task, preset, observation, action, seed, trainingData },
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

function checkAction(action: Space, kinds: readonly Space['kind'][], problems: Problems): void {
  problems.check(action.names.length > 0, 'action must have at least one entry')
  if (!kinds.includes(action.kind)) {
    const way = kinds.includes('box') ? 'createDqn, createPpo or createQTable' : 'createDdpg, createPpo or createBcq'
    problems.check(false, `action must be ${kinds.join(' or ')}, got ${action.kind}: use ${way} for that`)
    return
  }
  if (action.kind === 'discrete') {
    problems.check(
      choicesOf(action) >= 2 && action.low[0] === 0,
      'a discrete action must have one name and indices from 0 to at least 1 (discreteSpace)',
    )
    return
  }
  problems.check(
    action.low.every((x) => x === -1) && action.high.every((x) => x === 1),
    'action must be a box of [−1, 1]: map to physical units in the task (linearMap, logMap)',
  )
}
