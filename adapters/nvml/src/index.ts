export type { LoadLibrary, NativeArgument, NativeFunction, NativeLibrary, NativeType } from './ffi/native.js'
export { openLibrary } from './ffi/open.js'
export { findGpu, type GpuDescription, listGpus, NvmlGpu } from './gpu.js'
export { type LeaseRecord, readLeases } from './lease.js'
export { type LockedSample, type NvmlClockOptions, NvmlGpuClock } from './locked-clock.js'
export type { GpuNotice } from './notice.js'
export { type DeviceHandle, Nvml } from './nvml.js'
export { observeOnly, observeWhenRefused } from './observe.js'
export { type RestoreOutcome, restoreAll } from './restore-left.js'
export {
  NvmlError,
  NvmlGpuLostError,
  NvmlPermissionError,
  NvmlUnavailableError,
  NvmlUnsupportedError,
} from './status.js'
export { type NvmlSample, type ThrottleReason, throttleReasons } from './telemetry.js'
export { judgeLock, type LockVerdict } from './verdict.js'
export { type CudaEnvironment, findVisibleGpu } from './visible.js'
export { type WatchOptions, watchGpu } from './watch.js'
