import type { AnyCore } from '../core.js'
import { CoreError } from '../errors.js'
import { withBlock } from './blocks.js'

const registry = new FinalizationRegistry<{ core: AnyCore; pointer: number }>(({ core, pointer }) =>
  core.release(pointer),
)

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

  /** @param owner  the name that errors use, `Mlp` */
  constructor(core: AnyCore, byteLength: number, owner: string) {
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
  /** Sizes in the order that assembly reads them. */
  readonly shape: readonly number[]
  /** How many bytes the kernel of the shape at `shape` takes. */
  readonly bytes: (shape: number) => number
  /** Lays the kernel out in its block. */
  readonly create: (pointer: number, shape: number) => void
}

/**
 * The block of a kernel that is planned in two steps: its shape, then as many bytes as the core says that the shape takes.
 * Whatever fails, nothing half made stays behind.
 * @throws {CoreError} `core_out_of_memory`, `core_trapped`
 */
export function planArena(core: AnyCore, { owner, shapeBytes, shape, bytes, create }: KernelPlan): Arena {
  return withBlock(core, shapeBytes, (words) => {
    new Int32Array(core.memory.buffer, words, shape.length).set(shape)
    return buildArena(core, bytes(words), owner, ({ pointer }) => create(pointer, words))
  })
}

/** An arena that `fill` makes ready; released when that throws. */
export function buildArena(core: AnyCore, byteLength: number, owner: string, fill: (arena: Arena) => void): Arena {
  const arena = new Arena(core, byteLength, owner)
  try {
    fill(arena)
    return arena
  } catch (cause) {
    arena.dispose()
    throw cause
  }
}
