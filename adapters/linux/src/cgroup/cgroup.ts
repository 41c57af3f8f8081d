import { AdapterError } from '@trimtab/core'
import { startTimeOf } from '@trimtab/node/files'
import type { Changes } from '../changes.js'
import { type Fitted, fitToNode, type Room } from '../fit.js'
import type { Limits } from '../limits.js'
import { type GroupUsage, UNKNOWN_USAGE } from '../usage.js'
import { cpuacctV1, cpuV1, cpuV2 } from './cpu.js'
import { cpuset, firstTexts } from './cpuset.js'
import type { Driver, ReadFile, Setting } from './driver.js'
import { type CgroupController, CONTROLLERS, foldersOf, type Hierarchies } from './hierarchies.js'
import { homesOf } from './homes.js'
import { ioV1, ioV2 } from './io.js'
import { memoryV1, memoryV2 } from './memory.js'

const NOTHING: Driver = { settings: () => [], limits: () => ({}), usage: () => ({}) }

const DRIVERS: Readonly<Record<CgroupController, readonly [v1: Driver, v2: Driver]>> = {
  cpu: [cpuV1, cpuV2],
  cpuacct: [cpuacctV1, NOTHING], // version 2 counts in `cpu`
  cpuset: [cpuset, cpuset],
  memory: [memoryV1, memoryV2],
  io: [ioV1, ioV2],
}

/** Which controller has a limit. */
const CONTROLLER_OF: Readonly<Record<keyof Limits, CgroupController>> = {
  cpuCores: 'cpu',
  cpuShares: 'cpu',
  cpuSet: 'cpuset',
  memoryBytes: 'memory',
  memoryHighBytes: 'memory',
  disks: 'io',
}

/** What became of limits: what the kernel says is in force, and what the node could not give. */
export interface LimitsSet extends Omit<Fitted, 'limits'> {
  readonly inForce: Limits
}

/** One control group in every hierarchy there is. Limits are noted before they are set, and read back after. */
export class Cgroup {
  /** Below the root of its hierarchies. */
  readonly path: string
  readonly #hierarchies: Hierarchies
  readonly #changes: Changes
  readonly #room: () => Room
  readonly #proc: string

  /** @param options  `room`: the node as this group sees it, asked for each setting */
  constructor(options: {
    readonly path: string
    readonly hierarchies: Hierarchies
    readonly changes: Changes
    readonly proc: string
    readonly room: () => Room
  }) {
    this.path = options.path
    this.#hierarchies = options.hierarchies
    this.#changes = options.changes
    this.#proc = options.proc
    this.#room = options.room
  }

  /** Makes its folders, where they are not there. @throws {AdapterError} as `KernelFiles` says */
  make(): void {
    const { files } = this.#changes
    for (const root of foldersOf(this.#hierarchies)) {
      const folder = `${root}/${this.path}`
      if (files.read(`${folder}/cgroup.procs`) !== undefined) continue
      const above = folder.slice(0, folder.lastIndexOf('/'))
      const [{ version } = { version: 1 }] = Object.values(this.#hierarchies).filter((one) => one.folder === root)
      if (version === 2) this.#delegate(above)
      this.#changes.make({ kind: 'group', path: folder, tasks: 'cgroup.procs' }, () => files.makeFolder(folder))
      if (version === 1 && root === this.#hierarchies.cpuset?.folder)
        for (const [file, text] of firstTexts((name) => files.read(`${above}/${name}`)))
          files.write(`${folder}/${file}`, text)
    }
  }

  /** Version 2 gives a group the controllers that the group above hands down. */
  #delegate(above: string): void {
    const { files } = this.#changes
    const path = `${above}/cgroup.subtree_control`
    const handed = files.read(path)?.split(' ') ?? []
    for (const controller of CONTROLLERS) {
      const isHere = this.#hierarchies[controller]?.version === 2 && controller !== 'cpuacct'
      if (!isHere || handed.includes(controller)) continue
      this.#changes.make({ kind: 'file', path, subject: controller, undo: `-${controller}` }, () =>
        files.write(path, `+${controller}`),
      )
    }
  }

  /**
   * Moves a process and all its threads here, and remembers where it was.
   * @throws {AdapterError} `linux_gone`: there is no such process; as `KernelFiles` says
   */
  join(pid: number): void {
    const { files } = this.#changes
    const startTime = startTimeOf(pid)
    if (startTime === undefined) throw new AdapterError('linux_gone', `there is no process ${pid}`)
    const homes = homesOf(files.read(`${this.#proc}/${pid}/cgroup`) ?? '', this.#hierarchies)
    for (const [root, home] of homes) {
      const group = `${root}/${this.path}`
      this.#changes.make({ kind: 'process', pid, startTime, hierarchy: root, home }, () =>
        files.write(`${group}/cgroup.procs`, `${pid}`),
      )
    }
  }

  /** The file that a process joins by, where it should count for one controller only; undefined: that is not here. */
  joinFile(controller: CgroupController): string | undefined {
    const hierarchy = this.#hierarchies[controller]
    return hierarchy && `${hierarchy.folder}/${this.path}/cgroup.procs`
  }

  /** Processes in it now. */
  get pids(): readonly number[] {
    const { files } = this.#changes
    const lists = foldersOf(this.#hierarchies).map((folder) => files.read(`${folder}/${this.path}/cgroup.procs`) ?? '')
    return [...new Set(lists.flatMap((list) => list.split('\n').filter(Boolean).map(Number)))]
  }

  /**
   * Sets what the node can give of `wanted`. When the kernel refuses one of the limits, those before it are put back.
   *
   * @throws {ConfigError} `config_invalid`
   * @throws {AdapterError} `linux_unsupported`: no such controller here; `linux_not_honoured`: the kernel took it and says another; as
   * `KernelFiles` says
   */
  set(wanted: Limits): LimitsSet {
    const { limits, ...fitted } = fitToNode(wanted, this.#room())
    for (const name of Object.keys(limits) as (keyof Limits)[])
      if (limits[name] !== undefined && !this.#hierarchies[CONTROLLER_OF[name]])
        throw new AdapterError(
          'linux_unsupported',
          `${name} needs the cgroup controller ${CONTROLLER_OF[name]}, which is not here: trimtab linux status`,
        )
    const done: (() => void)[] = []
    try {
      for (const [folder, { settings }, read] of this.#parts())
        for (const setting of settings(limits, read)) done.push(this.#write(folder, setting, read))
    } catch (error) {
      for (const putBack of done.reverse()) putBack()
      throw error
    }
    return { ...fitted, inForce: this.limits }
  }

  /** @returns puts back what the file said before this write */
  #write(folder: string, setting: Setting, read: ReadFile): () => void {
    const { file, subject = '', text, undo, holds } = setting
    const { files } = this.#changes
    const path = `${folder}/${file}`
    const before = read(file)
    if (before === undefined) throw new AdapterError('linux_gone', `${path} is not there, or no more`)
    if (holds(before)) return () => {}
    this.#changes.make({ kind: 'file', path, subject, undo: undo(before) }, () => files.write(path, text))
    const now = read(file)
    if (now !== undefined && holds(now)) return () => files.write(path, undo(before))
    files.write(path, undo(before))
    throw new AdapterError('linux_not_honoured', `${path} says ${JSON.stringify(now)} after ${JSON.stringify(text)}`)
  }

  /** In force now, as the kernel says. */
  get limits(): Limits {
    return Object.assign({}, ...this.#parts().map(([, driver, read]) => driver.limits(read)))
  }

  /** Used until now; NaN where nobody says. */
  get usage(): GroupUsage {
    return Object.assign({}, UNKNOWN_USAGE, ...this.#parts().map(([, driver, read]) => driver.usage(read)))
  }

  /** The driver of each controller that is here, with the files of this group. */
  #parts(): (readonly [folder: string, driver: Driver, read: ReadFile])[] {
    const { files } = this.#changes
    return CONTROLLERS.flatMap((controller) => {
      const hierarchy = this.#hierarchies[controller]
      if (!hierarchy) return []
      const folder = `${hierarchy.folder}/${this.path}`
      const read: ReadFile = (file) => files.read(`${folder}/${file}`)
      return [[folder, DRIVERS[controller][hierarchy.version - 1]!, read] as const]
    })
  }

  /**
   * Undoes all that was done to it: processes that are in it now go back where they were at first, limits to what they were, and a group that was made is removed.
   * @returns what could not be undone; it stays in the journal
   */
  release(): Error[] {
    const roots = foldersOf(this.#hierarchies)
    const folders = roots.map((root) => `${root}/${this.path}`)
    const { pids } = this
    return this.#changes.undo((change) => {
      if (change.kind === 'process') {
        const { pid, startTime, hierarchy } = change // of one that has ended nothing is left to undo, wherever it was
        return roots.includes(hierarchy) && (pids.includes(pid) || startTimeOf(pid) !== startTime)
      }
      return 'path' in change && folders.some((folder) => `${change.path}/`.startsWith(`${folder}/`))
    })
  }
}
