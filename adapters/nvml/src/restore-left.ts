import { stateFolders } from '@trimtab/node/files'
import { findGpu, type NvmlGpu } from './gpu.js'
import { type LeaseRecord, readLeases, removeLease } from './lease.js'
import type { Nvml } from './nvml.js'

/**
 * Gives back what dead processes left locked on one GPU.
 * @throws {NvmlError} it may not be reset; the lease stays for the next one
 */
export function restoreLeft(gpu: NvmlGpu, folders: readonly string[], onRestored: (message: string) => void): void {
  for (const lease of readLeases(folders, gpu.uuid).filter(({ owner }) => owner === 'dead')) {
    if (lease.lockedMhz !== undefined) {
      gpu.nvml.resetLockedClocks(gpu.device, gpu.subject)
      onRestored(
        `process ${lease.pid} (${lease.command}) died and left the clock locked at ${lease.lockedMhz} MHz: given back`,
      )
    }
    removeLease(lease)
  }
}

/** What became of one lease: given back (`restored`), still somebody's (`held`), or why it could not be given back. */
export interface RestoreOutcome {
  readonly lease: LeaseRecord
  readonly state: 'restored' | 'held' | 'failed'
  readonly error: Error | undefined
}

/**
 * Gives back what dead processes left locked, on every GPU: for a service's `ExecStopPost=`, or by hand.
 * @param folders  where leases lie; the default ones when left out
 */
export function restoreAll(nvml: Nvml, folders: readonly string[] = stateFolders()): RestoreOutcome[] {
  return readLeases(folders).map((lease): RestoreOutcome => {
    if (lease.owner !== 'dead') return { lease, state: 'held', error: undefined }
    try {
      restoreLeft(findGpu(nvml, lease.gpu), folders, () => {})
      return { lease, state: 'restored', error: undefined }
    } catch (error) {
      return { lease, state: 'failed', error: error as Error }
    }
  })
}
