import { ConfigError } from '@trimtab/core'
import type { DeviceHandle, Nvml } from './nvml.js'
import { ifOffered, NvmlUnsupportedError, toNvmlError } from './status.js'
import { type NvmlSample, PowerIntegral, throttleReasons } from './telemetry.js'

/** What a GPU is; what it does not tell is `undefined`. */
export interface GpuDescription {
  readonly index: number | undefined
  readonly uuid: string
  readonly name: string
  readonly memoryTotalBytes: number | undefined
  readonly memoryUsedBytes: number | undefined
  readonly clockMhz: number | undefined
  /** Clocks that may be locked, MHz; empty where the driver does not list them. */
  readonly minClockMhz: number | undefined
  readonly maxClockMhz: number | undefined
  readonly powerWatts: number | undefined
  readonly powerLimitWatts: number | undefined
  /** Split into slices, which share one clock. */
  readonly isMig: boolean
  /** Without it the driver forgets a locked clock when the last program leaves. */
  readonly isPersistent: boolean | undefined
}

/** One board: everything that reads, nothing that sets. */
export class NvmlGpu {
  readonly nvml: Nvml
  readonly device: DeviceHandle
  readonly uuid: string
  readonly name: string
  readonly index: number | undefined
  /** The slice of it that was asked for by its UUID. */
  readonly slice: string | undefined
  readonly #energy = new PowerIntegral()
  #hasEnergyCounter = true

  constructor(nvml: Nvml, device: DeviceHandle, place: { readonly index?: number; readonly slice?: string }) {
    const subject = place.slice ?? `GPU ${place.index ?? ''}`.trim()
    this.nvml = nvml
    this.device = device
    this.index = place.index
    this.slice = place.slice
    this.uuid = nvml.uuid(device, subject)
    this.name = nvml.name(device, subject)
  }

  /** How messages call it. */
  get subject(): string {
    return `${this.name} (${this.uuid})`
  }

  /** Read again each time: it may be switched while a program runs. */
  get isMig(): boolean {
    return ifOffered(() => this.nvml.isMig(this.device, this.subject)) ?? false
  }

  /**
   * Whether the driver stays loaded without users: without it, settings may be lost between programs. `undefined`: not told.
   */
  get isPersistent(): boolean | undefined {
    return ifOffered(() => this.nvml.isPersistent(this.device, this.subject))
  }

  /** Streaming-multiprocessor clocks at the highest memory clock, ascending; empty where the driver does not list them. */
  supportedClocksMhz(): number[] {
    const clocks = ifOffered(() => {
      const memory = this.nvml.supportedMemoryClocksMhz(this.device, this.subject)
      return this.nvml.supportedGraphicsClocksMhz(this.device, this.subject, Math.max(...memory))
    })
    return (clocks ?? []).sort((a, b) => a - b)
  }

  /** What the GPU is and can do; what the driver does not offer is `undefined`. */
  describe(): GpuDescription {
    const { nvml, device, subject } = this
    const clocks = this.supportedClocksMhz()
    const memory = ifOffered(() => nvml.memoryBytes(device, subject))
    return {
      ...{ index: this.index, uuid: this.uuid, name: this.name },
      ...{ memoryTotalBytes: memory?.total, memoryUsedBytes: memory?.used },
      clockMhz: ifOffered(() => nvml.clockMhz(device, subject, 'streamingMultiprocessor')),
      minClockMhz: clocks[0],
      maxClockMhz: clocks.at(-1) ?? ifOffered(() => nvml.maxClockMhz(device, subject, 'streamingMultiprocessor')),
      powerWatts: ifOffered(() => nvml.powerWatts(device, subject)),
      powerLimitWatts: ifOffered(() => nvml.powerLimitWatts(device, subject)),
      isMig: this.isMig,
      isPersistent: this.isPersistent,
    }
  }

  /**
   * One reading. Without an energy counter power is integrated over the readings, and the sample says so.
   * @param seconds  now, of any monotone clock
   * @throws {NvmlGpuLostError}
   */
  sample(seconds: number): NvmlSample {
    const { nvml, device, subject } = this
    const powerWatts = ifOffered(() => nvml.powerWatts(device, subject))
    const utilisation = ifOffered(() => nvml.utilisation01(device, subject))
    const bits = ifOffered(() => nvml.clockEventReasons(device, subject))
    return {
      seconds,
      clockMhz: ifOffered(() => nvml.clockMhz(device, subject, 'streamingMultiprocessor')),
      memoryClockMhz: ifOffered(() => nvml.clockMhz(device, subject, 'memory')),
      powerWatts,
      powerLimitWatts: ifOffered(() => nvml.powerLimitWatts(device, subject)),
      ...this.#energyAt(seconds, powerWatts),
      utilisation01: utilisation?.gpu,
      memoryUtilisation01: utilisation?.memory,
      temperatureCelsius: ifOffered(() => nvml.temperatureCelsius(device, subject)),
      throttleReasons: bits === undefined ? undefined : throttleReasons(bits),
    }
  }

  #energyAt(seconds: number, watts: number | undefined): Pick<NvmlSample, 'energyJoules' | 'energySource'> {
    if (this.#hasEnergyCounter) {
      const energyJoules = ifOffered(() => this.nvml.energyJoules(this.device, this.subject))
      if (energyJoules !== undefined) return { energyJoules, energySource: 'counter' }
      this.#hasEnergyCounter = false // once and for all: the two have different origins
    }
    const energyJoules = this.#energy.add(seconds, watts)
    return { energyJoules, energySource: energyJoules === undefined ? undefined : 'integrated' }
  }
}

/** Every board, in the order of its index. A lost one among them is left out and given to `onLost`. */
export function listGpus(nvml: Nvml, onLost: (error: Error) => void = () => {}): NvmlGpu[] {
  return Array.from({ length: nvml.deviceCount() }, (_, index) => index).flatMap((index) => {
    try {
      return [new NvmlGpu(nvml, nvml.deviceByIndex(index), { index })]
    } catch (error) {
      onLost(error as Error)
      return []
    }
  })
}

/**
 * The GPU that `selector` names: a UUID (`GPU-…`, or `MIG-…` for the board a slice is part of) or an index; without one the only GPU.
 *
 * @throws {ConfigError} `gpu_ambiguous` (several, none named), `gpu_unknown` (no such index)
 * @throws {NvmlError} not there, lost
 */
export function findGpu(nvml: Nvml, selector?: string): NvmlGpu {
  if (selector === undefined || /^\d+$/.test(selector)) {
    const count = nvml.deviceCount()
    if (count === 0) throw toNvmlError(28, 'nvmlDeviceGetCount_v2', 'the driver')
    if (selector === undefined && count > 1)
      throw new ConfigError(
        'gpu_ambiguous',
        `there are ${count} GPUs: name one by its UUID, as trimtab gpu list shows it`,
      )
    const index = Number(selector ?? 0)
    if (index >= count) throw new ConfigError('gpu_unknown', `there is no GPU ${index}: the driver knows ${count}`)
    return new NvmlGpu(nvml, nvml.deviceByIndex(index), { index })
  }
  const device = nvml.deviceByUuid(selector)
  if (!selector.startsWith('MIG-')) return new NvmlGpu(nvml, device, {})
  return new NvmlGpu(nvml, nvml.parentOfMigDevice(device, selector), { slice: selector })
}

/** @throws {NvmlUnsupportedError} the driver lists none: such a GPU can only be watched */
export function lockableClocks(gpu: NvmlGpu): number[] {
  const clocks = gpu.supportedClocksMhz()
  if (clocks.length > 0) return clocks
  throw new NvmlUnsupportedError(
    'nvml_not_supported',
    `${gpu.subject}: the driver lists no clocks that could be locked (a virtual GPU, or older than Volta): it can only be watched`,
    { status: 3, call: 'nvmlDeviceGetSupportedGraphicsClocks' },
  )
}
