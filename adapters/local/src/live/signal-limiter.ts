import process from 'node:process'
import { CpuLimiter } from '@trimtab/linux'
import type { PodSize } from '@trimtab/tasks/autoscaling'
import type { Hold, Limiter, LimiterOptions } from './limiter.js'
import { residentMiB } from './process-usage.js'

const LOOK_MS = 100

interface Watched {
  mostMiB: number
  wasKilled: boolean
}

/** Without control groups: who has used up its CPU time is stopped for a while, who holds too much memory is killed (looked at ten times a second). */
export class SignalLimiter implements Limiter {
  readonly name = 'signals'
  readonly #cpu: CpuLimiter
  readonly #watched = new Map<number, Watched>()
  readonly #timer: NodeJS.Timeout

  constructor({ onNotice }: Pick<LimiterOptions, 'onNotice'> = {}) {
    this.#cpu = new CpuLimiter({ ...(onNotice && { onNotice }) })
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  async hold(pid: number, size: Readonly<PodSize>): Promise<Hold> {
    const watched: Watched = { mostMiB: size.memoryMiBPerReplica, wasKilled: false }
    await this.#cpu.set(pid, size.coresPerReplica)
    this.#watched.set(pid, watched)
    return {
      set: (next) => {
        watched.mostMiB = next.memoryMiBPerReplica
        return this.#cpu.set(pid, next.coresPerReplica)
      },
      get wasKilled() {
        return watched.wasKilled
      },
      release: () => {
        this.#watched.delete(pid)
        this.#cpu.remove(pid)
      },
    }
  }

  #look(): void {
    for (const [pid, watched] of this.#watched) {
      if (watched.wasKilled || !(residentMiB(pid) > watched.mostMiB)) continue
      watched.wasKilled = true
      process.kill(pid, 'SIGKILL')
    }
  }

  get leftovers(): readonly string[] {
    return [...this.#watched.keys()].map((pid) => `limit of process ${pid}`)
  }

  dispose(): void {
    clearInterval(this.#timer)
    this.#watched.clear()
    this.#cpu.dispose()
  }
}
