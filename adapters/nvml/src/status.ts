import { AdapterError } from '@trimtab/core'

/** NVML said no. `status` is its number (0 for a call that never reached NVML), `call` the function that was called. */
export class NvmlError extends AdapterError {
  readonly status: number
  readonly call: string

  constructor(code: string, message: string, details: { readonly status: number; readonly call: string }) {
    super(code, message)
    this.status = details.status
    this.call = details.call
  }
}

/** This user may read but not set (4), or the operating system blocks the device (17). */
export class NvmlPermissionError extends NvmlError {}

/** The GPU, the driver or the library has no such function (3, 13, 24, 26). The others still work. */
export class NvmlUnsupportedError extends NvmlError {}

/** The GPU fell off the bus or waits for a reset (15, 16): every call to it fails until then. */
export class NvmlGpuLostError extends NvmlError {}

/** There is nothing to talk to: no library, no driver, no GPU (1, 9, 12, 18, 28). */
export class NvmlUnavailableError extends NvmlError {}

type NvmlErrorClass = new (...parameters: ConstructorParameters<typeof NvmlError>) => NvmlError

interface Meaning {
  readonly code: string
  readonly kind: NvmlErrorClass
  /** What is wrong, and the way out. */
  readonly text: string
}

/** `nvmlReturn_t` of nvml.h, API 13. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  1: { code: 'nvml_uninitialised', kind: NvmlUnavailableError, text: 'NVML was shut down: open it again' },
  2: { code: 'nvml_invalid_argument', kind: NvmlError, text: 'the driver does not take this value' },
  3: { code: 'nvml_not_supported', kind: NvmlUnsupportedError, text: 'this GPU or its mode does not offer it' },
  4: {
    code: 'nvml_no_permission',
    kind: NvmlPermissionError,
    text: 'this user may not: run as root, in a container with the capability SYS_ADMIN',
  },
  6: { code: 'nvml_not_found', kind: NvmlError, text: 'there is no such thing: trimtab gpu list shows what is there' },
  7: { code: 'nvml_size', kind: NvmlError, text: 'the answer did not fit' },
  8: { code: 'nvml_power_cable', kind: NvmlError, text: 'an external power cable is missing' },
  9: {
    code: 'nvml_no_driver',
    kind: NvmlUnavailableError,
    text: 'the NVIDIA driver is not loaded: modprobe nvidia, or see dmesg for why it refuses',
  },
  10: { code: 'nvml_timeout', kind: NvmlError, text: 'the driver did not answer in time' },
  12: { code: 'nvml_library', kind: NvmlUnavailableError, text: 'a shared library of the driver is missing' },
  13: {
    code: 'nvml_no_function',
    kind: NvmlUnsupportedError,
    text: 'this driver is too old for it: update the driver',
  },
  15: {
    code: 'nvml_gpu_lost',
    kind: NvmlGpuLostError,
    text: 'the GPU has fallen off the bus: see dmesg for the Xid; it needs a reset or a reboot',
  },
  16: { code: 'nvml_reset_required', kind: NvmlGpuLostError, text: 'the GPU needs a reset: nvidia-smi --gpu-reset' },
  17: {
    code: 'nvml_os_blocked',
    kind: NvmlPermissionError,
    text: 'the operating system or a cgroup blocks the device: give the container the GPU (--gpus, device plugin)',
  },
  18: {
    code: 'nvml_version_mismatch',
    kind: NvmlUnavailableError,
    text: 'library and kernel driver are of different versions: reboot, or reload the driver',
  },
  19: { code: 'nvml_in_use', kind: NvmlError, text: 'the GPU is in use' },
  24: { code: 'nvml_clock_not_supported', kind: NvmlUnsupportedError, text: 'the GPU has no such clock' },
  26: { code: 'nvml_deprecated', kind: NvmlUnsupportedError, text: 'this driver has dropped the function' },
  28: { code: 'nvml_no_gpu', kind: NvmlUnavailableError, text: 'the driver found no GPU' },
}

/**
 * NVML's status as an error with a stable code and a way out.
 * @param subject  which GPU, or what of NVML
 */
export function toNvmlError(status: number, call: string, subject: string): NvmlError {
  const { code, kind, text } = MEANINGS[status] ?? { code: 'nvml_unknown', kind: NvmlError, text: 'the driver failed' }
  return new kind(code, `${subject}: ${text} (${call}: NVML error ${status})`, { status, call })
}

/** A reading, or `undefined` where it cannot be had now. A GPU or a driver that is gone is no missing reading: that is thrown. */
export function ifOffered<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof NvmlError) || error instanceof NvmlGpuLostError || error instanceof NvmlUnavailableError)
      throw error
    return undefined
  }
}
