import type { Environment, Random, Space, Transition } from '@trimtab/core'

/** What happened in an episode. */
export interface EpisodeResult {
  /** Sum of rewards. */
  readonly reward: number
  readonly steps: number
}

/**
 * Runs one episode. The transition that `onStep` sees is the environment's own: copy what shall last.
 * @param act  fills the action for an observation
 */
export function runEpisode(
  environment: Environment,
  seed: number,
  act: (observation: Float32Array, action: Float32Array) => void,
  onStep?: (transition: Transition) => void,
): EpisodeResult {
  const size = environment.action.kind === 'discrete' ? 1 : environment.action.names.length
  const action = new Float32Array(size)
  let observation = environment.reset(seed)
  let reward = 0
  for (let steps = 1; ; steps++) {
    act(observation, action)
    const step = environment.step(action)
    reward += step.reward
    onStep?.({
      ...{ observation, action, reward: step.reward, nextObservation: step.observation, terminated: step.terminated },
    })
    if (step.terminated || step.truncated) return { reward, steps }
    observation = step.observation
  }
}

/** A uniformly random action. */
export function drawAction(space: Space, random: Random, action: Float32Array): void {
  if (space.kind === 'discrete') {
    action[0] = random.integer(space.high[0]! + 1)
    return
  }
  for (let i = 0; i < action.length; i++) {
    action[i] = space.low[i]! + (space.high[i]! - space.low[i]!) * random.uniform()
  }
}

/**
 * Mean reward a step of a policy without noise on fixed episodes: equal seeds, equal loads for whoever is judged.
 * @param seeds  one episode each
 */
export function evaluatePolicy(
  environment: Environment,
  decide: (observation: Float32Array, action: Float32Array) => void,
  seeds: readonly number[],
): number {
  let reward = 0
  let steps = 0
  for (const seed of seeds) {
    const episode = runEpisode(environment, seed, decide)
    reward += episode.reward
    steps += episode.steps
  }
  return reward / steps
}
