import type { GpuDescription, LeaseRecord, NvmlSample } from '@trimtab/nvml'

const MISSING = '–'

export const whole = (value: number | undefined, unit = ''): string =>
  value === undefined ? MISSING : `${value.toFixed(0)}${unit}`

export const percent = (share: number | undefined): string => whole(share === undefined ? undefined : share * 100, ' %')

/** `used / total`, either of which may be missing. */
export const ofTotal = (used: number | undefined, total: number | undefined, unit: string): string =>
  `${whole(used)} / ${whole(total, ` ${unit}`)}`

export const gibibytes = (bytes: number | undefined): number | undefined =>
  bytes === undefined ? undefined : bytes / 2 ** 30

/** What is worth knowing before one drives it. */
export function remarksOf(gpu: GpuDescription, leases: readonly LeaseRecord[]): string[] {
  return [
    ...(gpu.isMig ? ['MIG: slices share one clock'] : []),
    ...(gpu.isPersistent === false ? ['persistence off: a lock may be forgotten'] : []),
    ...(gpu.minClockMhz === undefined ? ['no clocks to lock'] : []),
    ...leases.filter((lease) => lease.gpu === gpu.uuid).flatMap(describeLease),
  ]
}

/** A dead process that had locked nothing left nothing to say. */
function describeLease({ pid, command, lockedMhz, owner }: LeaseRecord): string[] {
  const who = `process ${pid} (${command})`
  const at = lockedMhz === undefined ? '' : ` at ${lockedMhz} MHz`
  if (owner !== 'dead') return [`driven by ${who}${at}`]
  return lockedMhz === undefined ? [] : [`left locked${at} by ${who}, which died: trimtab gpu reset`]
}

/** What holds the clock down, without what every GPU says. */
export const limitsOf = ({ throttleReasons }: Pick<NvmlSample, 'throttleReasons'>): string =>
  throttleReasons === undefined ? MISSING : throttleReasons.join(', ')
