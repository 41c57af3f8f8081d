import process from 'node:process'
import type { Cgroup, CgroupController, Disk, LinuxNode } from '@trimtab/linux'
import type { Resource, ResourceVector } from '@trimtab/tasks/microservices'
import type { ProcessHold, ProcessLimiter } from './process-limiter.js'

/** A group of the usual weight shares with every other session of the machine alike; its quota is what should hold a service. */
const CPU_SHARES = 16_384
/** For who stays in the group of a process that has ended. */
const LEFT_OVER_CORES = 0.02
const MB = 1e6

/** A control group for each process: CPU time by the kernel's quota, and writes to the disk that its files are on. */
export class CgroupProcessLimiter implements ProcessLimiter {
  readonly name: string
  readonly holds: readonly Resource[]
  readonly #node: LinuxNode
  readonly #disk: Disk | undefined
  /** Of processes that have ended, with somebody else still there. */
  readonly #leftOver = new Set<Cgroup>()
  #made = 0

  /** @param node  is this limiter's from now on. @param disk  undefined: writes are not held */
  constructor(node: LinuxNode, version: number, disk: Disk | undefined) {
    this.#node = node
    this.#disk = disk
    this.name = `cgroup version ${version}`
    this.holds = disk ? ['cpu', 'diskIo'] : ['cpu']
  }

  async hold(pid: number, grant: ResourceVector): Promise<ProcessHold> {
    this.#sweep()
    const group = this.#node.group(`service-${process.pid}-${this.#made++}`)
    const limit = (granted: ResourceVector): void => void group.set(this.#limitsOf(granted))
    limit(grant)
    group.join(pid)
    const files = (...controllers: readonly CgroupController[]): string[] => [
      ...new Set(controllers.flatMap((controller) => group.joinFile(controller) ?? [])),
    ]
    return {
      set: async (granted) => limit(granted),
      get used() {
        const { cpuMicroseconds, diskWrittenBytes } = group.usage
        return { cpuSeconds: cpuMicroseconds / 1e6, diskBytes: diskWrittenBytes }
      },
      stressorGroups: { cpu: files('cpu', 'cpuacct'), 'disk-io': files('io') },
      release: () => this.#release(group, pid),
    }
  }

  /** A stressor that is still in it must not be set free on all others: it stays, with next to nothing, until it ends. */
  #release(group: Cgroup, pid: number): void {
    if (group.pids.every((one) => one === pid)) this.#node.release(group)
    else {
      group.set({ cpuCores: LEFT_OVER_CORES })
      this.#leftOver.add(group)
    }
  }

  #sweep(): void {
    for (const group of this.#leftOver)
      if (group.pids.length === 0 && this.#node.release(group).length === 0) this.#leftOver.delete(group)
  }

  dispose(): void {
    this.#node.dispose()
  }

  #limitsOf({ cpu, diskIo }: ResourceVector) {
    const disks = this.#disk && [{ device: this.#disk.device, writeBytesPerSecond: diskIo * MB }]
    return { cpuCores: cpu, cpuShares: CPU_SHARES, ...(disks && { disks }) }
  }
}
