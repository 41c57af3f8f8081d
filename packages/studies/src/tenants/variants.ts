import {
  type AgentPreset,
  MANY_CORRECTIONS,
  MANY_TENANTS,
  type PpoOptions,
  SIMPPO_COMPACT,
  SIMPPO_FULL,
} from '@trimtab/learn'
import type { ServerlessArena, ServerlessPresetName } from '@trimtab/tasks/serverless'

/** Whose a policy is. `each`: every tenant has its own; `category`: those that need CPU, memory or I/O most; `all`: one for all. */
export type PolicySharing = 'each' | 'category' | 'all'

/** A way to learn to scale the tenants of a platform. */
export interface TenantVariant {
  readonly label: string
  /** What agents see, do and are paid. */
  readonly preset: (arena: ServerlessArena) => ServerlessPresetName
  readonly sharing: PolicySharing
  /** Each tenant with the platform to itself, or all together. */
  readonly learns: 'alone' | 'together'
  readonly judged: 'alone' | 'together'
  readonly learner: AgentPreset<PpoOptions>
  /** Steps of agents that an update learns from, whole episodes. @param episode  those of one */
  readonly rolloutSteps: (episode: number) => number
  /**
   * What it begins with: nothing, an imitation of the best tuned rule, or that rule itself, which it corrects, and which stays as it is
   * where no corrections were found to be better.
   */
  readonly start: 'nothing' | 'imitation' | 'rule'
}

const AS_PRINTED = {
  sharing: 'each',
  learns: 'together',
  judged: 'together',
  learner: SIMPPO_FULL,
  rolloutSteps: (episode) => 4 * episode, // of 50 steps, as the authors' code has it
  start: 'nothing',
} as const satisfies Partial<TenantVariant>

const LEAST_ROLLOUT = 1800 // of corrections, which are worth little each

const always = (name: ServerlessPresetName) => (): ServerlessPresetName => name

/** Under quotas shares do something; where functions are called rarely, how long to keep a container is the question. */
const priced = ({ cpuMode, loads }: ServerlessArena): ServerlessPresetName =>
  loads === 'rare' ? 'priced-keep-alive' : cpuMode === 'quota' ? 'priced-quota' : 'priced'

const PRICED: TenantVariant = {
  label: 'priced, shared, imitated',
  preset: priced,
  sharing: 'all',
  learns: 'together',
  judged: 'together',
  learner: MANY_TENANTS,
  rolloutSteps: (episode) => episode,
  start: 'imitation',
}

/** A way to learn to scale the tenants of a platform, by name. */
export type TenantVariantName =
  | 's-rl-alone'
  | 's-rl-run-together'
  | 's-rl-together'
  | 'il-rl'
  | 'cpq-rl'
  | 'simppo-all'
  | 'simppo-full'
  | 'simppo-full-category'
  | 'simppo-full-shared'
  | 'simppo-compact'
  | 'priced-scratch'
  | 'priced-prewarm'
  | 'priced'
  | 'corrected'

/** The paper's variants (4.5–4.8), and what is made of them. */
export const TENANT_VARIANTS: Readonly<Record<TenantVariantName, TenantVariant>> = {
  's-rl-alone': { ...AS_PRINTED, label: 'S-RL, alone', preset: always('s-rl'), learns: 'alone', judged: 'alone' },
  's-rl-run-together': { ...AS_PRINTED, label: 'S-RL, run together', preset: always('s-rl'), learns: 'alone' },
  's-rl-together': { ...AS_PRINTED, label: 'S-RL, trained together', preset: always('s-rl') },
  'il-rl': { ...AS_PRINTED, label: 'IL-RL', preset: always('il-rl') },
  'cpq-rl': { ...AS_PRINTED, label: 'CPQ-RL', preset: always('cpq-rl') },
  'simppo-all': { ...AS_PRINTED, label: 'SIMPPO-All', preset: always('simppo-all') },
  'simppo-full': { ...AS_PRINTED, label: 'SIMPPO, full', preset: always('simppo-full') },
  'simppo-full-category': {
    ...AS_PRINTED,
    label: 'SIMPPO, full, one policy a category',
    preset: always('simppo-full'),
    sharing: 'category',
  },
  'simppo-full-shared': {
    ...AS_PRINTED,
    label: 'SIMPPO, full, shared',
    preset: always('simppo-full'),
    sharing: 'all',
  },
  'simppo-compact': {
    ...AS_PRINTED,
    label: 'SIMPPO, compact (4,993 parameters)',
    preset: always('simppo-compact'),
    learner: SIMPPO_COMPACT,
  },
  'priced-scratch': { ...PRICED, label: 'priced, shared, from scratch', start: 'nothing' },
  'priced-prewarm': { ...PRICED, label: 'priced, shared, imitated, prewarming', preset: always('priced-prewarm') },
  priced: PRICED,
  corrected: {
    ...PRICED,
    label: 'corrections of the rule, shared',
    preset: always('corrected'),
    learner: MANY_CORRECTIONS,
    rolloutSteps: (episode) => episode * Math.ceil(LEAST_ROLLOUT / episode),
    start: 'rule',
  },
}
