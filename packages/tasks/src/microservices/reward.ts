import { RESOURCE_COUNT, RESOURCES, type ResourceVector } from './resources.js'

const ALPHA = 0.7 // of the SLO, in every reward

/** FIRM's reward of a culprit (3.2.4): α · SP · |R| + (1 − α) · Σ RU/RLT, SP = min(1, SLO/p99). 0 … 5 */
export function mitigationReward(p99OverSlo: number, utilisation01: ResourceVector): number {
  const preservation = p99OverSlo > 1 ? 1 / p99OverSlo : 1
  const use = RESOURCES.reduce((sum, resource) => sum + utilisation01[resource], 0)
  return ALPHA * preservation * RESOURCE_COUNT + (1 - ALPHA) * use
}
