import { ConfigError, Problems, type RandomSource, type TrajectoryStep, type TrajectoryStore } from '@trimtab/core'
import { EpisodeIndex } from './episode-index.js'

/** How much is kept. */
export interface MemoryTrajectoryStoreOptions {
  /** Steps held; older ones make room. Default 100,000. */
  readonly capacity?: number
}

/** The last `capacity` steps in memory. Appending allocates nothing but, for its first step, the whole store. */
export class MemoryTrajectoryStore implements TrajectoryStore {
  readonly capacity: number
  readonly #episodes = new EpisodeIndex()
  #stateSize = 0
  #actionSize = 0
  // One row a step, row = position mod capacity. N: capacity, S: state, A: action
  #episode = new Float64Array(0) // [N]
  #step = new Float64Array(0) // [N]
  #reward = new Float64Array(0) // [N]
  #observation = new Float32Array(0) // [N, S]
  #action = new Float32Array(0) // [N, A]
  #appended = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: MemoryTrajectoryStoreOptions = {}) {
    const { capacity = 100_000 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['capacity'], 'options')
    const isCount = Number.isInteger(capacity) && capacity >= 1
    problems.check(isCount, `capacity must be a whole number >= 1, got ${capacity}`)
    problems.throwIfAny('trajectory store')
    this.capacity = capacity
  }

  /** Steps held now. */
  get size(): number {
    return Math.min(this.#appended, this.capacity)
  }

  /** @throws {ConfigError} `trajectory_shape`: the step has other sizes than the first one had */
  append(step: TrajectoryStep): void {
    if (this.#appended === 0) this.#allocate(step.observation.length, step.action.length)
    if (step.observation.length !== this.#stateSize || step.action.length !== this.#actionSize) {
      throw new ConfigError(
        'trajectory_shape',
        `this store holds observations [${this.#stateSize}] and actions [${this.#actionSize}], got [${step.observation.length}] and [${step.action.length}]; use one store for each task`,
      )
    }
    const row = this.#appended % this.capacity
    this.#episode[row] = step.episode
    this.#step[row] = step.step
    this.#reward[row] = step.reward
    this.#observation.set(step.observation, row * this.#stateSize)
    this.#action.set(step.action, row * this.#actionSize)
    this.#episodes.add(this.#appended, step.episode, step.step, step.reward)
    this.#appended++
    this.#episodes.evict(this.#appended - this.capacity)
  }

  recent(n: number): TrajectoryStep[] {
    return this.#range(this.#appended - Math.min(n, this.size), this.#appended)
  }

  /** Finished episodes only, of those that are still held whole. */
  best(n: number): TrajectoryStep[][] {
    return this.#episodes.best(n).map(({ start, end }) => this.#range(start, end))
  }

  /** @throws {ConfigError} `trajectory_store_empty` */
  sample(n: number, random: RandomSource): TrajectoryStep[] {
    if (this.#appended === 0) {
      throw new ConfigError('trajectory_store_empty', 'nothing to sample from: the trajectory store holds no steps yet')
    }
    const oldest = this.#appended - this.size
    return Array.from({ length: n }, () => this.#read(oldest + random.integer(this.size)))
  }

  #allocate(stateSize: number, actionSize: number): void {
    this.#stateSize = stateSize
    this.#actionSize = actionSize
    this.#episode = new Float64Array(this.capacity)
    this.#step = new Float64Array(this.capacity)
    this.#reward = new Float64Array(this.capacity)
    this.#observation = new Float32Array(this.capacity * stateSize)
    this.#action = new Float32Array(this.capacity * actionSize)
  }

  #range(start: number, end: number): TrajectoryStep[] {
    return Array.from({ length: end - start }, (_, i) => this.#read(start + i))
  }

  #read(position: number): TrajectoryStep {
    const row = position % this.capacity
    return {
      episode: this.#episode[row]!,
      step: this.#step[row]!,
      observation: this.#observation.slice(row * this.#stateSize, (row + 1) * this.#stateSize),
      action: this.#action.slice(row * this.#actionSize, (row + 1) * this.#actionSize),
      reward: this.#reward[row]!,
    }
  }
}
