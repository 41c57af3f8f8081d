import type { Machine } from './machine.js'
import { parseNumberList } from './number-list.js'

/** What a node has. */
export interface NodeInventory {
  /** Online hardware threads by number. */
  readonly threads: readonly number[]
  readonly memoryBytes: number
  readonly disks: readonly Disk[]
  /** Network devices by name. */
  readonly networks: readonly string[]
}

/** A whole disk, as limits name it. */
export interface Disk {
  readonly name: string
  /** `major:minor`. */
  readonly device: string
}

/** Looks now: threads and disks come and go. What cannot be read is empty, memory NaN. */
export function takeInventory({ files, proc, sys }: Machine): NodeInventory {
  const memoryKb = /^MemTotal: +(\d+) kB$/m.exec(files.read(`${proc}/meminfo`) ?? '')?.[1]
  return {
    threads: parseNumberList(files.read(`${sys}/devices/system/cpu/online`) ?? ''),
    memoryBytes: Number(memoryKb ?? Number.NaN) * 1024,
    disks: files.list(`${sys}/block`).flatMap((name) => {
      const device = files.read(`${sys}/block/${name}/dev`)
      return device === undefined ? [] : [{ name, device }]
    }),
    networks: files.list(`${sys}/class/net`),
  }
}
