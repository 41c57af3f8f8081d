import { availableParallelism } from 'node:os'
import type { Core } from '@trimtab/core'
import { decideByPolicy, decideByRules, type TenantDecider } from '@trimtab/openwhisk'
import { DemandRule, SERVERLESS_DEFAULTS } from '@trimtab/tasks/serverless'
import { mostContainers } from '../local-platform.js'
import { StockRule } from '../stock-rule.js'
import { POLICY_WEIGHTS, TUNED_RULE } from './policy-weights.js'

/** As OpenWhisk does by itself. */
export const decideAsStock = (): TenantDecider => decideByRules(() => new StockRule())

/** R + c√R containers of the demand of late, tuned by `scripts/train-local-policy.mjs` in the simulator of a machine like this. */
export const decideByDemand = (): TenantDecider => decideByRules(() => new DemandRule(TUNED_RULE))

/** The policy that the same script learned, as a file: what `trimtab serverless` decides by. */
export const learnedPolicy = (): Uint8Array => Uint8Array.from(atob(POLICY_WEIGHTS), (letter) => letter.charCodeAt(0))

/** What a policy decides for. */
export interface LocalPolicyOptions {
  /** A policy file for a preset of the serverless task. */
  readonly policy: Uint8Array
  /** As the platform's. */
  readonly memoryMiB: number
  readonly stepSeconds: number
  /** Of a container of the function that holds most. */
  readonly largestContainerMiB: number
}

/**
 * A policy decides for the functions of this machine, and the tuned rule where it cannot.
 *
 * @throws {FormatError} as `decideByPolicy`
 */
export function decideByLocalPolicy(core: Core, options: LocalPolicyOptions): Promise<TenantDecider> {
  const { policy, memoryMiB, stepSeconds, largestContainerMiB } = options
  const cores = availableParallelism()
  const { shares } = SERVERLESS_DEFAULTS.bounds
  return decideByPolicy(core, policy, {
    scale: {
      ...{ math: core.math, cores, memoryMiB, largestContainerMiB },
      bounds: { shares, containers: [0, mostContainers()] },
    },
    rules: decideByDemand(),
    stepMs: 1000 * stepSeconds,
  })
}
