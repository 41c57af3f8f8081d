// WebGPU as it is used here: what TypeScript ships of it comes with the DOM, which a service on Node does without. A browser's, Deno's and
// Dawn's `GPUDevice` are all of this shape.

/** What an adapter or a device allows, as far as it is asked. */
export interface GpuLimits {
  readonly maxBufferSize: number
  readonly maxStorageBufferBindingSize: number
  readonly maxComputeWorkgroupStorageSize: number
  readonly maxComputeInvocationsPerWorkgroup: number
  readonly maxComputeWorkgroupsPerDimension: number
  readonly minUniformBufferOffsetAlignment: number
}

export interface GpuAdapterInfo {
  readonly vendor: string
  readonly architecture: string
  readonly description: string
  readonly isFallbackAdapter?: boolean
}

export interface GpuAdapter {
  readonly info?: GpuAdapterInfo
  readonly isFallbackAdapter?: boolean
  readonly limits: GpuLimits
  requestDevice(descriptor: { requiredLimits: Record<string, number> }): Promise<GpuDevice>
}

/** `navigator.gpu`, or what the package `webgpu` creates. */
export interface Gpu {
  requestAdapter(options?: { powerPreference: 'high-performance' }): Promise<GpuAdapter | null>
}

export interface GpuBuffer {
  readonly size: number
  mapAsync(mode: number): Promise<unknown>
  getMappedRange(): ArrayBuffer
  destroy(): void
}

/** What only the device looks into. */
type Opaque = object

interface GpuComputePass {
  setPipeline(pipeline: Opaque): void
  setBindGroup(index: number, group: Opaque, offsets: number[]): void
  dispatchWorkgroups(x: number, y: number, z: number): void
  end(): void
}

interface GpuEncoder {
  beginComputePass(): GpuComputePass
  copyBufferToBuffer(from: GpuBuffer, at: number, to: GpuBuffer, toAt: number, bytes: number): void
  finish(): Opaque
}

/** What is used of a `GPUDevice`: yours may be handed to `createCore({ gpu })`. */
export interface GpuDevice {
  readonly limits: GpuLimits
  readonly adapterInfo?: GpuAdapterInfo
  readonly lost: Promise<{ readonly reason?: string | undefined; readonly message: string }>
  readonly queue: {
    writeBuffer(buffer: GpuBuffer, at: number, from: ArrayBuffer, start: number, bytes: number): void
    submit(commands: Opaque[]): void
  }
  /** Bytes on the device, zero at first. */
  createBuffer(descriptor: { size: number; usage: number }): GpuBuffer
  /** Compiles WGSL. */
  createShaderModule(descriptor: { label: string; code: string }): Opaque
  /** What kinds of buffers a kernel takes. */
  createBindGroupLayout(descriptor: { entries: object[] }): Opaque
  /** The groups of a kernel. */
  createPipelineLayout(descriptor: { bindGroupLayouts: Opaque[] }): Opaque
  /** A kernel, ready to run. */
  createComputePipeline(descriptor: { layout: Opaque; compute: { module: Opaque; entryPoint: string } }): Opaque
  /** The buffers of a run. */
  createBindGroup(descriptor: { layout: Opaque; entries: object[] }): Opaque
  /** Records commands for the queue. */
  createCommandEncoder(): GpuEncoder
  /** Errors of this kind are caught from now on, until popped. */
  pushErrorScope(filter: 'validation' | 'out-of-memory' | 'internal'): void
  /** What was caught since the matching push. */
  popErrorScope(): Promise<{ readonly message: string } | null>
}
