import { AdapterError, ConfigError, Problems } from '@trimtab/core'
import { removeFileSync, restoreOnExit, stateFolders } from '@trimtab/node/files'
import { Cgroup } from './cgroup/cgroup.js'
import { findHierarchies, foldersOf, type Hierarchies } from './cgroup/hierarchies.js'
import { Changes, undoAll } from './changes.js'
import { type Amount, LEAST } from './fit.js'
import { type NodeInventory, takeInventory } from './inventory.js'
import { Journal, readJournals } from './journal.js'
import { type Machine, thisMachine } from './machine.js'
import { NetworkShaper } from './network/shaper.js'
import { CacheGroup } from './resctrl.js'

/** Where a node keeps its journal, what it must not go below, and who is told. */
export interface LinuxNodeOptions {
  /** Where the journal of changes lies. @default /run/trimtab, or a folder of this user's */
  readonly stateFolder?: string
  /** The group below whose root groups are made, where only that is delegated. @default the root */
  readonly parent?: string
  /** Below this a group is not worth having: validation says scale-in. @default 0.01 cores, 4 MiB */
  readonly least?: Readonly<Record<Amount, number>>
  /** @default this machine */
  readonly machine?: Machine
  /** What should be known: what a dead process had left and was undone, what could not be. @default nobody is told */
  readonly onNotice?: (message: string) => void
}

const OPTIONS = ['stateFolder', 'parent', 'least', 'machine', 'onNotice']
const NAME = /^[\w.-]+$/

/**
 * Limits of this machine, held by one process. Every change is on the disk before it is made, and is undone on every way out: `dispose`,
 * the end of the program, an exception, a signal. After SIGKILL the next process that opens the node undoes it, or `restoreLinux`.
 *
 * Source: FIRM, dissertation 3.2, the deployment module.
 */
export class LinuxNode {
  readonly inventory: NodeInventory
  readonly #machine: Machine
  readonly #hierarchies: Hierarchies
  readonly #journal: Journal
  readonly #changes: Changes
  readonly #groups = new Map<string, Cgroup>()
  readonly #cacheGroups = new Map<string, CacheGroup>()
  readonly #networks = new Map<string, NetworkShaper>()
  readonly #parent: string
  readonly #least: Readonly<Record<Amount, number>>
  readonly #onNotice: (message: string) => void
  readonly #forget: () => void
  #isOpen = true

  /**
   * Claims the machine for this process, and undoes what a dead one has left.
   * @throws {AdapterError} `linux_in_use`, `journal_unwritable`, `journal_damaged`, `restore_failed`
   */
  static open(options: LinuxNodeOptions = {}): LinuxNode {
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.throwIfAny('linux node')
    return new LinuxNode(options)
  }

  private constructor(options: LinuxNodeOptions) {
    const { machine = thisMachine, stateFolder, parent = '', least = LEAST, onNotice = () => {} } = options
    const folders = stateFolder === undefined ? stateFolders() : [stateFolder]
    this.#machine = machine
    this.#parent = parent
    this.#least = least
    this.#onNotice = onNotice
    this.#journal = Journal.claim(folders, new Date())
    try {
      const outcomes = restoreLeft(folders, machine)
      for (const { message } of outcomes) onNotice(message)
      const failed = outcomes.filter(({ errors }) => errors.length > 0)
      if (failed.length > 0) throw new AdapterError('restore_failed', failed.map(({ message }) => message).join('; '))
    } catch (error) {
      this.#journal.release()
      throw error
    }
    this.inventory = takeInventory(machine)
    this.#hierarchies = findHierarchies(machine.files, machine.cgroup)
    this.#changes = new Changes(this.#journal, machine.files)
    this.#forget = restoreOnExit({ restore: () => this.#undo(), dispose: () => this.dispose() })
  }

  /**
   * The control group `trimtab-NAME`, made where it is not there.
   * @throws {ConfigError} `config_invalid`: no name of a group
   * @throws {AdapterError} `linux_unsupported`: no cgroups here; as `KernelFiles` says
   */
  group(name: string): Cgroup {
    this.#check(name)
    const found = this.#groups.get(name)
    if (found) return found
    if (foldersOf(this.#hierarchies).length === 0)
      throw new AdapterError('linux_unsupported', `no cgroup controllers below ${this.#machine.cgroup}`)
    const group = this.#cgroup([this.#parent, `trimtab-${name}`].filter(Boolean).join('/'))
    group.make()
    this.#groups.set(name, group)
    return group
  }

  /** A group that somebody else made, by its path below the root of each hierarchy: `docker/4f…`. It stays when all is undone. */
  existing(path: string): Cgroup {
    this.#requireOpen()
    const found = this.#groups.get(path)
    if (found) return found
    const group = this.#cgroup(path)
    this.#groups.set(path, group)
    return group
  }

  #cgroup(path: string): Cgroup {
    const group: Cgroup = new Cgroup({
      ...{ path, hierarchies: this.#hierarchies, changes: this.#changes, proc: this.#machine.proc },
      room: () => ({
        inventory: this.inventory,
        others: [...this.#groups.values()].filter((other) => other !== group).map(({ limits }) => limits),
        least: this.#least,
      }),
    })
    return group
  }

  /**
   * The resctrl group `trimtab-NAME`: ways of the last-level cache, share of memory bandwidth.
   * @throws {AdapterError} `linux_unsupported`: not mounted, or not this processor's
   */
  cacheGroup(name: string): CacheGroup {
    this.#check(name)
    const found = this.#cacheGroups.get(name)
    if (found) return found
    const { resctrl, proc } = this.#machine
    const group = new CacheGroup(`trimtab-${name}`, { root: resctrl, proc, changes: this.#changes })
    this.#cacheGroups.set(name, group)
    return group
  }

  /**
   * The queues of a network device.
   * @param namespace  a network namespace by name; left out: this process's
   * @throws {AdapterError} `linux_unsupported`: there is no such device, or no `tc`; `network_in_use`: somebody else shapes it
   */
  network(device: string, namespace = ''): NetworkShaper {
    this.#requireOpen()
    const key = `${namespace} ${device}`
    const found = this.#networks.get(key)
    if (found) return found
    const shaper = new NetworkShaper({ device, namespace, changes: this.#changes })
    this.#networks.set(key, shaper)
    return shaper
  }

  /** Takes a group's room back: `release` of it, and it is forgotten here. @returns what could not be undone */
  release(group: Cgroup): Error[] {
    const errors = group.release()
    for (const [key, one] of this.#groups) if (one === group && errors.length === 0) this.#groups.delete(key)
    return errors
  }

  /** Undoes everything, and ends the claim. May be called twice. What could not be undone stays in the journal, and is told. */
  dispose(): void {
    if (!this.#isOpen) return
    const errors = this.#undo()
    if (errors.length > 0) return // the journal stays for the next one
    this.#isOpen = false
    this.#forget()
    this.#journal.release()
  }

  /** False after a `dispose` that could not undo everything: call it again, or leave it to the next process. */
  get isDisposed(): boolean {
    return !this.#isOpen
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #undo(): Error[] {
    const errors = this.#changes.undo()
    for (const { message } of errors) this.#onNotice(`not undone: ${message}; later: trimtab linux restore`)
    return errors
  }

  #check(name: string): void {
    this.#requireOpen()
    if (!NAME.test(name))
      throw new ConfigError('config_invalid', `a group's name has letters, digits, _, . and - only, got ${name}`)
  }

  #requireOpen(): void {
    if (!this.#isOpen)
      throw new AdapterError('linux_disposed', 'the limits of this node were given back: open it again')
  }
}

/** What became of one journal. */
export interface RestoredJournal {
  readonly pid: number
  readonly command: string
  readonly undone: number
  readonly errors: readonly Error[]
  readonly message: string
}

/** Undoes what dead processes left. A journal of which something cannot be undone stays. The caller holds the claim. */
function restoreLeft(folders: readonly string[], { files }: Machine): RestoredJournal[] {
  return readJournals(folders)
    .filter(({ owner }) => owner === 'dead')
    .flatMap(({ file, pid, command, changes }) => {
      const { undone, errors } = undoAll(changes, files)
      if (errors.length === 0) removeFileSync(file)
      if (changes.length === 0) return []
      const why = errors.map(({ message }) => `; not undone: ${message}`).join('')
      const message = `process ${pid} (${command}) died and left ${changes.length} changes: ${undone.length} undone${why}`
      return [{ pid, command, undone: undone.length, errors, message }]
    })
}

/**
 * Undoes what dead processes left: for a service's `ExecStopPost=`, or by hand.
 * @throws {AdapterError} `linux_in_use`: a process sets limits here, and has undone what the dead left; as `LinuxNode.open` says
 */
export function restoreLinux({
  stateFolder,
  machine = thisMachine,
}: Pick<LinuxNodeOptions, 'stateFolder' | 'machine'> = {}): RestoredJournal[] {
  const folders = stateFolder === undefined ? stateFolders() : [stateFolder]
  const claim = Journal.claim(folders, new Date())
  try {
    return restoreLeft(folders, machine)
  } finally {
    claim.release()
  }
}
