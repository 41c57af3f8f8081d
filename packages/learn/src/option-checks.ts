import type { Problems } from '@trimtab/core'
import { COUNT, isCount } from '@trimtab/core/internal'

/** Notes what is wrong with the numbers of one options object, each with its path; all families check with it. */
export class OptionChecks {
  readonly #options: Readonly<Record<string, unknown>>
  readonly #problems: Problems
  readonly #path: string

  /**
   * @param known  every option there is: another key is refused, for it would change nothing in silence
   * @param path  where the options stand in the caller's configuration, `options`
   */
  constructor(options: object, known: readonly string[], problems: Problems, path: string) {
    problems.checkKeys(options, known, path)
    this.#options = options as Readonly<Record<string, unknown>>
    this.#problems = problems
    this.#path = path
  }

  /** Finite, and what `says` says. */
  number(name: string, says: string, holds: (x: number) => boolean): void {
    this.#number(name, this.#options[name], says, holds)
  }

  /** Whole numbers ≥ 1, as many as the core plans for. */
  counts(...names: string[]): void {
    for (const name of names) this.number(name, COUNT, isCount)
  }

  /** Above 0. */
  positive(...names: string[]): void {
    for (const name of names) this.number(name, '> 0', (x) => x > 0)
  }

  /** 0 or more. */
  notNegative(...names: string[]): void {
    for (const name of names) this.number(name, '≥ 0', (x) => x >= 0)
  }

  /** In [0, 1]. */
  shares(...names: string[]): void {
    for (const name of names) this.number(name, 'in [0, 1]', (x) => x >= 0 && x <= 1)
  }

  /** One of the values. */
  choice(name: string, choices: readonly unknown[]): void {
    const value = this.#options[name]
    this.#problems.check(
      choices.includes(value),
      `${this.#path}.${name} must be one of ${choices.join(', ')}, got ${String(value)}`,
    )
  }

  /** A list of at least `least` layer widths. */
  layers(name: string, least: number): void {
    const value = this.#options[name]
    if (!Array.isArray(value) || value.length < least) {
      const list = least > 0 ? 'at least one layer' : 'the widths of layers'
      this.#problems.check(false, `${this.#path}.${name} must name ${list}, got [${String(value)}]`)
      return
    }
    for (const [i, size] of value.entries()) this.#number(`${name}[${i}]`, size, COUNT, isCount)
  }

  /** What a replay needs: batches, room, and a first update that can come. */
  replay(): void {
    this.counts('batchSize', 'capacity', 'warmUp')
    this.positive('updatesPerStep')
    const { warmUp, capacity } = this.#options
    this.#problems.check(
      !(Number(warmUp) > Number(capacity)),
      `${this.#path}.warmUp must not exceed capacity, got ${warmUp} > ${capacity}: learning would never begin`,
    )
  }

  /** γ below 1, and a baseline that is a number. */
  returns(): void {
    this.number('discount', 'in [0, 1)', (x) => x >= 0 && x < 1)
    this.number('rewardBaseline', 'finite', () => true)
  }

  #number(name: string, value: unknown, says: string, holds: (x: number) => boolean): void {
    this.#problems.check(
      typeof value === 'number' && Number.isFinite(value) && holds(value),
      `${this.#path}.${name} must be ${says}, got ${String(value)}`,
    )
  }
}
