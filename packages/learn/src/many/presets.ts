import type { AgentPreset } from '../agent-setup.js'
import type { PpoOptions } from '../ppo-options.js'

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

/** SIMPPO as its text has it, for critics that see 12 numbers of the others (`PAPER_GLOBALS` of `@trimtab/tasks/serverless`) beside 7. */
export const SIMPPO_FULL: AgentPreset<PpoOptions> = { preset: 'simppo-full', options: SIMPPO }

/** SIMPPO with the critic of 4,993 parameters that 4.8.3 counts: it sees four (`COMPACT_GLOBALS`). */
export const SIMPPO_COMPACT: AgentPreset<PpoOptions> = { preset: 'simppo-compact', options: SIMPPO }

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

/** For one policy of all agents that corrects their rules: larger steps on more of what happened, and a horizon of twenty steps. */
export const MANY_CORRECTIONS: AgentPreset<PpoOptions> = {
  preset: 'many-corrections',
  options: { ...MANY_TENANTS.options, policyLearningRate: 1e-3, miniBatchSize: 480, discount: 0.95 },
}
