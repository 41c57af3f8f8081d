import type { Problems } from '@trimtab/core'
import { ddpgDefaults } from './ddpg-options.js'
import { checkNoiseOptions, type NoiseOptions } from './noise.js'
import { OptionChecks } from './option-checks.js'

/** Everything that a BCQ agent can be told; the networks' outer sizes come from the spaces. */
export interface BcqOptions {
  /** Hidden layers of all five nets, ReLU. */
  readonly hidden: readonly number[]
  /** Latents per coordinate of the action; the authors take 2. */
  readonly latentsPerAction: number
  /** Transitions per update, drawn uniformly with replacement. */
  readonly batchSize: number
  /** Transitions remembered; the oldest goes first. */
  readonly capacity: number
  /** Transitions stored before the first update. */
  readonly warmUp: number
  /** Updates per `update()` call, one call per time step. */
  readonly updatesPerStep: number
  readonly learningRate: number
  /** γ, below 1. */
  readonly discount: number
  /** τ of the soft target update. */
  readonly targetRate: number
  /** Subtracted from every reward before learning: near the reward of a decent policy, the critics need not learn an offset. */
  readonly rewardBaseline: number
  /** φ: how far an action may move from one like the data's. */
  readonly reach: number
  /** λ: a candidate is worth λ min(Q1, Q2) + (1 − λ) max(Q1, Q2). */
  readonly pessimism: number
  /** Weight of the VAE's divergence beside its reconstruction loss. */
  readonly divergenceWeight: number
  /** Latents of candidates are normals cut at ± this. */
  readonly latentBound: number
  /** Candidates per next state in a target. */
  readonly targetCandidates: number
  /** Candidates that acting chooses from. */
  readonly actingCandidates: number
  /** What `explore` adds to the policy once it acts online; offline nothing explores. */
  readonly noise: NoiseOptions
}

/**
 * The authors' settings (their code: φ, λ, τ, KL weight, candidates, learning rate) on nets of 64-64, which
 * tasks of a dozen numbers need (theirs are 400-300 and 750-750), with the noise of DDPG's defaults once it acts online.
 */
export const bcqDefaults: BcqOptions = {
  hidden: [64, 64],
  latentsPerAction: 2,
  batchSize: 64,
  capacity: 100_000,
  warmUp: 64,
  updatesPerStep: 1,
  learningRate: 1e-3,
  discount: 0.99,
  targetRate: 0.005,
  rewardBaseline: 0,
  reach: 0.05,
  pessimism: 0.75,
  divergenceWeight: 0.5,
  latentBound: 2, // theirs is 0.5, which hardly leaves the middle of what was done: from random logs the right action is cut off
  targetCandidates: 10,
  actingCandidates: 100,
  noise: ddpgDefaults.noise,
}

/** Notes everything that is wrong with the options, each with its path. */
export function checkBcqOptions(options: BcqOptions, problems: Problems, path: string): void {
  const check = new OptionChecks(options, Object.keys(bcqDefaults), problems, path)
  check.layers('hidden', 1)
  check.replay()
  check.returns()
  check.counts('latentsPerAction', 'targetCandidates', 'actingCandidates')
  check.positive('learningRate')
  check.number('targetRate', 'in (0, 1]', (x) => x > 0 && x <= 1)
  check.shares('pessimism')
  check.notNegative('reach', 'divergenceWeight', 'latentBound')
  checkNoiseOptions(options.noise, problems, `${path}.noise`)
}
