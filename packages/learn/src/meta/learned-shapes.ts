import { type EncoderShape, encoderParameterCount, isCount, mlpParameterCount } from '@trimtab/core/internal'
import { ddpgDefaults } from '../ddpg-options.js'
import { dqnDefaults } from '../dqn-options.js'
import { ppoDefaults } from '../ppo-options.js'
import { choicesOf, headsOf } from '../spaces.js'
import type { BaseLearnerChoice } from './base-learner.js'
import type { MetaOptions } from './presets.js'
import { type RlShapes, stepColumns } from './trajectory.js'

/** What the networks of a pretrained model have their shapes from; read from a file, so nothing of it is sure. */
interface Described extends RlShapes {
  readonly base: BaseLearnerChoice
  readonly meta: MetaOptions
}

/**
 * How many numbers each tensor of a pretrained model's networks holds, by its description alone, exact to 2^53: a file is
 * compared with it before anything is laid out. What it asks for beside them, room for contexts and rollouts, no tensor shows: it
 * may be 64 MiB, or 64 times the networks where that is more.
 * @param refuse  told what of the description is none
 */
export function learnedCounts(described: Described, refuse: (what: string) => never): ReadonlyMap<string, number> {
  const { base, meta, observation, action } = described
  const { kind, hiddenSize, layers, dense, maxSequences, maxSteps } = meta
  const areCounts = (sizes: unknown): sizes is readonly number[] => Array.isArray(sizes) && sizes.every(isCount)
  if (
    !areCounts([hiddenSize, layers, maxSequences, maxSteps]) ||
    !areCounts(dense) ||
    dense.length === 0 ||
    !['set', 'gru'].includes(kind)
  ) {
    refuse('its encoder is not described')
  }
  const usual = DEFAULTS.get(base.algorithm)
  if (!usual) return refuse(`its agent is a ${base.algorithm}; there are ${[...DEFAULTS.keys()].join(', ')}`)
  const hidden = base.options?.hidden ?? usual
  if (!areCounts(hidden)) return refuse('the layers of its agent are not described')
  const encoder: EncoderShape = { kind, inputSize: stepColumns({ observation, action }), hiddenSize, layers, dense }
  const inputs = observation.names.length + dense.at(-1)!
  const counts = new Map([
    ...named('meta.encoder.', ['parameters', 'adam.m', 'adam.v'], encoderParameterCount(encoder)),
    ...agentCounts(base.algorithm, inputs, hidden, action),
  ])
  const rollout = base.algorithm === 'ppo' ? { ...ppoDefaults, ...base.options } : undefined
  if (rollout && !areCounts([rollout.rolloutSteps, rollout.miniBatchSize]))
    refuse('the rollout of its agent is not described')
  const room =
    maxSequences * maxSteps * (encoder.inputSize + (kind === 'gru' ? NUMBERS_OF_A_CELL * hiddenSize * layers : 0)) +
    (rollout ? rollout.rolloutSteps * (inputs + action.names.length) + rollout.miniBatchSize * sum(hidden) : 0)
  if (room > Math.max(ROOM, ROOM_OF_NETWORKS * sum([...counts.values()]))) {
    const mebibytes = Math.ceil((4 * room) / 2 ** 20)
    refuse(`its contexts and rollouts ask for ${mebibytes} MiB, far more than networks like its need`)
  }
  return counts
}

// Numbers, four bytes each. The largest preset takes seven times its networks.
const ROOM = 2 ** 24
const ROOM_OF_NETWORKS = 64
const NUMBERS_OF_A_CELL = 16 // gates, states and slopes, both ways

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

/** Hidden layers of the agents that pairs can share, where a choice names none. */
const DEFAULTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['ddpg', ddpgDefaults.hidden],
  ['dqn', dqnDefaults.hidden],
  ['ppo', ppoDefaults.hidden],
])

type Named = [name: string, count: number][]

const named = (prefix: string, names: readonly string[], count: number): Named =>
  names.map((name) => [prefix + name, count])

/** As the kernels' `learned` names them. */
function agentCounts(algorithm: string, inputs: number, hidden: readonly number[], action: RlShapes['action']): Named {
  const count = (from: number, to: number): number => mlpParameterCount([from, ...hidden, to])
  const moments = (net: string): string[] => [net, `adam.${net}.m`, `adam.${net}.v`]
  const width = action.names.length
  switch (algorithm) {
    case 'ddpg':
      return [
        ...named('agent.', [...moments('actor'), 'targetActor', 'averagedActor'], count(inputs, width)),
        ...named('agent.', [...moments('critic'), 'targetCritic'], count(inputs + width, 1)),
      ]
    case 'dqn':
      return named('agent.', ['online', 'target', 'adam.m', 'adam.v'], count(inputs, choicesOf(action)))
    default: {
      // A Gaussian's log deviations stand behind its means.
      const policy = action.kind === 'box' ? count(inputs, width) + width : count(inputs, sum(headsOf(action)))
      return [...named('agent.', moments('policy'), policy), ...named('agent.', moments('value'), count(inputs, 1))]
    }
  }
}
