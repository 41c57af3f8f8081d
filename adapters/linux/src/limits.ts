import { Problems } from '@trimtab/core'
import type { NodeInventory } from './inventory.js'

/** What a group of processes may use. What is left out stays as it is; `Infinity` takes a limit away. */
export interface Limits {
  /** Time of threads: 0.5 is half of one. */
  readonly cpuCores?: number
  /** Weight against others when there is not enough for all; 1,024 are usual. */
  readonly cpuShares?: number
  /** Threads by number. */
  readonly cpuSet?: readonly number[]
  /** Beyond it processes are killed. */
  readonly memoryBytes?: number
  /** Beyond it the kernel takes memory back and slows down (version 1: when memory is short). */
  readonly memoryHighBytes?: number
  readonly disks?: readonly DiskLimit[]
}

/** Bandwidth at one disk. */
export interface DiskLimit {
  /** `major:minor` of a whole disk, as the inventory lists them. */
  readonly device: string
  readonly readBytesPerSecond?: number
  /** Version 1 counts direct and synchronous writes only. */
  readonly writeBytesPerSecond?: number
}

const NAMES = ['cpuCores', 'cpuShares', 'cpuSet', 'memoryBytes', 'memoryHighBytes', 'disks']
const AMOUNTS = ['cpuCores', 'cpuShares', 'memoryBytes', 'memoryHighBytes'] as const
const RATES = ['readBytesPerSecond', 'writeBytesPerSecond'] as const

/** @throws {ConfigError} `config_invalid` with everything that no such node can take */
export function checkLimits(limits: Limits, { threads, disks }: NodeInventory): void {
  const problems = new Problems()
  problems.checkKeys(limits, NAMES, 'limits')
  const isAmount = (value: number | undefined) => value === undefined || value > 0
  for (const name of AMOUNTS)
    problems.check(isAmount(limits[name]), `${name} must be > 0 (Infinity: no limit), got ${limits[name]}`)
  const { cpuSet, cpuShares } = limits
  problems.check(cpuShares !== Number.POSITIVE_INFINITY, 'cpuShares must be finite: a weight has no absence')
  problems.check(
    cpuSet === undefined || (cpuSet.length > 0 && cpuSet.every((thread) => threads.includes(thread))),
    `cpuSet must name some of the threads ${threads.join(', ')}, got [${cpuSet?.join(', ')}]`,
  )
  for (const disk of limits.disks ?? []) {
    problems.check(
      disks.some(({ device }) => device === disk.device),
      `${disk.device} is no disk here: there are ${disks.map(({ name, device }) => `${device} (${name})`).join(', ')}`,
    )
    for (const rate of RATES)
      problems.check(
        isAmount(disk[rate]),
        `${rate} of ${disk.device} must be > 0 (Infinity: no limit), got ${disk[rate]}`,
      )
  }
  problems.throwIfAny('limits')
}
