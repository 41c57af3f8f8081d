import { ConfigError } from '@trimtab/core'

/**
 * What many agents come to together, K numbers each: how many they are, Σx and Σx².
 *
 * The sums of parts add up to the sums of the whole, so processes tell each other 1 + 2 K numbers, and nobody keeps a list of
 * agents; what an agent sees of the others is a difference. Meant for numbers of one order of magnitude (shares, ratios, logarithms).
 *
 * @example
 * const sums = new AgentSums(2)
 * for (const { attained, utilisation } of agents) sums.add([attained, utilisation])
 * for (const numbers of fromOtherProcesses) sums.merge(numbers)
 * sums.mean(0) // of all agents everywhere
 */
export class AgentSums {
  /** K */
  readonly size: number
  /** Number of agents, Σx [K], Σx² [K]: what `merge` takes elsewhere. */
  readonly numbers: Float64Array

  /** @throws {ConfigError} `config_invalid` unless `size` is a whole number >= 1 */
  constructor(size: number) {
    if (!Number.isInteger(size) || size < 1)
      throw new ConfigError('config_invalid', `the numbers of an agent must be a whole number >= 1, got ${size}`)
    this.size = size
    this.numbers = new Float64Array(1 + 2 * size)
  }

  /** How many agents were counted. */
  get agents(): number {
    return this.numbers[0]!
  }

  /** Forgets everything: a new step begins. */
  clear(): void {
    this.numbers.fill(0)
  }

  /**
   * Counts one agent in, the K numbers of `values` from `offset` on. One that is not finite leaves the agent out whole.
   * @returns whether it was counted
   */
  add(values: ArrayLike<number>, offset = 0): boolean {
    for (let k = 0; k < this.size; k++) if (!Number.isFinite(values[offset + k])) return false
    this.numbers[0]! += 1
    for (let k = 0; k < this.size; k++) {
      const value = values[offset + k]!
      this.numbers[1 + k]! += value
      this.numbers[1 + this.size + k]! += value * value
    }
    return true
  }

  /**
   * Adds the `numbers` of other agents' sums.
   * @throws {ConfigError} `size_mismatch`, `not_finite` (also a negative number of agents or of squares); nothing changed
   */
  merge(numbers: ArrayLike<number>): void {
    const { size } = this
    if (numbers.length !== this.numbers.length) {
      throw new ConfigError('size_mismatch', `sums of ${size} numbers hold ${1 + 2 * size}, got ${numbers.length}`)
    }
    for (let i = 0; i < numbers.length; i++) {
      const isSum = i > 0 && i <= size
      if (Number.isFinite(numbers[i]) && (isSum || numbers[i]! >= 0)) continue
      throw new ConfigError('not_finite', `sums[${i}] must be finite${isSum ? '' : ' and >= 0'}, got ${numbers[i]}`)
    }
    for (let i = 0; i < numbers.length; i++) this.numbers[i]! += numbers[i]!
  }

  /** Σx of the k-th number. */
  sum(k: number): number {
    return this.numbers[1 + k]!
  }

  /** Mean over the agents of the k-th number; 0 without agents. */
  mean(k: number): number {
    return this.#mean(this.agents, this.sum(k))
  }

  /** Deviation between the agents in the k-th number, of the population (N); 0 without agents. */
  deviation(k: number): number {
    return this.#deviation(this.agents, this.sum(k), this.#squares(k))
  }

  /** Mean of the k-th number over the others, for an agent that was counted with `own`; 0 where there are none. */
  meanOfOthers(k: number, own: number): number {
    return this.#mean(this.agents - 1, this.sum(k) - own)
  }

  /** Deviation between the others in the k-th number; 0 where there are none. */
  deviationOfOthers(k: number, own: number): number {
    return this.#deviation(this.agents - 1, this.sum(k) - own, this.#squares(k) - own * own)
  }

  #squares(k: number): number {
    return this.numbers[1 + this.size + k]!
  }

  #mean(agents: number, sum: number): number {
    return agents > 0 ? sum / agents : 0
  }

  #deviation(agents: number, sum: number, squares: number): number {
    const mean = this.#mean(agents, sum)
    return Math.sqrt(Math.max(0, this.#mean(agents, squares) - mean * mean)) // rounding may leave less than 0
  }
}
