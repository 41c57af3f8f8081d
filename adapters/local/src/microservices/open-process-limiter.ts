import { AdapterError } from '@trimtab/core'
import { diskOf, LinuxNode, readStatus } from '@trimtab/linux'
import type { LimiterOptions } from '../live/limiter.js'
import { CgroupProcessLimiter } from './cgroup-process-limiter.js'
import type { ProcessLimiter } from './process-limiter.js'
import { SignalProcessLimiter } from './signal-process-limiter.js'

/** How a limiter of services is chosen. */
export interface ProcessLimiterOptions extends LimiterOptions {
  /** Where services write: the disk below it is held too, where control groups can. Default: none is. */
  readonly folder?: string
}

/**
 * Control groups where this user may make them, of either version; else signals, which need no permission and hold CPU time only. What a
 * dead process left is undone first.
 *
 * @throws {AdapterError} `live_unsupported`: no Linux that counts times of tasks; `linux_in_use`: another process sets limits here
 */
export function openProcessLimiter({ folder, ...options }: ProcessLimiterOptions = {}): ProcessLimiter {
  const { controllers, hasSchedstat, inventory } = readStatus()
  if (!hasSchedstat)
    throw new AdapterError(
      'live_unsupported',
      'services are held and watched on Linux that counts times of tasks (CONFIG_SCHED_INFO): /proc/self/schedstat is not here',
    )
  const found = new Map(controllers.map((one) => [one.controller, one]))
  const cpu = found.get('cpu')
  if (!cpu?.isWritable) return new SignalProcessLimiter(options)
  const disk = folder !== undefined && found.get('io')?.isWritable ? diskOf(folder, inventory.disks) : undefined
  return new CgroupProcessLimiter(LinuxNode.open(options), cpu.version!, disk)
}
