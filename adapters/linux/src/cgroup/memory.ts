// Memory: a limit beyond which processes are killed, and a mark beyond which memory is taken back.
// Source: the kernel's cgroup-v1/memory.rst and cgroup-v2.rst.
import { counterOf, type Driver, numberOf, type Setting, valueSetting } from './driver.js'

const MOST_PAGE_BYTES = 65_536 // limits are rounded down to whole pages, of 4 to 64 KiB
const NO_LIMIT_V1 = 2 ** 63 - 2 ** 17 // version 1 has no word for none, only the largest number of whole pages

const isBytes = (bytes: number) => (now: string) => {
  const held = bytesOf(now)
  return held === bytes || (held <= bytes && held > bytes - MOST_PAGE_BYTES)
}

function bytesOf(text: string | undefined): number {
  const bytes = text === 'max' ? Number.POSITIVE_INFINITY : numberOf(text)
  return bytes >= NO_LIMIT_V1 ? Number.POSITIVE_INFINITY : bytes
}

function bytesSetting(file: string, bytes: number | undefined, none: string): Setting[] {
  if (bytes === undefined) return []
  const text = bytes === Number.POSITIVE_INFINITY ? none : `${Math.floor(bytes)}`
  return [valueSetting(file, text, isBytes(bytes))]
}

export const memoryV1: Driver = {
  settings: ({ memoryBytes, memoryHighBytes }) => [
    ...bytesSetting('memory.limit_in_bytes', memoryBytes, '-1'),
    ...bytesSetting('memory.soft_limit_in_bytes', memoryHighBytes, '-1'),
  ],
  limits: (read) => ({
    memoryBytes: bytesOf(read('memory.limit_in_bytes')),
    memoryHighBytes: bytesOf(read('memory.soft_limit_in_bytes')),
  }),
  usage: (read) => ({
    memoryBytes: numberOf(read('memory.usage_in_bytes')),
    memoryLimitHits: numberOf(read('memory.failcnt')),
    memoryKills: counterOf(read('memory.oom_control'), 'oom_kill'),
  }),
}

export const memoryV2: Driver = {
  settings: ({ memoryBytes, memoryHighBytes }) => [
    ...bytesSetting('memory.high', memoryHighBytes, 'max'),
    ...bytesSetting('memory.max', memoryBytes, 'max'),
  ],
  limits: (read) => ({ memoryBytes: bytesOf(read('memory.max')), memoryHighBytes: bytesOf(read('memory.high')) }),
  usage(read) {
    const events = read('memory.events')
    return {
      memoryBytes: numberOf(read('memory.current')),
      memoryLimitHits: counterOf(events, 'max'),
      memoryHighHits: counterOf(events, 'high'),
      memoryKills: counterOf(events, 'oom_kill'),
    }
  },
}
