import type { BaseLearnerChoice } from '@trimtab/learn'
import {
  type ActionLevels,
  type ActionScheme,
  continuousActions,
  levelActions,
  STEP_ACTIONS,
} from './action-schemes.js'
import { correctionActions } from './correction-actions.js'
import {
  ADVISED_FEATURES,
  COMPACT_GLOBALS,
  type Feature,
  IDLE_FEATURES,
  PAPER_GLOBALS,
  PRINTED_FEATURES,
  SIZING_FEATURES,
} from './features.js'
import type { GlobalView } from './global-state.js'
import { VIOLATION_PRICE } from './outcome.js'
import { PRICED_REWARD, PRINTED_REWARD, type ServerlessReward } from './reward.js'

/** What agents of a platform see, do and are paid. */
export interface ServerlessPreset {
  readonly observation: readonly Feature[]
  readonly global: GlobalView
  readonly action: ActionScheme
  readonly reward: ServerlessReward
  /** How many agents act in a step, those of the lowest SP; the others hold what they have. */
  readonly actors: number
}

const NO_GLOBALS: GlobalView = { features: [], hasDeviations: false }
const TEAM_REWARD: ServerlessReward = { ...PRINTED_REWARD, of: 'team' }

/** Each agent for itself, as printed (4.3). */
const S_RL: ServerlessPreset = {
  observation: PRINTED_FEATURES,
  global: NO_GLOBALS,
  action: STEP_ACTIONS,
  reward: PRINTED_REWARD,
  actors: Number.POSITIVE_INFINITY,
}

const LEVELS: ActionLevels = {
  headroom: [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4],
  shares: [128, 256, 512, 1024, 2048],
  keepAliveSeconds: [60],
  leastContainers: [0],
}

const PRICED: ServerlessPreset = {
  ...S_RL,
  observation: SIZING_FEATURES,
  action: levelActions(LEVELS),
  reward: PRICED_REWARD,
}

/** The paper's variants, and what earns more. */
export const SERVERLESS_PRESETS: {
  readonly 's-rl': ServerlessPreset
  readonly 'il-rl': ServerlessPreset
  readonly 'cpq-rl': ServerlessPreset
  readonly 'simppo-all': ServerlessPreset
  readonly 'simppo-full': ServerlessPreset
  readonly 'simppo-compact': ServerlessPreset
  readonly priced: ServerlessPreset
  readonly 'priced-quota': ServerlessPreset
  readonly 'priced-keep-alive': ServerlessPreset
  readonly 'priced-prewarm': ServerlessPreset
  readonly 'priced-continuous': ServerlessPreset
  readonly corrected: ServerlessPreset
} = {
  's-rl': S_RL,
  /** The team's mean reward, and nothing else of the others (4.6.1). */
  'il-rl': { ...S_RL, reward: TEAM_REWARD },
  /** One agent after the other, lowest SP first: a printed decision takes a second, a step has ten (4.6.2). */
  'cpq-rl': { ...S_RL, actors: 10 },
  /** Mean field: the mean of everything that the others see (4.8.2). */
  'simppo-all': { ...S_RL, global: { features: PRINTED_FEATURES, hasDeviations: false }, reward: TEAM_REWARD },
  /** Six numbers of the others and how they deviate: critics see 19. */
  'simppo-full': { ...S_RL, global: { features: PAPER_GLOBALS, hasDeviations: true }, reward: TEAM_REWARD },
  /** Critics see 11 numbers: the printed 4,993 parameters. */
  'simppo-compact': { ...S_RL, global: { features: COMPACT_GLOBALS, hasDeviations: false }, reward: TEAM_REWARD },
  /** Level actions, and prices on violations and shares. */
  priced: PRICED,
  /** Under quotas shares do something, and cost less. */
  'priced-quota': { ...PRICED, reward: { ...PRICED_REWARD, corePrice: 0.03 } },
  /** How long idle containers are kept is decided too: for functions that are called rarely. */
  'priced-keep-alive': {
    ...PRICED,
    action: levelActions({ ...LEVELS, keepAliveSeconds: [0, 30, 120, 600, 2400] }),
  },
  /** And whether a container is there before anybody has asked for one. */
  'priced-prewarm': {
    ...PRICED,
    observation: IDLE_FEATURES,
    action: levelActions({ ...LEVELS, keepAliveSeconds: [0, 60, 600], leastContainers: [0, 1, 2] }),
  },
  /** For agents that act on a box. */
  'priced-continuous': { ...PRICED, action: continuousActions([0, 4], 60) },
  /** Corrections of a tuned rule; violations cost twice what they are judged by, or what is gained is paid for in them. */
  corrected: {
    ...S_RL,
    observation: ADVISED_FEATURES,
    action: correctionActions({
      containers: [-2, -1, -0.5, 0, 0.5, 1, 2],
      shares: [0.5, 0.71, 1, 1.41, 2],
      keepAlive: [0, 0.3, 1, 3, 10],
    }),
    reward: { ...PRICED_REWARD, violationPrice: 2 * VIOLATION_PRICE, corePrice: 0 },
  },
}

/** A preset of the serverless task. */
export type ServerlessPresetName = keyof typeof SERVERLESS_PRESETS

/** What one tenant is learned with (notes on SIMPPO): what an action does shows within some steps, so γ is low. */
export const SERVERLESS_LEARNER: BaseLearnerChoice = {
  algorithm: 'ppo',
  preset: 'serverless',
  options: {
    ...{ hidden: [64, 64], discount: 0.9, lambda: 0.95, epochs: 5, miniBatchSize: 60 },
    ...{ rolloutSteps: 50, rewardBaseline: 0.7 },
  },
}
