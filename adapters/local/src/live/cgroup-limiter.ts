import process from 'node:process'
import type { Cgroup, LinuxNode } from '@trimtab/linux'
import type { PodSize } from '@trimtab/tasks/autoscaling'
import type { Hold, Limiter } from './limiter.js'

const MIB = 2 ** 20
/** A group of the usual weight shares with every other session of the machine alike; a pod's quota is what should hold it. */
const CPU_SHARES = 16_384

/** A control group for each process: the kernel's quota of CPU time, and its killer of what holds too much memory. */
export class CgroupLimiter implements Limiter {
  readonly name: string
  readonly #node: LinuxNode
  readonly #groups = new Set<Cgroup>()
  #made = 0

  /** @param node  is this limiter's from now on */
  constructor(node: LinuxNode, version: number) {
    this.#node = node
    this.name = `cgroup version ${version}`
  }

  async hold(pid: number, size: Readonly<PodSize>): Promise<Hold> {
    const group = this.#node.group(`live-${process.pid}-${this.#made++}`)
    this.#groups.add(group)
    group.set(limitsOf(size))
    group.join(pid)
    return {
      set: async (next) => void group.set(limitsOf(next)),
      get wasKilled() {
        return group.usage.memoryKills > 0
      },
      release: () => {
        if (this.#node.release(group).length === 0) this.#groups.delete(group)
      },
    }
  }

  get leftovers(): readonly string[] {
    return [...this.#groups].map(({ path }) => `control group ${path}`)
  }

  dispose(): void {
    this.#node.dispose()
    if (this.#node.isDisposed) this.#groups.clear()
  }
}

const limitsOf = ({ coresPerReplica, memoryMiBPerReplica }: Readonly<PodSize>) => ({
  cpuCores: coresPerReplica,
  cpuShares: CPU_SHARES,
  memoryBytes: Math.floor(memoryMiBPerReplica * MIB),
})
