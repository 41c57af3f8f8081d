import type { RandomSource } from '../contracts.js'
import type { AnyCore } from '../core.js'
import { ConfigError, FormatError } from '../errors.js'
import { type Bytes, copyBytes } from '../files/bytes.js'
import { Arena } from '../memory/arena.js'

const STATE_BYTES = 32

/**
 * A seeded stream of random numbers (xoshiro128**): one seed and stream, one sequence, on every engine.
 * Use one stream for each source of chance, so that two runs can share their arrivals but not their noise.
 */
export class Random implements RandomSource {
  readonly #arena: Arena
  readonly #core: AnyCore

  /**
   * @param seed    any safe integer
   * @param stream  which of the seed's independent streams, 32-bit
   * @throws {ConfigError} `config_invalid`
   */
  constructor(core: AnyCore, seed: number, stream = 0) {
    requireSeed(seed)
    this.#core = core
    this.#arena = new Arena(core, STATE_BYTES, 'Random')
    this.reseed(seed, stream)
  }

  /** Starts over as `new Random(core, seed, stream)` would. @throws {ConfigError} `config_invalid` */
  reseed(seed: number, stream = 0): void {
    requireSeed(seed)
    this.#core.exports.random_seed(this.#arena.pointer, seed | 0, Math.floor(seed / 2 ** 32) | 0, stream | 0)
  }

  /** Where the state lies, for sibling wrappers whose kernels draw from it. */
  get pointer(): number {
    return this.#arena.pointer
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    return this.#core.exports.random_uniform(this.#arena.pointer)
  }

  /** Uniform in 0 … n − 1, n below 2^31. */
  integer(n: number): number {
    return this.#core.exports.random_integer(this.#arena.pointer, n)
  }

  /** A normal draw. */
  normal(mean = 0, deviation = 1): number {
    return mean + deviation * this.#core.exports.random_normal(this.#arena.pointer)
  }

  /** An exponential draw. */
  exponential(mean = 1): number {
    return mean * this.#core.exports.random_exponential(this.#arena.pointer)
  }

  /** Gamma with scale 1; shape > 0. */
  gamma(shape: number): number {
    return this.#core.exports.random_gamma(this.#arena.pointer, shape)
  }

  /** A draw from Beta(a, b), in (0, 1); a and b above 0. */
  beta(a: number, b: number): number {
    return this.#core.exports.random_beta(this.#arena.pointer, a, b)
  }

  /** A count with the given mean >= 0. */
  poisson(mean: number): number {
    return this.#core.exports.random_poisson(this.#arena.pointer, mean)
  }

  /** The stream's state, 32 bytes; `load` continues exactly here. */
  save(): Uint8Array {
    return this.#arena.bytes.slice()
  }

  /** @throws {FormatError} `random_state_invalid`; {ConfigError} `bytes_invalid` */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a random state')
    if (bytes.byteLength !== STATE_BYTES) {
      throw new FormatError('random_state_invalid', `a random state has ${STATE_BYTES} bytes, got ${bytes.byteLength}`)
    }
    this.#arena.bytes.set(bytes)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

/** Draws with `given`, or with a stream of seed 0 that is there for this call alone. */
export function withRandom<T>(core: AnyCore, given: Random | undefined, use: (random: Random) => T): T {
  if (given) return use(given)
  const random = new Random(core, 0)
  try {
    return use(random)
  } finally {
    random.dispose()
  }
}

function requireSeed(seed: number): void {
  if (!Number.isSafeInteger(seed)) throw new ConfigError('config_invalid', `seed must be a safe integer, got ${seed}`)
}
