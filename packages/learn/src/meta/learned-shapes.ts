import { type EncoderShape, encoderParameterCount, isCount, mlpParameterCount } from '@trimtab/core/internal'
import { ddpgDefaults } from '../ddpg-options.js'
import { dqnDefaults } from '../dqn-options.js'
import { ppoDefaults } from '../ppo-options.js'
import { choicesOf } from '../spaces.js'
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
 * compared with it before anything is laid out.
 * @param refuse  told what of the description is none
 */
export function learnedCounts(described: Described, refuse: (what: string) => never): ReadonlyMap<string, number> {
  const { base, meta, observation, action } = described
  const { kind, hiddenSize, layers, dense } = meta
  const areCounts = (sizes: unknown): sizes is readonly number[] => Array.isArray(sizes) && sizes.every(isCount)
  if (!areCounts([hiddenSize, layers]) || !areCounts(dense) || dense.length === 0 || !['set', 'gru'].includes(kind)) {
    refuse('its encoder is not described')
  }
  const usual = DEFAULTS.get(base.algorithm)
  if (!usual) return refuse(`its agent is a ${base.algorithm}; there are ${[...DEFAULTS.keys()].join(', ')}`)
  const hidden = base.options?.hidden ?? usual
  if (!areCounts(hidden)) return refuse('the layers of its agent are not described')
  const encoder: EncoderShape = { kind, inputSize: stepColumns({ observation, action }), hiddenSize, layers, dense }
  const inputs = observation.names.length + dense.at(-1)!
  return new Map([
    ...named('meta.encoder.', ['parameters', 'adam.m', 'adam.v'], encoderParameterCount(encoder)),
    ...agentCounts(base.algorithm, inputs, hidden, action),
  ])
}

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
      const policy = action.kind === 'box' ? count(inputs, width) + width : count(inputs, choicesOf(action))
      return [...named('agent.', moments('policy'), policy), ...named('agent.', moments('value'), count(inputs, 1))]
    }
  }
}
