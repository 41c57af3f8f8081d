import { LARGEST_BLOCK } from '../abi.js'
import type { AnyCore } from '../core.js'
import { ConfigError, CoreError } from '../errors.js'
import { withBlock } from './blocks.js'

const registry = new FinalizationRegistry<{ core: AnyCore; pointer: number }>(({ core, pointer }) =>
  core.release(pointer),
)

/** What a caller asked for, by the names of his options: what an object's size comes from. */
export type Sizes = Readonly<Record<string, number | readonly number[]>>

/**
 * Refuses an object that no core can hold, before anything is allocated or laid out.
 * @throws {ConfigError} `config_invalid`: says what the object would take, and of which sizes most of it comes
 */
function requireRoom(byteLength: number, owner: string, sizes: Sizes): void {
  if (byteLength <= LARGEST_BLOCK) return
  const largest = Object.entries(sizes)
    .filter(([, size]) => mostOf(size) > 1)
    .sort(([, a], [, b]) => mostOf(b) - mostOf(a))
    .slice(0, 4)
    .map(([name, size]) => `${name} ${typeof size === 'number' ? size : `[${size.join(', ')}]`}`)
  const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`
  throw new ConfigError(
    'config_invalid',
    `${owner} would take ${mebibytes(byteLength)} of the core's memory, where one object has ${mebibytes(LARGEST_BLOCK)} at most: lower ${largest.join(', ')}`,
  )
}

const mostOf = (size: number | readonly number[]): number => (typeof size === 'number' ? size : Math.max(0, ...size))

/**
 * The block of core memory behind one object: allocated at creation, released as a whole by `dispose()`.
 * Views are made fresh whenever the memory's buffer was replaced by growth, so a stale one is never handed out.
 */
export class Arena {
  readonly core: AnyCore
  readonly byteLength: number
  readonly #owner: string
  #pointer: number
  #bytes: Uint8Array
  #floats: Float32Array
  #doubles: Float64Array

  /**
   * @param byteLength  as planned, exact: what is too much is refused
   * @param owner  the name that errors use, `Mlp`
   * @param sizes  where the length comes from
   * @throws {ConfigError} `config_invalid` (no core holds as much); {CoreError} `core_out_of_memory` (this one does not)
   */
  constructor(core: AnyCore, byteLength: number, owner: string, sizes: Sizes = {}) {
    requireRoom(byteLength, owner, sizes)
    this.core = core
    this.byteLength = byteLength
    this.#owner = owner
    this.#pointer = core.allocate(byteLength)
    this.#bytes = new Uint8Array(0)
    this.#floats = new Float32Array(0)
    this.#doubles = new Float64Array(0)
    registry.register(this, { core, pointer: this.#pointer }, this)
  }

  /** @throws {CoreError} `object_disposed` */
  get pointer(): number {
    if (this.#pointer === 0)
      throw new CoreError('object_disposed', `this ${this.#owner} was disposed and cannot be used again`)
    return this.#pointer
  }

  /** The whole block as bytes. Do not keep it across calls. */
  get bytes(): Uint8Array {
    const { buffer } = this.core.memory
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer, this.pointer, this.byteLength)
    return this.#bytes
  }

  /** The whole block as f32. Do not keep it across calls. */
  get floats(): Float32Array {
    const { buffer } = this.core.memory
    if (this.#floats.buffer !== buffer) this.#floats = new Float32Array(buffer, this.pointer, this.byteLength >>> 2)
    return this.#floats
  }

  /** The whole block as f64. Do not keep it across calls. */
  get doubles(): Float64Array {
    const { buffer } = this.core.memory
    if (this.#doubles.buffer !== buffer) this.#doubles = new Float64Array(buffer, this.pointer, this.byteLength >>> 3)
    return this.#doubles
  }

  /** May be called twice. */
  dispose(): void {
    if (this.#pointer === 0) return
    registry.unregister(this)
    this.core.release(this.#pointer)
    this.#pointer = 0
    this.#bytes = new Uint8Array(0)
    this.#floats = new Float32Array(0)
    this.#doubles = new Float64Array(0)
  }
}

/** What the core needs to lay a kernel out. */
export interface KernelPlan {
  /** The name that errors use, `DdpgKernel`. */
  readonly owner: string
  /** Of the shape's block, which may be longer than its words: the core keeps what it works out behind them. */
  readonly shapeBytes: number
  /** In the order in which assembly reads them. */
  readonly shape: Sizes
  /** How many bytes the kernel of the shape at `shape` takes. */
  readonly bytes: (shape: number) => number
  /** Lays the kernel out in its block. */
  readonly create: (pointer: number, shape: number) => void
}

/** The words of a shape: its numbers in order, before a list its length. */
export const wordsOf = (shape: Sizes): number[] =>
  Object.values(shape).flatMap((size) => (typeof size === 'number' ? size : [size.length, ...size]))

/**
 * The block of a kernel that is planned in two steps: its shape, then as many bytes as the core says that the shape takes.
 * Whatever fails, nothing half made stays behind.
 * @throws {ConfigError} `config_invalid` (no core holds as much); {CoreError} `core_out_of_memory`, `core_trapped`
 */
export function planArena(core: AnyCore, { owner, shapeBytes, shape, bytes, create }: KernelPlan): Arena {
  const words = wordsOf(shape)
  return withBlock(core, shapeBytes, (at) => {
    new Int32Array(core.memory.buffer, at, words.length).set(words)
    return buildArena(core, bytes(at), owner, shape, ({ pointer }) => create(pointer, at))
  })
}

/** An arena that `fill` makes ready; released when that throws. */
export function buildArena(
  core: AnyCore,
  byteLength: number,
  owner: string,
  sizes: Sizes,
  fill: (arena: Arena) => void,
): Arena {
  const arena = new Arena(core, byteLength, owner, sizes)
  try {
    fill(arena)
    return arena
  } catch (cause) {
    arena.dispose()
    throw cause
  }
}
