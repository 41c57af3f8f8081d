import type { DdpgOptions } from './ddpg-options.js'

/** Options with the setting they were made for. */
export interface DdpgPreset extends DdpgOptions {
  /** Inputs of the actor, outputs of the actor, steps per episode in the source. For orientation: the spaces decide. */
  readonly setting: { readonly stateSize: number; readonly actionSize: number; readonly episodeSteps: number }
}

/** What the papers print nothing about and their code leaves off. */
const PLAIN = {
  averageRate: 0,
  rewardBaseline: 0,
  weightDecay: 0,
  maxGradientNorm: 0,
  outputPenalty: 0,
  cloningWeight: 0,
  calibrationSteps: 0,
} as const

/**
 * Exploration factor ε: 1.0, decay 1e-6 (tables 3.3 and 5.2), once per update as in FIRM's code. That code lets it fall
 * below zero after a million updates, which would turn the noise round and let it grow; here it rests at 0.05.
 */
const PAPER_EXPLORATION = { kind: 'updates', from: 1, decrement: 1e-6, floor: 0.05 } as const

/** FIRM, dissertation 3.2.4 and table 3.3; where they are silent, the released code. */
const FIRM = {
  ...PLAIN,
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
} as const

/** Named sets of options. `autoscaling` learns fast and acts calmly; the others are as their papers print them. */
export const ddpgPresets: {
  readonly autoscaling: DdpgPreset
  readonly 'aware-paper': DdpgPreset
  readonly 'firm-continuous': DdpgPreset
  readonly 'firm-ternary': DdpgPreset
} = {
  /**
   * The recipe that beats a tuned HPA+VPA on the autoscaling simulator. It departs from the papers where that was
   * measured to matter: centred reward first of all, decaying noise, an averaged actor to serve, two updates a step.
   */
  autoscaling: {
    ...PLAIN,
    setting: { stateSize: 12, actionSize: 3, episodeSteps: 100 },
    hidden: [40, 40], // FIRM's
    batchSize: 64,
    capacity: 100_000, // a thousand episodes: nothing is forgotten in the runs that matter
    warmUp: 64, // one batch
    updatesPerStep: 2, // measured on ten applications: 0.5 earns 1 of 200 less, 4 no more
    actorLearningRate: 3e-4, // tables 3.3 and 5.2
    criticLearningRate: 1e-3, // tables: 3e-3
    discount: 0.9, // table 3.3; an action shows within a step or two, so more only adds variance
    targetRate: 5e-3, // tables: 2e-3 and 3e-3
    averageRate: 1e-3, // cuts violations while serving by a factor of six
    rewardBaseline: 1.6, // of at most 2 a step: without it Q starts at 0 against 17 and the actor saturates meanwhile
    noise: {
      process: { kind: 'gaussian', deviation: 1 },
      schedule: { kind: 'episodes', from: 0.3, to: 0.05, episodes: 100 },
    },
  },

  /** AWARE, tables 1 and 2 (dissertation tables 5.1 and 5.2), on FIRM's implementation, which AWARE took over. */
  'aware-paper': {
    ...FIRM,
    setting: { stateSize: 9, actionSize: 3, episodeSteps: 100 }, // table 5.1: 2 limits, 4 utilisations, 2 SLO ratios, load change
    capacity: 1_000_000, // table 5.2
    discount: 0.99, // table 5.2
    targetRate: 3e-3, // table 5.2
    noise: {
      // table 5.2: μ 0, σ 0.2. Independent draws: a correlated process with dt 0.01 moves 0.02 a step, too slow for 100 steps
      process: { kind: 'gaussian', deviation: 0.2 },
      schedule: PAPER_EXPLORATION,
    },
  },

  /** FIRM with one continuous limit per resource, as its text says: actor 8-40-40-5, critic 13-40-40-1. */
  'firm-continuous': {
    ...FIRM,
    setting: { stateSize: 8, actionSize: 5, episodeSteps: 300 }, // table 3.2, figure 3.4; 300: table 3.3
  },

  /**
   * FIRM with keep, up or down per resource, which is what its 23 critic inputs mean: actor 8-40-40-15,
   * critic 23-40-40-1. `ternarySteps` turns the fifteen outputs into five steps.
   */
  'firm-ternary': {
    ...FIRM,
    setting: { stateSize: 8, actionSize: 15, episodeSteps: 300 },
  },
}

/** A preset of DDPG. */
export type DdpgPresetName = keyof typeof ddpgPresets
