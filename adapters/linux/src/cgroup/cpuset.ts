// Which threads run a group. Both versions have the file; version 1 starts empty, and takes no process until it names threads and memory
// nodes (`firstTexts`). Source: the kernel's cgroup-v1/cpusets.rst and cgroup-v2.rst.
import { formatNumberList, parseNumberList } from '../number-list.js'
import { type Driver, type ReadFile, valueSetting } from './driver.js'

export const cpuset: Driver = {
  settings({ cpuSet }) {
    if (cpuSet === undefined) return []
    const text = formatNumberList(cpuSet)
    return [valueSetting('cpuset.cpus', text, (now) => formatNumberList(parseNumberList(now)) === text)]
  },
  limits(read) {
    const text = read('cpuset.cpus')
    return text ? { cpuSet: parseNumberList(text) } : {} // empty: those of the group above
  },
  usage: () => ({}),
}

/** What a new group of version 1 must hold before a process can join: what the group above has. */
export const firstTexts = (readAbove: ReadFile): readonly (readonly [file: string, text: string])[] =>
  ['cpuset.cpus', 'cpuset.mems'].flatMap((file) => {
    const text = readAbove(file)
    return text ? [[file, text] as const] : []
  })
