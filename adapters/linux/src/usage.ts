/** What a group of processes has used since it began. NaN: nobody says; never 0 for that. */
export interface GroupUsage {
  readonly cpuMicroseconds: number
  /** Enforcement periods in which it ran, those in which it was held, and for how long its tasks were. */
  readonly cpuPeriods: number
  readonly cpuThrottledPeriods: number
  readonly cpuThrottledMicroseconds: number
  /** Now. */
  readonly memoryBytes: number
  /** How often it came up against its limit, against the high mark (version 2 only), and how often one of its processes was killed for it. */
  readonly memoryLimitHits: number
  readonly memoryHighHits: number
  readonly memoryKills: number
  readonly diskReadBytes: number
  readonly diskWrittenBytes: number
}

export const UNKNOWN_USAGE: GroupUsage = {
  cpuMicroseconds: Number.NaN,
  cpuPeriods: Number.NaN,
  cpuThrottledPeriods: Number.NaN,
  cpuThrottledMicroseconds: Number.NaN,
  memoryBytes: Number.NaN,
  memoryLimitHits: Number.NaN,
  memoryHighHits: Number.NaN,
  memoryKills: Number.NaN,
  diskReadBytes: Number.NaN,
  diskWrittenBytes: Number.NaN,
}
