import type { NativeArgument, NativeFunction, NativeLibrary, NativeType } from './ffi/native.js'
import { openLibrary } from './ffi/open.js'
import { toNvmlError } from './status.js'

/** A GPU as NVML passes it around: an address, valid until `close`. */
export type DeviceHandle = bigint

/** Every function that is called: parameters as in nvml.h, each returns a status. */
const PARAMETERS = {
  nvmlInit_v2: [],
  nvmlShutdown: [],
  nvmlSystemGetDriverVersion: ['buffer', 'u32'],
  nvmlDeviceGetCount_v2: ['buffer'],
  nvmlDeviceGetHandleByIndex_v2: ['u32', 'buffer'],
  nvmlDeviceGetHandleByUUID: ['buffer', 'buffer'],
  nvmlDeviceGetDeviceHandleFromMigDeviceHandle: ['handle', 'buffer'],
  nvmlDeviceGetUUID: ['handle', 'buffer', 'u32'],
  nvmlDeviceGetName: ['handle', 'buffer', 'u32'],
  nvmlDeviceGetMemoryInfo: ['handle', 'buffer'],
  nvmlDeviceGetSupportedMemoryClocks: ['handle', 'buffer', 'buffer'],
  nvmlDeviceGetSupportedGraphicsClocks: ['handle', 'u32', 'buffer', 'buffer'],
  nvmlDeviceSetGpuLockedClocks: ['handle', 'u32', 'u32'],
  nvmlDeviceResetGpuLockedClocks: ['handle'],
  nvmlDeviceGetClockInfo: ['handle', 'u32', 'buffer'],
  nvmlDeviceGetMaxClockInfo: ['handle', 'u32', 'buffer'],
  nvmlDeviceGetPowerUsage: ['handle', 'buffer'],
  nvmlDeviceGetEnforcedPowerLimit: ['handle', 'buffer'],
  nvmlDeviceGetTotalEnergyConsumption: ['handle', 'buffer'],
  nvmlDeviceGetTemperature: ['handle', 'u32', 'buffer'],
  nvmlDeviceGetUtilizationRates: ['handle', 'buffer'],
  nvmlDeviceGetCurrentClocksEventReasons: ['handle', 'buffer'],
  nvmlDeviceGetCurrentClocksThrottleReasons: ['handle', 'buffer'],
  nvmlDeviceGetMigMode: ['handle', 'buffer', 'buffer'],
  nvmlDeviceGetPersistenceMode: ['handle', 'buffer'],
} as const satisfies Readonly<Record<string, readonly NativeType[]>>

type FunctionName = keyof typeof PARAMETERS

const SIZE_TOO_SMALL = 7
const NO_FUNCTION = 13
const TEXT_BYTES = 128 // the longest of nvml.h is 96 (NVML_DEVICE_UUID_V2_BUFFER_SIZE)
const CLOCK = { streamingMultiprocessor: 1, memory: 2 } as const
const TEMPERATURE_GPU = 0

/**
 * NVML's functions with types: out-parameters become results, a status becomes an error, milliunits become units.
 *
 * Calls are synchronous on purpose, also those that set: one that was still under way in a thread when the process ends could lock
 * the clock after it was given back.
 *
 * @throws {NvmlError} from every method, by status: see `status.ts`
 */
export class Nvml {
  readonly #library: NativeLibrary
  readonly #functions = new Map<FunctionName, NativeFunction | undefined>()
  #isOpen = true

  /**
   * @param path  the library's file; where drivers put it when left out
   * @throws {NvmlUnavailableError} nothing to talk to
   */
  static async open(path?: string): Promise<Nvml> {
    return new Nvml(await openLibrary(path))
  }

  constructor(library: NativeLibrary) {
    this.#library = library
    this.#call('nvmlInit_v2', 'NVML')
  }

  /** NVML counts its users: this gives up one. May be called twice. */
  dispose(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#find('nvmlShutdown')?.()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** The version of the NVIDIA driver, such as `550.54.15`. */
  driverVersion(): string {
    return this.#text('nvmlSystemGetDriverVersion', 'the driver')
  }

  /** All boards that this process may see; CUDA_VISIBLE_DEVICES does not matter. */
  deviceCount(): number {
    return this.#u32('nvmlDeviceGetCount_v2', 'the driver')
  }

  /** @param index  in the order of PCI addresses, which a reboot or a failing board may change */
  deviceByIndex(index: number): DeviceHandle {
    return this.#u64('nvmlDeviceGetHandleByIndex_v2', `GPU ${index}`, index)
  }

  /** @param uuid  `GPU-…`, or `MIG-…` for a slice */
  deviceByUuid(uuid: string): DeviceHandle {
    return this.#u64('nvmlDeviceGetHandleByUUID', uuid, new TextEncoder().encode(`${uuid}\0`))
  }

  /** The GPU that a MIG slice is a part of: clocks are the whole GPU's. */
  parentOfMigDevice(slice: DeviceHandle, subject: string): DeviceHandle {
    return this.#u64('nvmlDeviceGetDeviceHandleFromMigDeviceHandle', subject, slice)
  }

  /**
   * `GPU-…`, the same over reboots.
   * @param subject  what the device is called in errors; so everywhere below
   */
  uuid(device: DeviceHandle, subject: string): string {
    return this.#text('nvmlDeviceGetUUID', subject, device)
  }

  /** The product, such as `NVIDIA H100 80GB HBM3`. */
  name(device: DeviceHandle, subject: string): string {
    return this.#text('nvmlDeviceGetName', subject, device)
  }

  /** Memory of the whole device, in bytes; `used` is by all processes and by the driver. */
  memoryBytes(device: DeviceHandle, subject: string): { readonly total: number; readonly used: number } {
    const out = new BigUint64Array(3) // total, free, used
    this.#call('nvmlDeviceGetMemoryInfo', subject, device, out)
    return { total: Number(out[0]), used: Number(out[2]) }
  }

  /** Memory clocks to choose from, MHz, in the driver's order. */
  supportedMemoryClocksMhz(device: DeviceHandle, subject: string): number[] {
    return this.#list('nvmlDeviceGetSupportedMemoryClocks', subject, device)
  }

  /** @param memoryClockMhz  one of `supportedMemoryClocksMhz` */
  supportedGraphicsClocksMhz(device: DeviceHandle, subject: string, memoryClockMhz: number): number[] {
    return this.#list('nvmlDeviceGetSupportedGraphicsClocks', subject, device, memoryClockMhz)
  }

  /** Volta and newer, root. Stays until reset, driver reload or reboot. */
  setLockedClocks(device: DeviceHandle, subject: string, minMhz: number, maxMhz: number): void {
    this.#call('nvmlDeviceSetGpuLockedClocks', subject, device, minMhz, maxMhz)
  }

  /** Gives the clocks back to the driver; needs root. */
  resetLockedClocks(device: DeviceHandle, subject: string): void {
    this.#call('nvmlDeviceResetGpuLockedClocks', subject, device)
  }

  /** The clock at this moment, MHz. */
  clockMhz(device: DeviceHandle, subject: string, of: keyof typeof CLOCK): number {
    return this.#u32('nvmlDeviceGetClockInfo', subject, device, CLOCK[of])
  }

  /** The highest clock that the device can run at, MHz. */
  maxClockMhz(device: DeviceHandle, subject: string, of: keyof typeof CLOCK): number {
    return this.#u32('nvmlDeviceGetMaxClockInfo', subject, device, CLOCK[of])
  }

  /** Ampere and newer (but GA100): the average of the last second. */
  powerWatts(device: DeviceHandle, subject: string): number {
    return this.#u32('nvmlDeviceGetPowerUsage', subject, device) / 1000
  }

  /** The power cap in force, watts. */
  powerLimitWatts(device: DeviceHandle, subject: string): number {
    return this.#u32('nvmlDeviceGetEnforcedPowerLimit', subject, device) / 1000
  }

  /** Since the driver was loaded; Volta and newer. */
  energyJoules(device: DeviceHandle, subject: string): number {
    return Number(this.#u64('nvmlDeviceGetTotalEnergyConsumption', subject, device)) / 1000
  }

  /** Temperature of the GPU's die, °C. */
  temperatureCelsius(device: DeviceHandle, subject: string): number {
    return this.#u32('nvmlDeviceGetTemperature', subject, device, TEMPERATURE_GPU)
  }

  /** Shares of the last sampling period; not offered under MIG. */
  utilisation01(device: DeviceHandle, subject: string): { readonly gpu: number; readonly memory: number } {
    const out = new Uint32Array(2)
    this.#call('nvmlDeviceGetUtilizationRates', subject, device, out)
    return { gpu: out[0]! / 100, memory: out[1]! / 100 }
  }

  /** Bits that say what holds the clock down: see `throttleReasons`. */
  clockEventReasons(device: DeviceHandle, subject: string): bigint {
    const current = 'nvmlDeviceGetCurrentClocksEventReasons' // its name until driver 535 was …ThrottleReasons
    return this.#u64(this.#find(current) ? current : 'nvmlDeviceGetCurrentClocksThrottleReasons', subject, device)
  }

  /** Whether the GPU is cut into slices. A GPU without MIG answers with an error, `nvml_not_supported`. */
  isMig(device: DeviceHandle, subject: string): boolean {
    const current = new Uint32Array(1)
    this.#call('nvmlDeviceGetMigMode', subject, device, current, new Uint32Array(1))
    return current[0] === 1
  }

  /** Whether the driver stays loaded without users. */
  isPersistent(device: DeviceHandle, subject: string): boolean {
    return this.#u32('nvmlDeviceGetPersistenceMode', subject, device) === 1
  }

  #find(name: FunctionName): NativeFunction | undefined {
    if (!this.#functions.has(name)) this.#functions.set(name, this.#library.find(name, PARAMETERS[name]))
    return this.#functions.get(name)
  }

  #status(name: FunctionName, values: readonly NativeArgument[]): number {
    return this.#find(name)?.(...values) ?? NO_FUNCTION
  }

  #call(name: FunctionName, subject: string, ...values: readonly NativeArgument[]): void {
    const status = this.#status(name, values)
    if (status !== 0) throw toNvmlError(status, name, subject)
  }

  #u32(name: FunctionName, subject: string, ...values: readonly NativeArgument[]): number {
    const out = new Uint32Array(1)
    this.#call(name, subject, ...values, out)
    return out[0]!
  }

  #u64(name: FunctionName, subject: string, ...values: readonly NativeArgument[]): bigint {
    const out = new BigUint64Array(1)
    this.#call(name, subject, ...values, out)
    return out[0]!
  }

  #text(name: FunctionName, subject: string, ...values: readonly NativeArgument[]): string {
    const out = new Uint8Array(TEXT_BYTES)
    this.#call(name, subject, ...values, out, out.length)
    return new TextDecoder().decode(out.subarray(0, Math.max(0, out.indexOf(0))))
  }

  /** A list of unknown length: asked for its size first. */
  #list(name: FunctionName, subject: string, ...values: readonly NativeArgument[]): number[] {
    const count = new Uint32Array(1)
    const probe = this.#status(name, [...values, count, new Uint32Array(1)])
    if (probe !== 0 && probe !== SIZE_TOO_SMALL) throw toNvmlError(probe, name, subject)
    const out = new Uint32Array(count[0]!)
    if (out.length > 0) this.#call(name, subject, ...values, count, out)
    return [...out.subarray(0, count[0])]
  }
}
