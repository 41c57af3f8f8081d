import { ConfigError, type Core, type Space } from '@trimtab/core'
import { createDdpg } from '../ddpg.js'
import type { DdpgOptions } from '../ddpg-options.js'
import { createDqn } from '../dqn.js'
import type { DqnOptions } from '../dqn-options.js'
import { createPpo } from '../ppo.js'
import { type PpoOptions, ppoDefaults } from '../ppo-options.js'
import type { SharedAgent } from '../shared-agent.js'

/**
 * Which agent a task is learned with: an algorithm (`ddpg`, `dqn`, `ppo`), what its options are called and those that differ from
 * the algorithm's defaults. Plain JSON. PPO's
 * `rolloutSteps` are those of each pair: the steps of an episode, so that a round of episodes is a rollout.
 */
export interface BaseLearnerChoice {
  readonly algorithm: string
  readonly preset: string
  readonly options: Readonly<Record<string, unknown>>
}

/** What a base learner of a pool is built from; the pairs of the pool are its partitions. */
export interface BaseLearnerSetup {
  readonly task: string
  readonly base: BaseLearnerChoice
  readonly observation: Space
  readonly action: Space
  /** Z */
  readonly contextSize: number
  readonly partitions?: number
  readonly maxGroups?: number
  readonly seed: number
}

/**
 * Makes the agent that a choice names, open to many pairs.
 * @throws {ConfigError} `config_invalid`; `algorithm_unknown`
 */
export function createBaseLearner(core: Core, setup: BaseLearnerSetup): SharedAgent {
  const { base, maxGroups = 1, ...shape } = setup
  const { algorithm, preset } = base
  const options = withoutCalibration(base)
  switch (algorithm) {
    case 'ddpg':
      return createDdpg(core, { ...shape, maxGroups, preset, options: options as Partial<DdpgOptions> })
    case 'dqn':
      return createDqn(core, { ...shape, maxGroups, preset, options: options as Partial<DqnOptions> })
    case 'ppo': {
      const { rolloutSteps, ...others }: Partial<PpoOptions> = options
      const ofAll = (rolloutSteps ?? ppoDefaults.rolloutSteps) * (setup.partitions ?? 1)
      return createPpo(core, { ...shape, preset, options: { ...others, rolloutSteps: ofAll } })
    }
    default:
      throw new ConfigError('algorithm_unknown', `no base learner is called ${algorithm}: there are ddpg, dqn and ppo`)
  }
}

/**
 * Pairs share networks, not moments: each shard would calibrate on pairs of its own, and a pretrained policy is handed on without.
 * @throws {ConfigError} `config_invalid`
 */
function withoutCalibration({ algorithm, options }: BaseLearnerChoice): BaseLearnerChoice['options'] {
  const { calibrationSteps = 0 } = options
  if (calibrationSteps !== 0) {
    throw new ConfigError(
      'config_invalid',
      `base.options.calibrationSteps must be 0 for a learner that pairs share, got ${String(calibrationSteps)}: scale observations in the task`,
    )
  }
  return algorithm === 'dqn' ? options : { ...options, calibrationSteps }
}

/** The choice as it goes on from a shared policy with one pair: in smaller steps, for it is nearly right already. */
export function fineTuning(base: BaseLearnerChoice): BaseLearnerChoice {
  const options = FINE_TUNING[base.algorithm]
  return options === undefined ? base : { ...base, options: { ...base.options, ...options } }
}

const FINE_TUNING: Readonly<Record<string, BaseLearnerChoice['options']>> = {
  ddpg: {
    batchSize: 64,
    capacity: 20_000,
    actorLearningRate: 1e-4,
    criticLearningRate: 5e-4,
    noise: {
      process: { kind: 'gaussian', deviation: 1 },
      schedule: { kind: 'episodes', from: 0.2, to: 0.05, episodes: 50 },
    },
  } satisfies Partial<DdpgOptions>,
  dqn: {
    batchSize: 64,
    capacity: 20_000,
    learningRate: 5e-4,
    epsilon: { from: 0.2, to: 0.05, steps: 5000 },
  } satisfies Partial<DqnOptions>,
  ppo: { policyLearningRate: 1e-4, valueLearningRate: 5e-4 } satisfies Partial<PpoOptions>,
}
