import { ConfigError, type Space } from '@trimtab/core'
import { requireShape } from '../checks.js'
import { headsOf } from '../spaces.js'

/** One episode, or a part of one, of one pair: ⟨S, A, R⟩ of Listing 5.1. T steps. */
export interface Trajectory {
  /** [T, S] */
  readonly observations: Float32Array
  /** [T, A]; a discrete action is an index a head. */
  readonly actions: Float32Array
  /** [T] */
  readonly rewards: Float32Array
  /** Actions were drawn at random: what a context tells most from. */
  readonly isExploratory?: boolean
}

/** The spaces of a reinforcement-learning base learner. */
export interface RlShapes {
  readonly observation: Space
  readonly action: Space
}

/** Columns that an action takes in the encoder's input: one a coordinate, or one a choice (one-hot in each head) when discrete. */
export const actionColumns = (action: Space): number =>
  action.kind === 'discrete' ? headsOf(action).reduce((sum, choices) => sum + choices, 0) : action.names.length

/** [s, a, r] per time step. */
export const stepColumns = ({ observation, action }: RlShapes): number =>
  observation.names.length + actionColumns(action) + 1

/**
 * A trajectory as the encoder reads it: rows [s, a, r] [T, S + A + 1].
 * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid` (no steps, an action that is no choice)
 */
export function toRows(trajectory: Trajectory, shapes: RlShapes): Float32Array {
  const { observations, actions, rewards } = trajectory
  const S = shapes.observation.names.length
  const T = rewards.length
  if (T === 0) throw new ConfigError('config_invalid', 'a trajectory needs at least one step, got none')
  const A = shapes.action.names.length
  requireShape('observations', observations, T, S)
  requireShape('actions', actions, T, A)
  requireShape('rewards', rewards, T, 1)
  const columns = stepColumns(shapes)
  const rows = new Float32Array(T * columns)
  for (let t = 0; t < T; t++) {
    const row = rows.subarray(t * columns, (t + 1) * columns)
    row.set(observations.subarray(t * S, (t + 1) * S))
    const action = actions.subarray(t * A, (t + 1) * A)
    if (shapes.action.kind === 'discrete') markChoices(action, shapes.action, row.subarray(S))
    else row.set(action, S)
    row[columns - 1] = rewards[t]!
  }
  return rows
}

/** Sets 1 where each head's choice stands. */
function markChoices(action: Float32Array, { names, high }: Space, columns: Float32Array): void {
  let first = 0
  for (const [head, index] of action.entries()) {
    if (!(Number.isInteger(index) && index >= 0 && index <= high[head]!)) {
      throw new ConfigError('config_invalid', `action "${names[head]}" must be in 0 … ${high[head]}, got ${index}`)
    }
    columns[first + index] = 1
    first += high[head]! + 1
  }
}

/** Writes an episode down step by step. */
export class TrajectoryRecorder {
  readonly #observations: number[] = []
  readonly #actions: number[] = []
  readonly #rewards: number[] = []

  /** Takes one step: observation [S], action [A]; both are copied. */
  add(observation: Float32Array, action: Float32Array, reward: number): void {
    for (const value of observation) this.#observations.push(value)
    for (const value of action) this.#actions.push(value)
    this.#rewards.push(reward)
  }

  /** What was added since the last call. */
  take(isExploratory: boolean): Trajectory {
    const trajectory = {
      observations: Float32Array.from(this.#observations),
      actions: Float32Array.from(this.#actions),
      rewards: Float32Array.from(this.#rewards),
      isExploratory,
    }
    this.#observations.length = 0
    this.#actions.length = 0
    this.#rewards.length = 0
    return trajectory
  }
}
