import type { Problems } from '@trimtab/core'
import type { NoiseOptions } from './noise.js'

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
 * The authors' settings (their code: φ, λ, τ, KL weight, candidates, cut of the latents, learning rate) on nets of 64-64, which
 * an action of three limits and a state of twelve numbers need (theirs are 400-300 and 750-750), with the horizon, baseline
 * and noise of the DDPG preset `autoscaling`.
 */
export const bcqDefaults: BcqOptions = {
  hidden: [64, 64],
  latentsPerAction: 2,
  batchSize: 64,
  capacity: 100_000,
  warmUp: 64,
  updatesPerStep: 1,
  learningRate: 1e-3,
  discount: 0.9,
  targetRate: 0.005,
  rewardBaseline: 1.6,
  reach: 0.05,
  pessimism: 0.75,
  divergenceWeight: 0.5,
  latentBound: 0.5,
  targetCandidates: 10,
  actingCandidates: 100,
  noise: {
    process: { kind: 'gaussian', deviation: 1 },
    schedule: { kind: 'episodes', from: 0.3, to: 0.05, episodes: 100 },
  },
}

/** Notes everything that is wrong with the options, each with its path. */
export function checkBcqOptions(options: BcqOptions, problems: Problems, path: string): void {
  const number = (name: keyof BcqOptions, says: string, holds: (x: number) => boolean): void => {
    const value = options[name]
    problems.check(
      typeof value === 'number' && Number.isFinite(value) && holds(value),
      `${path}.${name} must be ${says}, got ${String(value)}`,
    )
  }
  problems.check(
    options.hidden.length > 0 && options.hidden.every((size) => Number.isInteger(size) && size > 0),
    `${path}.hidden must name layers of at least 1, got [${options.hidden}]`,
  )
  for (const name of [
    'latentsPerAction',
    'batchSize',
    'capacity',
    'warmUp',
    'targetCandidates',
    'actingCandidates',
  ] as const) {
    number(name, 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)
  }
  problems.check(
    !(options.warmUp > options.capacity),
    `${path}.warmUp must not exceed capacity, got ${options.warmUp} > ${options.capacity}: learning would never begin`,
  )
  for (const name of ['updatesPerStep', 'learningRate'] as const) number(name, '> 0', (x) => x > 0)
  number('discount', 'in [0, 1)', (x) => x >= 0 && x < 1)
  number('targetRate', 'in (0, 1]', (x) => x > 0 && x <= 1)
  number('pessimism', 'in [0, 1]', (x) => x >= 0 && x <= 1)
  number('rewardBaseline', 'finite', () => true)
  for (const name of ['reach', 'divergenceWeight', 'latentBound'] as const) number(name, '≥ 0', (x) => x >= 0)
}
