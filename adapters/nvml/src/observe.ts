import type { GpuClock, GpuSample } from '@trimtab/serve'
import { lockableClocks, type NvmlGpu } from './gpu.js'
import type { GpuNotice } from './notice.js'
import { NvmlPermissionError } from './status.js'

/**
 * Reads a GPU and never sets it: what a scaler asks for is only passed on. No lease, no claim.
 *
 * @param now  seconds of a monotone clock
 * @param onAsk  called for each lock, with MHz, and for each reset, with `undefined`
 * @throws {NvmlUnsupportedError} the GPU lists no clocks that a scaler could choose from
 */
export function observeOnly(gpu: NvmlGpu, now: () => number, onAsk: (mhz: number | undefined) => void): GpuClock {
  return {
    name: gpu.uuid,
    supportedClocksMhz: lockableClocks(gpu),
    read: async () => gpu.sample(now()),
    lock: async (mhz) => onAsk(mhz),
    reset: async () => onAsk(undefined),
  }
}

/** The same clock until the driver refuses to set it (no permission); from then on it is only read, which is said once. */
export function observeWhenRefused(
  clock: GpuClock,
  onNotice: (notice: GpuNotice) => void,
): GpuClock & { readonly isRefused: boolean } {
  let isRefused = false
  const unlessRefused = async (set: () => Promise<void>): Promise<void> => {
    if (isRefused) return
    try {
      await set()
    } catch (error) {
      if (!(error instanceof NvmlPermissionError)) throw error
      isRefused = true
      onNotice({ kind: 'refused', message: `${error.message}; only watching from now on` })
    }
  }
  return {
    name: clock.name,
    supportedClocksMhz: clock.supportedClocksMhz,
    get isRefused() {
      return isRefused
    },
    read: (): Promise<GpuSample> => clock.read(),
    lock: (mhz) => unlessRefused(() => clock.lock(mhz)),
    reset: () => unlessRefused(() => clock.reset()),
  }
}
