import type { Space } from '@trimtab/core'
import type { AgentPreset } from '../agent-setup.js'
import type { PpoOptions } from '../ppo-options.js'
import { boxSpace } from '../spaces.js'

/** A PPO preset for many agents: what their critic sees of the others comes with it. */
export interface ManyPreset extends AgentPreset<PpoOptions> {
  readonly global: Space
}

/** Table 4.2; what it leaves open is as the authors' released code has it. */
const SIMPPO: PpoOptions = {
  hidden: [64, 64],
  activation: 'relu',
  initialisation: 'uniform', // PyTorch's default
  initialDeviation: 0.5,
  rolloutSteps: 200, // four episodes of T = 50, of one agent: multiply by the agents
  miniBatchSize: 5, // 4.7.2; a single agent has 10
  epochs: 5,
  draw: 'replacement',
  policyLearningRate: 3e-4,
  valueLearningRate: 3e-4,
  adamEpsilon: 1e-8,
  maxGradientNorm: 0,
  sharedNorm: false,
  discount: 0.99,
  lambda: 1, // plain returns, but with a value behind a time limit
  returns: 'gae',
  clip: 0.2,
  valueClip: 0,
  valueWeight: 0.05,
  entropyWeight: 0.01,
  normalise: 'rollout',
  rewardBaseline: 0,
  rewardScale: 1,
  calibrationSteps: 0,
}

/** 4.7.1: aggregated limits and actions, mean SLO preservation and utilisation of the others. */
const OTHERS = [
  ...['cpuLimits', 'memoryLimits'],
  ...['verticalActions', 'horizontalActions'],
  ...['meanSloPreservation', 'meanUtilisation'],
]

/**
 * SIMPPO as its text has it: of the others' limits and actions the sums, of their SLO preservation and utilisation the means, and of
 * all six the deviation. With the seven numbers of Table 4.1 the critic sees 19.
 */
export const SIMPPO_FULL: ManyPreset = {
  preset: 'simppo-full',
  options: SIMPPO,
  global: boxSpace([...OTHERS, ...OTHERS.map((name) => `${name}Deviation`)], -10, 10),
}

/** SIMPPO with the critic of 4,993 parameters that 4.8.3 counts: 11 numbers, four of them of the others. */
export const SIMPPO_COMPACT: ManyPreset = {
  preset: 'simppo-compact',
  options: SIMPPO,
  global: boxSpace(['meanSloPreservation', 'meanUtilisation', 'cpuLimits', 'actions'], -10, 10),
}

/**
 * What comes level with tuned rules where as printed SIMPPO falls behind them: one policy of all agents that has imitated the rule
 * first (`imitateMany`), a short horizon, a centred reward, a nearly indifferent first policy; its critic sees no more than it. The
 * reward puts a price on what the agent takes from the others. Set `rolloutSteps` to agents times steps of an episode, and
 * `rewardBaseline` to about the rule's reward of a step.
 */
export const MANY_TENANTS: AgentPreset<PpoOptions> = {
  preset: 'many-tenants',
  options: {
    ...SIMPPO,
    activation: 'tanh',
    initialisation: 'orthogonal',
    rolloutSteps: 720, // 12 agents, 60 steps
    miniBatchSize: 60,
    draw: 'shuffle',
    valueLearningRate: 1e-3,
    adamEpsilon: 1e-5,
    maxGradientNorm: 0.5,
    discount: 0.9,
    lambda: 0.95,
    valueWeight: 0.5,
    normalise: 'mini-batch',
    rewardBaseline: 0.85,
  },
}
