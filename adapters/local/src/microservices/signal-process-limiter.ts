import { CpuLimiter, type CpuLimiterOptions } from '@trimtab/linux'
import type { Resource, ResourceVector } from '@trimtab/tasks/microservices'
import { cpuMsOf } from '../live/process-usage.js'
import type { ProcessHold, ProcessLimiter } from './process-limiter.js'

/** Without control groups: who has used up its CPU time is stopped for a while. Nothing else is held, and stressors count for themselves. */
export class SignalProcessLimiter implements ProcessLimiter {
  readonly name = 'signals'
  readonly holds: readonly Resource[] = ['cpu']
  readonly #cpu: CpuLimiter

  constructor(options: Pick<CpuLimiterOptions, 'onNotice'> = {}) {
    this.#cpu = new CpuLimiter(options)
  }

  async hold(pid: number, grant: ResourceVector): Promise<ProcessHold> {
    await this.#cpu.set(pid, grant.cpu)
    return {
      set: ({ cpu }) => this.#cpu.set(pid, cpu),
      get used() {
        return { cpuSeconds: cpuMsOf(pid) / 1000, diskBytes: Number.NaN }
      },
      stressorGroups: {},
      release: () => this.#cpu.remove(pid),
    }
  }

  dispose(): void {
    this.#cpu.dispose()
  }
}
