import type { History } from './history.js'

/**
 * Without `behavior`: the largest recommendation of the window, so that a short lull does not shrink.
 * Notes `desiredReplicas` in `recommendations`.
 */
export function stabilizeDownscale(
  recommendations: History,
  desiredReplicas: number,
  windowSeconds: number,
  nowSeconds: number,
): number {
  let largest = desiredReplicas
  for (let i = 0; i < recommendations.length; i += 1) {
    if (recommendations.ageAt(i, nowSeconds) <= windowSeconds) largest = Math.max(largest, recommendations.valueAt(i))
  }
  recommendations.note(desiredReplicas, nowSeconds, windowSeconds)
  return largest
}

/**
 * With `behavior`: the current size, moved no further than every recommendation of the window of its direction agrees
 * with. Notes `desiredReplicas` in `recommendations`.
 */
export function stabilizeWithBehavior(
  recommendations: History,
  currentReplicas: number,
  desiredReplicas: number,
  scaleUpWindowSeconds: number,
  scaleDownWindowSeconds: number,
  nowSeconds: number,
): number {
  let lowest = desiredReplicas
  let highest = desiredReplicas
  for (let i = 0; i < recommendations.length; i += 1) {
    const age = recommendations.ageAt(i, nowSeconds)
    if (age < scaleUpWindowSeconds) lowest = Math.min(lowest, recommendations.valueAt(i))
    if (age < scaleDownWindowSeconds) highest = Math.max(highest, recommendations.valueAt(i))
  }
  recommendations.note(desiredReplicas, nowSeconds, Math.max(scaleUpWindowSeconds, scaleDownWindowSeconds))
  return Math.min(Math.max(currentReplicas, lowest), highest)
}
