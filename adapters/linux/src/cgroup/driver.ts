import type { DiskLimit, Limits } from '../limits.js'
import type { GroupUsage } from '../usage.js'

/** Reads a file of one group; `undefined` where it is missing. */
export type ReadFile = (file: string) => string | undefined

/** One write to a file of a group. */
export interface Setting {
  readonly file: string
  /** Of which device, where a file has a line for each. */
  readonly subject?: string
  readonly text: string
  /** What to write to have it as the file said before. */
  undo(before: string): string
  /** Whether the file says it. */
  holds(now: string): boolean
}

/** A controller in one version of cgroups: limits to its files and back. */
export interface Driver {
  /** The writes for those of `limits` that are this controller's, in order. */
  settings(limits: Limits, read: ReadFile): readonly Setting[]
  /** What is in force, of `cpuCores`, `memoryBytes`, …; of disks, the limited ones. */
  limits(read: ReadFile): Limits
  /** What the group has used; what is missing is left out. */
  usage(read: ReadFile): Partial<GroupUsage>
}

/** A file that holds one value. */
export const valueSetting = (file: string, text: string, holds: (now: string) => boolean): Setting => ({
  ...{ file, text, holds },
  undo: (before) => before || '\n', // an empty text would be no write at all
})

/** Counters of a flat file: `nr_throttled 3`. NaN where there is none of that name. */
export function counterOf(text: string | undefined, name: string): number {
  const [, value] = new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '') ?? []
  return value === undefined ? Number.NaN : Number(value)
}

/** A number alone in its file. */
export const numberOf = (text: string | undefined): number =>
  text === undefined || text.trim() === '' ? Number.NaN : Number(text)

export type { DiskLimit, GroupUsage, Limits }
