import { spawnSync } from 'node:child_process'
import { stateFolders } from '@trimtab/node/files'
import { type CgroupController, CONTROLLERS, findHierarchies } from './cgroup/hierarchies.js'
import { type NodeInventory, takeInventory } from './inventory.js'
import { type FoundJournal, readJournals } from './journal.js'
import { type Machine, thisMachine } from './machine.js'
import { type CacheInventory, readCacheInventory } from './resctrl.js'

/** What can be limited and seen here. */
export interface LinuxStatus {
  readonly inventory: NodeInventory
  readonly controllers: readonly ControllerStatus[]
  readonly cache: CacheInventory | undefined
  /** Whether `tc` answers, and this user may set queues. */
  readonly network: 'writable' | 'forbidden' | 'missing'
  /** Whose pressure the kernel tells. */
  readonly pressure: readonly string[]
  /** Whether times of tasks are counted, which the limiter without cgroups needs. */
  readonly hasSchedstat: boolean
  /** Who sets limits here, or did and died. */
  readonly journals: readonly Omit<FoundJournal, 'changes'>[]
  /** In words, each with the way out. */
  readonly missing: readonly string[]
}

/** Whether a controller is mounted, in which version, and whether this user may make groups there. */
export interface ControllerStatus {
  readonly controller: CgroupController
  readonly version: 1 | 2 | undefined
  readonly isWritable: boolean
}

/** Looks, and changes nothing: what to do without permission, and before one asks for it. */
export function readStatus(machine: Machine = thisMachine, folders: readonly string[] = stateFolders()): LinuxStatus {
  const { files, proc } = machine
  const hierarchies = findHierarchies(files, machine.cgroup)
  const controllers = CONTROLLERS.map((controller): ControllerStatus => {
    const hierarchy = hierarchies[controller]
    const isWritable = hierarchy !== undefined && files.isWritable(`${hierarchy.folder}/cgroup.procs`)
    return { controller, version: hierarchy?.version, isWritable }
  })
  const cache = readCacheInventory(files, machine.resctrl)
  const network = networkStatus(machine)
  const pressure = ['cpu', 'memory', 'io'].filter((kind) => files.read(`${proc}/pressure/${kind}`) !== undefined)
  const hasSchedstat = files.read(`${proc}/self/schedstat`) !== undefined
  const missing = [
    ...controllers.flatMap(({ controller, version, isWritable }) =>
      version === undefined
        ? [`cgroup controller ${controller}: not below ${machine.cgroup}`]
        : isWritable
          ? []
          : [`cgroup controller ${controller}: this user may not write: run as root, or have a group delegated`],
    ),
    ...(cache ? [] : [`resctrl: not mounted at ${machine.resctrl}, or not in this kernel or processor`]),
    ...(network === 'missing' ? ['tc: install iproute2'] : []),
    ...(network === 'forbidden' ? ['queues of network devices: need CAP_NET_ADMIN'] : []),
    ...(pressure.length === 3 ? [] : [`pressure: the kernel lacks CONFIG_PSI, or was started with psi=0`]),
    ...(hasSchedstat ? [] : ['times of tasks: the kernel lacks CONFIG_SCHED_INFO']),
  ]
  const journals = readJournals(folders).map(({ changes: _, ...journal }) => journal)
  const inventory = takeInventory(machine)
  return { inventory, controllers, cache, network, pressure, hasSchedstat, journals, missing }
}

const NET_ADMIN = 12 // capabilities(7)

function networkStatus({ files, proc }: Machine): LinuxStatus['network'] {
  if (spawnSync('tc', ['-V']).error) return 'missing'
  const effective = /^CapEff:\s*([\da-f]+)$/m.exec(files.read(`${proc}/self/status`) ?? '')?.[1] ?? '0'
  return (BigInt(`0x${effective}`) >> BigInt(NET_ADMIN)) % 2n === 1n ? 'writable' : 'forbidden'
}
