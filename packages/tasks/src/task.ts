import { ConfigError, type Controller, type Core, type CoreMath, type Environment, type Space } from '@trimtab/core'
import type { DdpgOptions, DdpgPresetName, PpoOptions, PpoPresetName } from '@trimtab/learn'

/** A simulator of a task: an environment with a lifetime. */
export interface TaskEnvironment extends Environment {
  /** May be called twice. */
  dispose(): void
}

/** The agent that a task is learned with when nothing else is said: an algorithm of `learn` and what differs from its preset. */
export type BaseLearner =
  | { readonly algorithm: 'ddpg'; readonly preset: DdpgPresetName; readonly options: Partial<DdpgOptions> }
  | { readonly algorithm: 'ppo'; readonly preset: PpoPresetName; readonly options: Partial<PpoOptions> }
  | { readonly algorithm: 'dqn'; readonly preset: string; readonly options: Readonly<Record<string, unknown>> }

/**
 * A management task as meta learning meets it (5.6): a pool of ⟨application, environment⟩ pairs, each a plain JSON
 * `Spec`, so that a worker can build its environments from `{ task, spec }` alone.
 */
export interface TaskDefinition<Spec, World extends TaskEnvironment = TaskEnvironment> {
  readonly name: string
  readonly observation: Space
  /** A box of [−1, 1], or discrete: then an action is one index. */
  readonly action: Space
  readonly episodeSteps: number
  /**
   * The pairs number `seed` … `seed + count − 1`. Pools over disjoint ranges of numbers share no application.
   * @throws {ConfigError} `config_invalid`
   */
  pool(core: Core, seed: number, count: number): Spec[]
  /** @throws {ConfigError} `config_invalid` when `spec` was not made by `pool` */
  environment(core: Core, spec: Spec): World
  /** What the state does not show: the pair's true parameters, each in about [−1, 1]. The embedding of an oracle. */
  parameters(core: Core, spec: Spec): Float32Array
  readonly baseLearner: BaseLearner
  /** The rule that runs before anything has been learned. It acts in `world` only. */
  heuristic(core: Core, world: World): Controller
}

/** A pool's pair numbers, checked. */
export function pairNumbers(seed: number, count: number): number[] {
  const last = seed + count - 1
  if (!(Number.isSafeInteger(seed) && seed >= 0 && Number.isSafeInteger(last) && count >= 1)) {
    throw new ConfigError(
      'config_invalid',
      `a pool needs whole seed >= 0 and count >= 1, got seed ${seed}, count ${count}`,
    )
  }
  return Array.from({ length: count }, (_, i) => seed + i)
}

/** A positive quantity on a scale of [−1, 1] that is even in the logarithm, −1 at `low` and 1 at `high`. */
export const logScale = (math: CoreMath, value: number, [low, high]: readonly [number, number]): number =>
  (2 * math.log(value / low)) / math.log(high / low) - 1
