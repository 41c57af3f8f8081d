import type { GpuBuffer, GpuDevice } from './device.js'
import type { Kernel } from './wgsl.js'

// GPUBufferUsage, GPUMapMode and GPUShaderStage as numbers: not every host has the globals.
const [MAP_READ, COPY_SRC, COPY_DST, UNIFORM, STORAGE] = [0x1, 0x4, 0x8, 0x40, 0x80]
const READ_MODE = 1
const COMPUTE_STAGE = 4

/** Bytes of a kernel's sizes. */
const SIZES_BYTES = 64

/** A call that takes longer is given up: the core would have answered by then. */
const TIMEOUT_MS = 10_000

const ERRORS = ['validation', 'out-of-memory', 'internal'] as const

/** The device's limits are smaller than what a call needs; smaller calls run. */
export class TooLarge extends Error {}

/** One of several passes: how many numbers it answers, and what it does. */
export interface Recorded {
  readonly length: number
  readonly record: (pass: Pass) => GpuBuffer
}

interface Pipeline {
  readonly pipeline: object
  readonly layout: object
}

/** A device and what was compiled for it. */
export class Session {
  readonly device: GpuDevice
  readonly #pipelines = new Map<string, Pipeline>()
  /** Of calls without an answer yet: what ends them. */
  readonly #waiting = new Set<(cause: Error) => void>()
  #lost: Error | undefined

  constructor(device: GpuDevice) {
    this.device = device
    device.lost.then(({ message }) => {
      this.#lost = new Error(`the device was lost: ${message || 'no reason given'}`)
      for (const end of this.#waiting) end(this.#lost)
    })
  }

  /**
   * How many rows of `width` numbers one buffer holds.
   * @throws {TooLarge} none, or not the `parameters` either
   */
  rowsThatFit(width: number, parameters: number): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.device.limits
    const numbers = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4)
    if (Math.max(width, parameters) > numbers)
      throw new TooLarge(
        `a buffer of ${Math.max(width, parameters)} numbers is needed, the device has ${numbers} at most`,
      )
    return Math.floor(numbers / width)
  }

  /**
   * Runs what `record` puts into a pass, and reads the buffer that it returns into `out`.
   * @throws {Error} what the device refuses, its loss, ten seconds without an answer; `out` is as it was
   */
  async run(record: (pass: Pass) => GpuBuffer, out: Float32Array): Promise<void> {
    const { device } = this
    const pass = new Pass(this)
    try {
      if (this.#lost) throw this.#lost
      for (const filter of ERRORS) device.pushErrorScope(filter)
      let answer: GpuBuffer
      let caught: Promise<{ readonly message: string } | null>[]
      try {
        answer = pass.submit(record(pass), 4 * out.length)
      } finally {
        caught = ERRORS.map(() => device.popErrorScope())
      }
      const mapped = answer.mapAsync(READ_MODE).then(
        () => null,
        (error: Error) => error,
      )
      const problems = await this.#orGiveUp(Promise.all([...caught, mapped]))
      const problem = problems.find((error) => error !== null) // what was refused comes before that it cannot be mapped
      if (problem) throw new Error(problem.message)
      out.set(new Float32Array(answer.getMappedRange(), 0, out.length))
    } finally {
      pass.dispose()
    }
  }

  /**
   * Several passes whose results follow each other in `out`. All are handed over at once: what they read may change afterwards.
   * @throws {Error} as `run`; `out` is as it was
   */
  async runAll<Part>(parts: readonly Part[], out: Float32Array, partOf: (part: Part) => Recorded): Promise<void> {
    const results = await Promise.all(
      parts.map(async (part) => {
        const { length, record } = partOf(part)
        const result = new Float32Array(length)
        await this.run(record, result)
        return result
      }),
    )
    let at = 0
    for (const result of results) {
      out.set(result, at)
      at += result.length
    }
  }

  /** What `answer` comes to, unless the device is lost before or takes too long. */
  async #orGiveUp<T>(answer: Promise<T>): Promise<T> {
    let end: (cause: Error) => void = () => {}
    const over = new Promise<never>((_, reject) => {
      end = reject
    })
    const timer = setTimeout(() => end(new Error(`no answer in ${TIMEOUT_MS / 1e3} s`)), TIMEOUT_MS)
    this.#waiting.add(end)
    try {
      return await Promise.race([answer, over])
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(end)
    }
  }

  /** Compiled once. */
  pipelineOf({ name, code, reads, writes }: Kernel): Pipeline {
    const known = this.#pipelines.get(name)
    if (known) return known
    const { device } = this
    const storage = (type: string, count: number): { type: string }[] => Array.from({ length: count }, () => ({ type }))
    const buffers = [
      { type: 'uniform', hasDynamicOffset: true, minBindingSize: 0 },
      ...storage('read-only-storage', reads),
      ...storage('storage', writes),
    ]
    const layout = device.createBindGroupLayout({
      entries: buffers.map((buffer, binding) => ({ binding, visibility: COMPUTE_STAGE, buffer })),
    })
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device.createShaderModule({ label: name, code }), entryPoint: 'main' },
    })
    const made = { pipeline, layout }
    this.#pipelines.set(name, made)
    return made
  }
}

/** Workgroups along x, y, z. */
export type Grid = readonly [x: number, y: number, z: number]

/** A kernel with its buffers, dispatched as often as wanted with other sizes. */
export type Bound = (sizes: readonly number[], grid: Grid) => void

interface Dispatch {
  readonly kernel: Pipeline
  readonly buffers: readonly GpuBuffer[]
  readonly sizes: readonly number[]
  readonly grid: Grid
}

/** One submission: its buffers, and the dispatches in their order. */
export class Pass {
  readonly #session: Session
  readonly #buffers: GpuBuffer[] = []
  readonly #dispatches: Dispatch[] = []

  constructor(session: Session) {
    this.#session = session
  }

  /** Numbers of a kernel's own, zero at first. */
  space(count: number): GpuBuffer {
    return this.#create(4 * count, STORAGE | COPY_SRC)
  }

  /** A copy of numbers, taken now. */
  upload(values: Float32Array | Uint32Array): GpuBuffer {
    return this.#write(values, STORAGE)
  }

  bind(kernel: Kernel, buffers: readonly GpuBuffer[]): Bound {
    const pipeline = this.#session.pipelineOf(kernel)
    return (sizes, grid) => {
      if (!grid.includes(0)) this.#dispatches.push({ kernel: pipeline, buffers, sizes, grid }) // else there is nothing to do
    }
  }

  /** `groups` workgroups in a row, broken where one dimension has no more. */
  grid(groups: number): Grid {
    const most = this.#session.device.limits.maxComputeWorkgroupsPerDimension
    return [Math.min(groups, most), Math.ceil(groups / most), 1]
  }

  /** Hands everything to the device; the buffer returned can be mapped once `bytes` of `result` are there. */
  submit(result: GpuBuffer, bytes: number): GpuBuffer {
    const { device } = this.#session
    const stride = Math.max(SIZES_BYTES, device.limits.minUniformBufferOffsetAlignment)
    const words = new Uint32Array((this.#dispatches.length * stride) / 4)
    for (const [i, { sizes }] of this.#dispatches.entries()) words.set(sizes, (i * stride) / 4)
    const uniform = this.#write(words, UNIFORM)
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    const groups = new Map<readonly GpuBuffer[], object>()
    for (const [i, { kernel, buffers, grid }] of this.#dispatches.entries()) {
      const group = groups.get(buffers) ?? this.#group(kernel, uniform, buffers)
      groups.set(buffers, group)
      pass.setPipeline(kernel.pipeline)
      pass.setBindGroup(0, group, [i * stride])
      pass.dispatchWorkgroups(...grid)
    }
    pass.end()
    const answer = this.#create(bytes, MAP_READ)
    encoder.copyBufferToBuffer(result, 0, answer, 0, bytes)
    device.queue.submit([encoder.finish()])
    return answer
  }

  dispose(): void {
    for (const buffer of this.#buffers) buffer.destroy()
  }

  #group({ layout }: Pipeline, uniform: GpuBuffer, buffers: readonly GpuBuffer[]): object {
    const resources = [{ buffer: uniform, size: SIZES_BYTES }, ...buffers.map((buffer) => ({ buffer }))]
    const entries = resources.map((resource, binding) => ({ binding, resource }))
    return this.#session.device.createBindGroup({ layout, entries })
  }

  #write(values: Float32Array | Uint32Array, usage: number): GpuBuffer {
    const buffer = this.#create(values.byteLength, usage)
    const { queue } = this.#session.device
    queue.writeBuffer(buffer, 0, values.buffer as ArrayBuffer, values.byteOffset, values.byteLength)
    return buffer
  }

  #create(bytes: number, usage: number): GpuBuffer {
    const size = Math.max(16, 4 * Math.ceil(bytes / 4))
    const buffer = this.#session.device.createBuffer({ size, usage: usage | COPY_DST })
    this.#buffers.push(buffer)
    return buffer
  }
}

declare function setTimeout(call: () => void, milliseconds: number): unknown
declare function clearTimeout(timer: unknown): void
