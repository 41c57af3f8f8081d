import { SLO_WEIGHT } from '../autoscaling/reward.js'
import { heldCores, isSloViolation, tenantValue, VIOLATION_PRICE } from './outcome.js'
import type { TenantTelemetry } from './telemetry.js'

/** How agents are paid. */
export interface ServerlessReward {
  /** w of SP; utilisation has the rest. */
  readonly sloWeight: number
  /** Each agent its own, or all the mean of all (4.6.1, 4.7.1). */
  readonly of: 'own' | 'team'
  /** What an illegal action, or one that takes back the last, costs: as printed it is added; the code puts it in the reward's place. */
  readonly penalty: { readonly amount: number; readonly how: 'added' | 'replacing' }
  /** Taken off where the step broke the SLO. */
  readonly violationPrice: number
  /** Taken off for each core that the containers' shares are worth. */
  readonly corePrice: number
}

/** 4.3: SLO preservation, utilisation and the penalty, nothing else. */
export const PRINTED_REWARD: ServerlessReward = {
  sloWeight: SLO_WEIGHT,
  of: 'own',
  penalty: { amount: -1, how: 'added' },
  violationPrice: 0,
  corePrice: 0,
}

/** Violations and shares cost: a penalty on one's own violations alone starts an arms race in shares. */
export const PRICED_REWARD: ServerlessReward = {
  ...PRINTED_REWARD,
  penalty: { amount: 0, how: 'added' },
  violationPrice: VIOLATION_PRICE,
  corePrice: 0.1,
}

/** What an agent's own step is worth to it. @param isPunished  the action was illegal or took back the last */
export function ownReward(reward: ServerlessReward, t: Readonly<TenantTelemetry>, isPunished: boolean): number {
  const { sloWeight, penalty, violationPrice, corePrice } = reward
  if (isPunished && penalty.how === 'replacing') return penalty.amount
  const paid = tenantValue(t, sloWeight) + (isPunished ? penalty.amount : 0)
  return paid - (isSloViolation(t) ? violationPrice : 0) - corePrice * heldCores(t)
}
