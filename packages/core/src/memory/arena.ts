import type { Core } from '../core.js'
import { CoreError } from '../errors.js'

const registry = new FinalizationRegistry<{ core: Core; pointer: number }>(({ core, pointer }) => core.release(pointer))

/**
 * The block of core memory behind one object: allocated at creation, released as a whole by `dispose()`.
 * Views are made fresh whenever the memory's buffer was replaced by growth, so a stale one is never handed out.
 */
export class Arena {
  readonly core: Core
  readonly byteLength: number
  readonly #owner: string
  #pointer: number
  #bytes: Uint8Array
  #floats: Float32Array
  #doubles: Float64Array

  /** @param owner  the name that errors use, `Mlp` */
  constructor(core: Core, byteLength: number, owner: string) {
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
