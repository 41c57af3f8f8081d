import type { CoreMath } from '@trimtab/core'

// A policy acts in [−1, 1] per coordinate (tanh); these maps lead to physical units and back.
// Whatever arrives outside [−1, 1] is clipped first: noise may push it there.

const clip = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x))

/** [−1, 1] → [low, high], linear: the papers' "set RLT ∈ [lower, upper]" (3.2.4). */
export function linearMap(action: number, low: number, high: number): number {
  return clip(low + ((clip(action, -1, 1) + 1) / 2) * (high - low), low, high)
}

/** [low, high] → [−1, 1], the inverse of `linearMap`; clips. */
export function linearUnmap(value: number, low: number, high: number): number {
  return clip(((value - low) / (high - low)) * 2 - 1, -1, 1)
}

/** [−1, 1] → [low, high] with equal steps for equal ratios; 0 < low < high. For quantities that span decades: cores, memory. */
export function logMap(math: CoreMath, action: number, low: number, high: number): number {
  const logLow = math.log(low)
  return clip(math.exp(logLow + ((clip(action, -1, 1) + 1) / 2) * (math.log(high) - logLow)), low, high)
}

/** [low, high] → [−1, 1], the inverse of `logMap`; clips. */
export function logUnmap(math: CoreMath, value: number, low: number, high: number): number {
  const logLow = math.log(low)
  return clip(((math.log(value) - logLow) / (math.log(high) - logLow)) * 2 - 1, -1, 1)
}

/**
 * FIRM's ternary heads: three numbers per resource, in the order keep, up, down; the largest wins, the first of equals.
 *
 * Source: dissertation 3.2.4 prints a critic of 23 inputs, 8 state + 15 action, as the released code has it (0, +10, −10
 * for each of five resources); the text's continuous action is `linearMap`.
 *
 * @param heads  [3 R], the policy's output
 * @param steps  [R], filled with 0, +1 or −1: multiply by the resource's step size
 */
export function ternarySteps(heads: Float32Array, steps: Float32Array): void {
  for (let resource = 0; resource < steps.length; resource++) {
    const keep = heads[3 * resource]!
    const up = heads[3 * resource + 1]!
    const down = heads[3 * resource + 2]!
    steps[resource] = keep >= up && keep >= down ? 0 : up >= down ? 1 : -1
  }
}
