import type { Allocation, Telemetry } from '../telemetry.js'
import { CPU_AUTOSCALER_READS, CpuAutoscaler, demandedCores } from './cpu-autoscaler.js'
import { MEMORY_HEADROOM_READS, MemoryHeadroom } from './memory-headroom.js'
import type { Rule, RuleCluster } from './rule.js'

/** What an operator sets of an HPA whose pods get memory by headroom. */
export interface HpaHeadroomSettings {
  /** CPU request and limit of a replica, cores. */
  readonly podCores: number
  /** HPA's target, CPU use over request, percent. */
  readonly targetPercent: number
  /** Memory limit over the largest recent use. */
  readonly headroom: number
}

/** HPA on CPU; memory = headroom × the largest of the last 20 samples, a kill counting as more than the limit. */
export class HpaHeadroomRule implements Rule {
  readonly name = 'hpa-headroom'
  readonly reads: readonly (keyof Telemetry)[] = [...CPU_AUTOSCALER_READS, 'droppedRequests', ...MEMORY_HEADROOM_READS]
  readonly settings: HpaHeadroomSettings
  readonly #hpa: CpuAutoscaler
  readonly #memory: MemoryHeadroom

  /** @throws {ConfigError} `config_invalid` */
  constructor({ bounds, resize }: RuleCluster, settings: HpaHeadroomSettings) {
    this.settings = settings
    this.#hpa = new CpuAutoscaler(bounds, settings.targetPercent)
    this.#memory = new MemoryHeadroom(settings.headroom, resize)
  }

  observe(t: Readonly<Telemetry>): void {
    this.#memory.observe(t)
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.observe(t)
    out.coresPerReplica = this.settings.podCores
    out.replicas = this.#hpa.replicas(t, out.replicas, demandedCores(t))
    out.memoryMiBPerReplica = this.#memory.memoryMiB(t.memoryMiBPerReplica)
  }

  reset(): void {
    this.#hpa.reset()
    this.#memory.reset()
  }
}
