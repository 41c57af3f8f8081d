import { AdapterError } from '@trimtab/core'
import { findHierarchies } from './cgroup/hierarchies.js'
import type { LinuxNode } from './linux-node.js'
import { type Machine, thisMachine } from './machine.js'

/** A container whose CPU shares may be moved: what @trimtab/openwhisk asks for in mode `host`. */
export interface ContainerOfHost {
  /** Its full identity, 64 hexadecimal digits. */
  readonly id: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly cpuShares: number
}

/** How a container is called, which only its runtime knows: `docker ps --no-trunc`, `crictl ps`. */
export interface ContainerName {
  readonly name: string
  /** Of its pod. @default none */
  readonly labels?: Readonly<Record<string, string>>
}

const DEEPEST = 6 // kubepods.slice/kubepods-burstable.slice/kubepods-….slice/cri-containerd-….scope, and a parent or two
const CONTAINER = /(?:^|[-:])([\da-f]{64})(?:\.scope)?$/

/** CPU shares of the containers of this host, whatever runtime made them: their groups are found by their identity. */
export class ContainerGroups {
  readonly #node: LinuxNode
  readonly #names: (signal?: AbortSignal) => Promise<ReadonlyMap<string, ContainerName>>
  readonly #machine: Machine
  #paths: ReadonlyMap<string, string> = new Map()

  /** @param options  `names`: those that run, by full identity */
  constructor(options: {
    readonly node: LinuxNode
    readonly names: (signal?: AbortSignal) => Promise<ReadonlyMap<string, ContainerName>>
    readonly machine?: Machine
  }) {
    this.#node = options.node
    this.#names = options.names
    this.#machine = options.machine ?? thisMachine
  }

  /** Those that the runtime names and that have a group. */
  async list(signal?: AbortSignal): Promise<readonly ContainerOfHost[]> {
    const names = await this.#names(signal)
    this.#paths = this.#find()
    return [...this.#paths].flatMap(([id, path]) => {
      const { name, labels = {} } = names.get(id) ?? {}
      const { cpuShares } = this.#node.existing(path).limits
      return name === undefined || cpuShares === undefined ? [] : [{ id, name, labels, cpuShares }]
    })
  }

  /** @throws {AdapterError} `container_gone`; as `Cgroup.set` says */
  async set(id: string, cpuShares: number): Promise<void> {
    const path = this.#paths.get(id)
    try {
      if (path === undefined) throw new AdapterError('linux_gone', `no group of container ${id}`)
      this.#node.existing(path).set({ cpuShares })
    } catch (cause) {
      if ((cause as AdapterError).code !== 'linux_gone') throw cause
      throw new AdapterError('container_gone', `container ${id} is not there, or no more`, { cause })
    }
  }

  /** Paths below the root of the CPU hierarchy by identity. */
  #find(): ReadonlyMap<string, string> {
    const { files, cgroup } = this.#machine
    const root = findHierarchies(files, cgroup).cpu?.folder
    const found = new Map<string, string>()
    const look = (path: string, depth: number) => {
      for (const name of files.list(`${root}${path}`)) {
        if (files.read(`${root}${path}/${name}/cgroup.procs`) === undefined) continue
        const id = CONTAINER.exec(name)?.[1]
        if (id !== undefined) found.set(id, `${path}/${name}`.slice(1))
        else if (depth < DEEPEST) look(`${path}/${name}`, depth + 1)
      }
    }
    if (root !== undefined) look('', 1)
    return found
  }
}
