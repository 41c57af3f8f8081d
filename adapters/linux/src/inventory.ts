import { statSync } from 'node:fs'
import { type Machine, thisMachine } from './machine.js'
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

/** The whole disk that a folder lies on, of those that limits may name; undefined where it lies on none: in memory, on a network. */
export function diskOf(
  folder: string,
  disks: readonly Disk[],
  { files, sys }: Machine = thisMachine,
): Disk | undefined {
  const { dev } = statSync(folder)
  const number = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}` // as glibc packs them
  const block = `${sys}/dev/block/${number}`
  const isPartition = files.read(`${block}/partition`) !== undefined
  const device = isPartition ? files.read(`${block}/../dev`) : number
  return disks.find((disk) => disk.device === device)
}
