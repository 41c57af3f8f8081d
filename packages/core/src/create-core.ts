import type { BatchThreads } from './batch-threads.js'
import type { Logger } from './contracts.js'
import { Core } from './core.js'
import { ConfigError } from './errors.js'
import { LEARN } from './learn.js'
import { type Builds, start } from './start.js'
import type { CoreOptions } from './wasm.js'
import type { GpuDevice } from './webgpu/device.js'

const BUILDS: Builds = {
  simd: () => import('#wasm-file/learn-simd'),
  scalar: () => import('#wasm-file/learn-scalar'),
  relaxed: () => import('#wasm-file/learn-relaxed'),
}

/** How the core that learns is started. */
export interface LearnCoreOptions extends CoreOptions {
  /**
   * Whether `forwardMany`, `encodeMany`, `embedMany` and `decideManyAsync` may compute on WebGPU. `auto`: where the host has an adapter that is no software, from the
   * batch on at which it was measured to be faster. A `GPUDevice` of yours: always. Results agree with the core's within 1e-5 of the
   * largest, not to the bit; whatever fails there, the core computes in the same call. Default `off`: the code is not even loaded.
   */
  readonly gpu?: 'auto' | 'off' | GpuDevice
  /**
   * Threads for `encodeMany` and `embedMany` of a GRU, where no GPU takes the batch: `new EncoderThreads()` of `@trimtab/node`. The same bits
   * as without; whatever fails there, the core computes in the same call. Default: none, the thread that calls computes.
   */
  readonly threads?: BatchThreads
  /** Is told once, as a warning, when the GPU is given up. */
  readonly logger?: Logger
}

/**
 * Starts the core that learns: about 5 ms, no imports, no network, no threads. A second one is not compiled again.
 * @throws {ConfigError} `config_invalid` (an unknown build, a `gpu` or `threads` that are none); {CoreError} `core_unavailable` (the host cannot run
 *   the build), `core_abi_mismatch` (a foreign module)
 * @example
 * const core = await createCore()
 * core.math.tanh(1) // the same bits everywhere
 */
export async function createCore(options: LearnCoreOptions = {}): Promise<Core> {
  const { gpu = 'off', threads, logger } = options
  if (gpu !== 'auto' && gpu !== 'off' && !isDevice(gpu))
    throw new ConfigError('config_invalid', `gpu must be auto, off or a GPUDevice, got ${String(gpu)}`)
  if (threads !== undefined && typeof threads?.finalStates !== 'function')
    throw new ConfigError(
      'config_invalid',
      `threads must have finalStates, as EncoderThreads has, got ${String(threads)}`,
    )
  const startCore = (): Promise<Core> => start(LEARN, BUILDS, options)
  const core = await startCore()
  const opened = gpu === 'off' ? undefined : await (await import('./webgpu/open.js')).openGpu(gpu, startCore, logger)
  return new Core(core.kernels, core.exports, core.build, opened, threads)
}

const isDevice = (gpu: Partial<GpuDevice> | null): boolean => typeof gpu?.createComputePipeline === 'function'
