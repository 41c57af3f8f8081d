// Finds a GPU and says what became of it.
import type { BatchGpu, DenseNet, EncoderNet, GpuBreakEven, PackedContexts } from '../batch-gpu.js'
import type { Logger } from '../contracts.js'
import { Core } from '../core.js'
import { measureBreakEven } from './break-even.js'
import { denseWork, runDense } from './dense.js'
import type { Gpu, GpuAdapter, GpuAdapterInfo, GpuDevice } from './device.js'
import { encoderWork, runEncoder } from './encoder.js'
import { Session, TooLarge } from './session.js'

const ALWAYS: GpuBreakEven = { call: 0, step: 0 }
const NEVER: GpuBreakEven = { call: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY }

/** Measured once on each adapter, by its name. */
const measured = new Map<string, Promise<GpuBreakEven>>()

/**
 * The caller's device, which then takes every batch; or the host's best adapter where that beats the core.
 * @param startCore  starts one that is only there to be measured: what it holds for that is given back with it
 */
export async function openGpu(
  gpu: 'auto' | GpuDevice,
  startCore: () => Promise<Core>,
  logger: Logger | undefined,
): Promise<BatchGpu> {
  if (gpu !== 'auto') return new SessionGpu(new Session(gpu), nameOf(gpu.adapterInfo), ALWAYS, logger)
  const none = (adapter: string | undefined, unused: string): BatchGpu => new NoGpu(adapter, unused)
  let adapter: GpuAdapter | null | undefined
  try {
    adapter = await findGpu()?.requestAdapter({ powerPreference: 'high-performance' })
    if (!adapter) return none(undefined, 'this host has no WebGPU adapter')
    const name = nameOf(adapter.info)
    if (isSoftware(adapter, name)) return none(name, 'it computes in software: no faster than the core')
    const session = new Session(await adapter.requestDevice({ requiredLimits: largestOf(adapter) }))
    const opened = new SessionGpu(session, name, ALWAYS, undefined)
    const measuring = measured.get(name) ?? measureOn(opened, startCore)
    measured.set(name, measuring)
    const breakEven = await measuring
    if (opened.unused !== undefined) {
      measured.delete(name) // what was measured was the core
      return none(name, opened.unused)
    }
    if (breakEven.call === Number.POSITIVE_INFINITY) return none(name, 'no batch was faster on it than on the core')
    return new SessionGpu(session, name, breakEven, logger)
  } catch (cause) {
    return none(adapter ? nameOf(adapter.info) : undefined, cause instanceof Error ? cause.message : String(cause))
  }
}

async function measureOn(gpu: BatchGpu, startCore: () => Promise<Core>): Promise<GpuBreakEven> {
  const plain = await startCore()
  return measureBreakEven({ plain, withGpu: new Core(plain.kernels, plain.exports, plain.build, gpu) })
}

type Require = (name: 'webgpu') => { create(flags: string[]): Gpu }

/** What is used of Node's `process`. */
interface NodeProcess {
  getBuiltinModule?(name: 'node:module'): { createRequire(from: string): Require } | undefined
}

/** As Node finds it: an optional peer that bundlers must not look for. Next resolves what `import()` is given, by variable or not. */
function openDawn(): Gpu | undefined {
  const { process } = globalThis as { process?: NodeProcess }
  try {
    return process
      ?.getBuiltinModule?.('node:module')
      ?.createRequire(import.meta.url)('webgpu')
      .create([])
  } catch {
    return undefined // not installed, or not for this host
  }
}

/** Made once a process: Dawn's instance must outlive its devices. */
let dawn: { readonly gpu: Gpu | undefined } | undefined

/** Browsers and Deno have one; elsewhere the package `webgpu` (Dawn) is asked, where it is installed. */
function findGpu(): Gpu | undefined {
  const { navigator } = globalThis as { navigator?: { gpu?: Gpu } }
  if (navigator?.gpu) return navigator.gpu
  dawn ??= { gpu: openDawn() }
  return dawn.gpu
}

/** Vendor and architecture; some give the vendor as a bare PCI number. */
function nameOf(info: GpuAdapterInfo | undefined): string {
  const words = info ? [info.vendor, info.architecture, info.description] : []
  return words.filter((word) => word && !/^\d+$/.test(word)).join(' ') || 'an adapter without a name'
}

const isSoftware = ({ info, isFallbackAdapter }: GpuAdapter, name: string): boolean =>
  info?.isFallbackAdapter === true ||
  isFallbackAdapter === true ||
  /swiftshader|llvmpipe|software|basic render/i.test(name)

/** What the adapter has beyond what every device gets. */
const largestOf = ({ limits }: GpuAdapter): Record<string, number> => ({
  maxBufferSize: limits.maxBufferSize,
  maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
  maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
})

/** There is none, or none that pays. */
class NoGpu implements BatchGpu {
  readonly adapter: string | undefined
  readonly breakEven: GpuBreakEven = NEVER
  readonly unused: string

  constructor(adapter: string | undefined, unused: string) {
    this.adapter = adapter
    this.unused = unused
  }

  async forward(): Promise<boolean> {
    return false
  }

  async encode(): Promise<boolean> {
    return false
  }
}

/** A device that takes batches from the break-even on, until it fails. */
class SessionGpu implements BatchGpu {
  readonly adapter: string
  readonly breakEven: GpuBreakEven
  readonly #session: Session
  readonly #logger: Logger | undefined
  #unused: string | undefined
  #saidTooLarge = false

  constructor(session: Session, adapter: string, breakEven: GpuBreakEven, logger: Logger | undefined) {
    this.adapter = adapter
    this.breakEven = breakEven
    this.#session = session
    this.#logger = logger
  }

  get unused(): string | undefined {
    return this.#unused
  }

  async forward(net: DenseNet, x: Float32Array, y: Float32Array): Promise<boolean> {
    const rows = y.length / net.sizes.at(-1)!
    if (rows * denseWork(net.sizes) < this.breakEven.call || !x.every(Number.isFinite)) return false
    return this.#try(runDense, net, x, y)
  }

  async encode(encoder: EncoderNet, contexts: PackedContexts, embeddings: Float32Array): Promise<boolean> {
    const { call, step } = encoderWork(encoder, contexts)
    if (call < this.breakEven.call || step < this.breakEven.step) return false
    return this.#try(runEncoder, encoder, contexts, embeddings)
  }

  /** Whether `out` was filled. What is not finite, going in or coming out, is the core's to say: shaders need not know it. */
  async #try<Net, Input>(
    run: (session: Session, net: Net, input: Input, out: Float32Array) => Promise<void>,
    ...[net, input, out]: [Net, Input, Float32Array]
  ): Promise<boolean> {
    if (this.#unused !== undefined) return false
    try {
      const answer = new Float32Array(out.length)
      await run(this.#session, net, input, answer)
      if (!answer.every(Number.isFinite)) return false
      out.set(answer)
      return true
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (cause instanceof TooLarge) this.#sayTooLarge(reason)
      else this.#giveUp(reason)
      return false
    }
  }

  #sayTooLarge(reason: string): void {
    if (!this.#saidTooLarge)
      this.#logger?.warn(`a batch does not fit the GPU (${reason}): the core computes such batches`)
    this.#saidTooLarge = true
  }

  #giveUp(reason: string): void {
    if (this.#unused === undefined)
      this.#logger?.warn(`the GPU is not used any more (${reason}): the core computes all batches`)
    this.#unused ??= reason
  }
}
