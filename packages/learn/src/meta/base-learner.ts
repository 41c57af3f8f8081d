import { ConfigError, type Core, type Space } from '@trimtab/core'
import { createDdpg } from '../ddpg.js'
import type { DdpgOptions } from '../ddpg-options.js'
import type { DdpgPresetName } from '../presets.js'
import type { ContextualAgent } from './contextual-agent.js'

/** Which agent a task is learned with: an algorithm, a preset of it and what differs. Plain JSON. */
export interface BaseLearnerChoice {
  readonly algorithm: string
  readonly preset: string
  readonly options: Readonly<Record<string, unknown>>
}

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

/** An agent that pretraining and adaptation can drive, with a lifetime. */
export type BaseLearner = ContextualAgent & { save(): Uint8Array; dispose(): void }

/**
 * Makes the agent that a choice names, open to many pairs.
 * @throws {ConfigError} `config_invalid`; `algorithm_unknown`
 */
export function createBaseLearner(core: Core, setup: BaseLearnerSetup): BaseLearner {
  const { base, ...shape } = setup
  switch (base.algorithm) {
    case 'ddpg':
      return createDdpg(core, {
        ...shape,
        preset: base.preset as DdpgPresetName,
        options: base.options as Partial<DdpgOptions>,
      })
    default:
      throw new ConfigError('algorithm_unknown', `no base learner is called ${base.algorithm}: there are ddpg`)
  }
}

/** The choice as it goes on from a shared policy with one pair: in smaller steps, for it is nearly right already. */
export function fineTuning(base: BaseLearnerChoice): BaseLearnerChoice {
  if (base.algorithm !== 'ddpg') return base
  const options: Partial<DdpgOptions> = {
    batchSize: 64,
    capacity: 20_000,
    actorLearningRate: 1e-4,
    criticLearningRate: 5e-4,
    noise: {
      process: { kind: 'gaussian', deviation: 1 },
      schedule: { kind: 'episodes', from: 0.2, to: 0.05, episodes: 50 },
    },
  }
  return { ...base, options: { ...base.options, ...options } }
}
