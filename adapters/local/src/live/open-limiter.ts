import { AdapterError } from '@trimtab/core'
import { LinuxNode, type LinuxStatus, readStatus } from '@trimtab/linux'
import { CgroupLimiter } from './cgroup-limiter.js'
import type { Limiter, LimiterOptions } from './limiter.js'
import { SignalLimiter } from './signal-limiter.js'

/**
 * Control groups where this user may make them, of either version; else signals, which need no permission. What a dead process left is
 * undone first.
 *
 * @throws {AdapterError} `live_unsupported`: no Linux that counts times of tasks; `linux_in_use`: another process sets limits here
 */
export function openLimiter(options: LimiterOptions = {}): Limiter {
  const status = readStatus()
  if (!status.hasSchedstat)
    throw new AdapterError(
      'live_unsupported',
      'pods need Linux that counts times of tasks (CONFIG_SCHED_INFO): /proc/self/schedstat is not here',
    )
  return canMakeGroups(status)
    ? new CgroupLimiter(LinuxNode.open(options), versionOf(status))
    : new SignalLimiter(options)
}

const NEEDED: readonly string[] = ['cpu', 'memory']

const canMakeGroups = ({ controllers }: LinuxStatus): boolean =>
  controllers.every(({ controller, version, isWritable }) =>
    NEEDED.includes(controller) ? isWritable : version === undefined || isWritable,
  )

const versionOf = ({ controllers }: LinuxStatus): number =>
  controllers.find(({ controller }) => controller === 'cpu')!.version!
