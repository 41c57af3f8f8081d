// Bandwidth at each disk. Source: the kernel's cgroup-v1/blkio-controller.rst and cgroup-v2.rst.
import type { DiskLimit, Driver, ReadFile, Setting } from './driver.js'

type Rate = 'readBytesPerSecond' | 'writeBytesPerSecond'

const rateOf = (text: string | undefined): number =>
  text === undefined || text === 'max' ? Number.POSITIVE_INFINITY : Number(text)

const lineOf = (text: string, device: string): string | undefined =>
  text.split('\n').find((line) => line.startsWith(`${device} `))

/** Version 1: a file for each direction, a line `254:0 1000` for each limited disk; 0 takes the line away. */
const V1_FILES = [
  ['blkio.throttle.read_bps_device', 'readBytesPerSecond'],
  ['blkio.throttle.write_bps_device', 'writeBytesPerSecond'],
] as const

function settingV1(file: string, device: string, rate: number): Setting {
  const text = `${device} ${rate === Number.POSITIVE_INFINITY ? 0 : Math.floor(rate)}`
  return {
    ...{ file, subject: device, text },
    undo: (before) => lineOf(before, device) ?? `${device} 0`,
    holds: (now) => (lineOf(now, device) ?? `${device} 0`) === text,
  }
}

function disksOf(rates: readonly (readonly [device: string, rate: Rate, value: number])[]): readonly DiskLimit[] {
  const disks = new Map<string, DiskLimit>()
  for (const [device, rate, value] of rates)
    if (Number.isFinite(value)) disks.set(device, { ...disks.get(device), device, [rate]: value })
  return [...disks.values()]
}

const linesOf = (text: string | undefined): string[][] => (text ? text.split('\n').map((line) => line.split(' ')) : [])

/** Sums of `254:0 Read 4096` over all disks; NaN where the file is missing. */
function sumV1(read: ReadFile, direction: string): number {
  const text = read('blkio.throttle.io_service_bytes')
  if (text === undefined) return Number.NaN
  return linesOf(text).reduce((sum, [, name, bytes]) => (name === direction ? sum + Number(bytes) : sum), 0)
}

export const ioV1: Driver = {
  settings: ({ disks = [] }) =>
    disks.flatMap((disk) =>
      V1_FILES.flatMap(([file, rate]) => (disk[rate] === undefined ? [] : [settingV1(file, disk.device, disk[rate])])),
    ),
  limits: (read) => ({
    disks: disksOf(
      V1_FILES.flatMap(([file, rate]) =>
        linesOf(read(file)).map(([device, value]) => [device!, rate, rateOf(value)] as const),
      ),
    ),
  }),
  usage: (read) => ({ diskReadBytes: sumV1(read, 'Read'), diskWrittenBytes: sumV1(read, 'Write') }),
}

/** Version 2: one file, a line `254:0 rbps=1000 wbps=max riops=max wiops=max` for each limited disk. */
const V2_KEYS = [
  ['rbps', 'readBytesPerSecond'],
  ['wbps', 'writeBytesPerSecond'],
] as const

const fieldOf = (line: string | undefined, key: string): string | undefined =>
  line
    ?.split(' ')
    .find((field) => field.startsWith(`${key}=`))
    ?.slice(key.length + 1)

function settingV2(disk: DiskLimit): Setting[] {
  const wanted = V2_KEYS.flatMap(([key, rate]) => {
    const value = disk[rate]
    if (value === undefined) return []
    return [[key, value === Number.POSITIVE_INFINITY ? 'max' : `${Math.floor(value)}`] as const]
  })
  if (wanted.length === 0) return []
  const { device } = disk
  const textOf = (fields: readonly (readonly [string, string])[]) =>
    [device, ...fields.map(([key, value]) => `${key}=${value}`)].join(' ')
  const inForce = (text: string, key: string) => fieldOf(lineOf(text, device), key) ?? 'max'
  const setting: Setting = {
    ...{ file: 'io.max', subject: device, text: textOf(wanted) },
    undo: (before) => textOf(V2_KEYS.map(([key]) => [key, inForce(before, key)])),
    holds: (now) => wanted.every(([key, value]) => inForce(now, key) === value),
  }
  return [setting]
}

function sumV2(read: ReadFile, key: string): number {
  const text = read('io.stat')
  if (text === undefined) return Number.NaN
  return text.split('\n').reduce((sum, line) => sum + Number(fieldOf(line, key) ?? 0), 0)
}

export const ioV2: Driver = {
  settings: ({ disks = [] }) => disks.flatMap(settingV2),
  limits: (read) => ({
    disks: disksOf(
      linesOf(read('io.max')).flatMap(([device, ...fields]) =>
        V2_KEYS.map(([key, rate]) => [device!, rate, rateOf(fieldOf(fields.join(' '), key))] as const),
      ),
    ),
  }),
  usage: (read) => ({ diskReadBytes: sumV2(read, 'rbytes'), diskWrittenBytes: sumV2(read, 'wbytes') }),
}
