// What the steps of a rollout were worth: generalised advantage estimation and plain discounted returns, all in f64.
// Schulman et al. 2016. Several streams (partitions) may take turns in one rollout: each has its own recursion.
//
// T: steps, P: partitions; columns f64 [T]; ends, partitionOf i32 [T]; carry f64 [P] (scratch)

/** An end state: nothing follows, V(next) counts as 0. */
// @ts-ignore: decorator
@inline export const TERMINATED: i32 = 1
/** The episode was cut: V(next) counts, what is stored behind it does not. */
// @ts-ignore: decorator
@inline export const TRUNCATED: i32 = 2

// @ts-ignore: decorator
@inline function carryOf(carry: usize, partitionOf: usize, step: usize): usize {
  return carry + (<usize>load<i32>(partitionOf + (step << 2)) << 3)
}

/**
 * rewards, values, nextValues, advantages, returns f64 [T]; ends, partitionOf i32 [T]; carry f64 [P].
 * advantage = δ + γλ · the next step's advantage, δ = r + γ V(next) − V; return = advantage + V.
 * The last step of each partition, like a truncated one, stands on V(next) alone.
 */
export function gae_estimate(
  steps: i32, partitions: i32, rewards: usize, values: usize, nextValues: usize, ends: usize, partitionOf: usize, carry: usize,
  discount: f64, lambda: f64, advantages: usize, returns: usize,
): void {
  memory.fill(carry, 0, <usize>partitions << 3)
  for (let t = <usize>steps; t-- > 0;) {
    const end = load<i32>(ends + (t << 2))
    const slot = carryOf(carry, partitionOf, t)
    const value = load<f64>(values + (t << 3))
    const future = end & TERMINATED ? 0.0 : discount * load<f64>(nextValues + (t << 3))
    const following = end != 0 ? 0.0 : discount * lambda * load<f64>(slot)
    const advantage = load<f64>(rewards + (t << 3)) + future - value + following
    store<f64>(slot, advantage)
    store<f64>(advantages + (t << 3), advantage)
    store<f64>(returns + (t << 3), advantage + value)
  }
}

/**
 * Columns [T] as in `gae_estimate`. return = r + γ · the next step's return inside the episode, nothing beyond it; advantage
 * = return − V.
 */
export function gae_monte_carlo(
  steps: i32, partitions: i32, rewards: usize, values: usize, ends: usize, partitionOf: usize, carry: usize, discount: f64,
  advantages: usize, returns: usize,
): void {
  memory.fill(carry, 0, <usize>partitions << 3)
  for (let t = <usize>steps; t-- > 0;) {
    const slot = carryOf(carry, partitionOf, t)
    const following = load<i32>(ends + (t << 2)) != 0 ? 0.0 : discount * load<f64>(slot)
    const sum = load<f64>(rewards + (t << 3)) + following
    store<f64>(slot, sum)
    store<f64>(advantages + (t << 3), sum - load<f64>(values + (t << 3)))
    store<f64>(returns + (t << 3), sum)
  }
}
