import type { AgentPreset, DdpgOptions } from '@trimtab/learn'

/**
 * Exploration factor ε: 1.0, decay 1e-6 (tables 3.3 and 5.2), once per update as in FIRM's code. That code lets it fall
 * below zero after a million updates, which would turn the noise round and let it grow; here it rests at 0.05.
 */
export const PAPER_EXPLORATION = { kind: 'updates', from: 1, decrement: 1e-6, floor: 0.05 } as const

/** FIRM's agent, dissertation 3.2.4 and table 3.3; where they are silent, the released code. */
export const FIRM_OPTIONS: DdpgOptions = {
  hidden: [40, 40], // 3.2.4: two hidden layers of 40, ReLU
  batchSize: 64, // table 3.3: 300 × 64
  capacity: 100_000, // table 3.3
  warmUp: 70, // code: first update once the buffer holds 70
  updatesPerStep: 1, // code
  actorLearningRate: 3e-4, // table 3.3
  criticLearningRate: 3e-3, // table 3.3
  discount: 0.9, // table 3.3
  targetRate: 2e-3, // table 3.3 (Algorithm 3.3 prints γ in its place, the code has 1e-3)
  noise: {
    // table 3.3: μ 0, σ 0.2; θ and dt are those of the common Ornstein–Uhlenbeck class that the code uses
    process: { kind: 'ornstein-uhlenbeck', mu: 0, theta: 0.15, sigma: 0.2, dt: 0.01 },
    schedule: PAPER_EXPLORATION,
  },
  // What the papers print nothing about and their code leaves off.
  averageRate: 0,
  rewardBaseline: 0,
  weightDecay: 0,
  maxGradientNorm: 0,
  outputPenalty: 0,
  saturationPenalty: 0,
  saturationLimit: 1.5,
  cloningWeight: 0,
  calibrationSteps: 0,
}

/** FIRM with one continuous limit per resource, as its text says: actor 8-40-40-5, critic 13-40-40-1 (table 3.2, figure 3.4). */
export const FIRM_CONTINUOUS: AgentPreset<DdpgOptions> = { preset: 'firm-continuous', options: FIRM_OPTIONS }

/**
 * FIRM with keep, up or down per resource, which is what its 23 critic inputs mean: actor 8-40-40-15, critic 23-40-40-1.
 * `ternarySteps` turns the fifteen outputs into five steps.
 */
export const FIRM_TERNARY: AgentPreset<DdpgOptions> = { preset: 'firm-ternary', options: FIRM_OPTIONS }

/**
 * A recipe for the same task that learns within some hundred episodes of 100 steps: what an action is worth shows in the next second
 * (γ .3), reward is centred, noise decays, and it is pulled towards the rule where that is told.
 */
export const MITIGATION_DDPG: AgentPreset<DdpgOptions> = {
  preset: 'mitigation',
  options: {
    ...FIRM_OPTIONS,
    criticLearningRate: 1e-3,
    discount: 0.3,
    targetRate: 5e-3,
    averageRate: 1e-3,
    rewardBaseline: 4,
    cloningWeight: 0.3,
    noise: {
      process: { kind: 'gaussian', deviation: 1 },
      schedule: { kind: 'episodes', from: 0.3, to: 0.05, episodes: 40 },
    },
  },
}
