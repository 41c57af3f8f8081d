import { createHash } from 'node:crypto'
import { ConfigError, FormatError, type TrajectoryStep } from '@trimtab/core'
import { encodeName, type FieldValue, toLine } from './line-protocol.js'
import type { PointQuery, Row } from './server.js'

// A step is a point of the measurement, its tag `trajectory` says whose, its time is when it was appended:
//   episode i64   step i64   reward f64   columns: 16 hex digits of the names   observation.<name> f64 …   action.<name> f64 …
// A number that is NaN has no field.

/** What a trajectory is called, and its numbers. */
export interface PointNames {
  readonly measurement: string
  readonly trajectory: string
  readonly observation: readonly string[]
  readonly action: readonly string[]
}

/** Writes steps as points and reads them back. */
export class PointCodec {
  /** What to ask for; every point has the first field. */
  readonly query: PointQuery
  readonly #columns: string
  readonly #observation: readonly string[]
  readonly #action: readonly string[]
  readonly #trajectory: string

  constructor({ measurement, trajectory, observation, action }: PointNames) {
    this.#trajectory = trajectory
    this.#observation = observation.map((name) => encodeName(`observation.${name}`))
    this.#action = action.map((name) => encodeName(`action.${name}`))
    this.#columns = createHash('sha256').update(JSON.stringify({ observation, action })).digest('hex').slice(0, 16)
    this.query = {
      measurement: encodeName(measurement),
      tag: 'trajectory',
      tagValue: encodeName(trajectory),
      fields: ['episode', 'step', 'reward', 'columns', ...this.#observation, ...this.#action],
    }
  }

  /** @throws {ConfigError} `trajectory_shape`; `trajectory_not_finite`: the database has no ±∞ */
  encode(step: TrajectoryStep, timeUs: number): string {
    this.#check(step)
    const fields: [string, FieldValue][] = [
      ['episode', BigInt(step.episode)],
      ['step', BigInt(step.step)],
      ['columns', this.#columns],
    ]
    const put = (name: string, value: number): void => {
      if (!Number.isNaN(value)) fields.push([name, value])
    }
    put('reward', step.reward)
    for (const [i, name] of this.#observation.entries()) put(name, step.observation[i]!)
    for (const [i, name] of this.#action.entries()) put(name, step.action[i]!)
    const { measurement, tag, tagValue } = this.query
    return toLine({ measurement, tags: { [tag]: tagValue }, fields, timeUs })
  }

  /** @throws {FormatError} `trajectory_other_columns` */
  decode({ fields }: Row): TrajectoryStep {
    if (fields.get('columns') !== this.#columns) {
      throw new FormatError(
        'trajectory_other_columns',
        `trajectory ${JSON.stringify(this.#trajectory)} in the database is of other columns than observation [${this.#observation}] and action [${this.#action}]: use one name for each task`,
      )
    }
    const number = (name: string): number => Number(fields.get(name) ?? Number.NaN)
    return {
      episode: number('episode'),
      step: number('step'),
      reward: number('reward'),
      observation: Float32Array.from(this.#observation, number),
      action: Float32Array.from(this.#action, number),
    }
  }

  #check({ episode, step, reward, observation, action }: TrajectoryStep): void {
    const [s, a] = [this.#observation.length, this.#action.length]
    if (observation.length !== s || action.length !== a) {
      const got = `[${observation.length}] and [${action.length}]`
      throw new ConfigError('trajectory_shape', `this store holds observations [${s}] and actions [${a}], got ${got}`)
    }
    for (const [name, value] of Object.entries({ episode, step })) {
      if (!Number.isSafeInteger(value) || value < 0)
        throw new ConfigError('trajectory_shape', `${name} must be a whole number >= 0, got ${value}`)
    }
    const isInfinite = (value: number): boolean =>
      value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    if (isInfinite(reward) || observation.some(isInfinite) || action.some(isInfinite)) {
      const where = `episode ${episode}, step ${step}`
      throw new ConfigError(
        'trajectory_not_finite',
        `${where} has an infinite number, which InfluxDB cannot hold; NaN stands for what is missing`,
      )
    }
  }
}
