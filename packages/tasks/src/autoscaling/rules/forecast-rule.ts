import type { Allocation, Telemetry } from '../telemetry.js'
import { CPU_AUTOSCALER_READS, CpuAutoscaler, demandedCores } from './cpu-autoscaler.js'
import { MEMORY_HEADROOM_READS, MemoryHeadroom } from './memory-headroom.js'
import type { Rule, RuleCluster } from './rule.js'
import { SeasonalForecast } from './seasonal-forecast.js'
import { WORK_METER_READS, WorkMeter } from './work-meter.js'

/** What an operator sets of an HPA that looks ahead. */
export interface ForecastSettings {
  /** CPU request and limit of a replica, cores. */
  readonly podCores: number
  /** HPA's target, CPU use over request, percent. */
  readonly targetPercent: number
  /** How far it looks ahead: the start-up time of a pod and some more. */
  readonly leadSeconds: number
  /** Memory limit over the largest recent use. */
  readonly headroom: number
}

/**
 * HPA on the CPU that the next minutes will take: the largest rate of a seasonal forecast × measured work of a request, where that
 * is more than what is used now. Plain HPA until there is a day before to tell from.
 */
export class ForecastRule implements Rule {
  readonly name = 'forecast'
  readonly reads: readonly (keyof Telemetry)[] = [
    ...new Set([...CPU_AUTOSCALER_READS, ...WORK_METER_READS, ...MEMORY_HEADROOM_READS]),
  ]
  readonly settings: ForecastSettings
  readonly #hpa: CpuAutoscaler
  readonly #memory: MemoryHeadroom
  readonly #forecast: SeasonalForecast
  readonly #work = new WorkMeter()

  /** @throws {ConfigError} `config_invalid` */
  constructor({ bounds, resize, stepSeconds }: RuleCluster, settings: ForecastSettings) {
    this.settings = settings
    this.#hpa = new CpuAutoscaler(bounds, settings.targetPercent)
    this.#memory = new MemoryHeadroom(settings.headroom, resize)
    this.#forecast = new SeasonalForecast(stepSeconds)
  }

  observe(t: Readonly<Telemetry>): void {
    this.#work.observe(t)
    this.#memory.observe(t)
    this.#forecast.observe(t.timeSeconds, t.ratePerSecond)
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.observe(t)
    const coming = (this.#forecast.peak(this.settings.leadSeconds) ?? 0) * this.#work.secondsPerRequest
    out.coresPerReplica = this.settings.podCores
    out.replicas = this.#hpa.replicas(t, out.replicas, Math.max(demandedCores(t), coming))
    out.memoryMiBPerReplica = this.#memory.memoryMiB(t.memoryMiBPerReplica)
  }

  reset(): void {
    this.#hpa.reset()
    this.#memory.reset()
    this.#forecast.reset()
    this.#work.reset()
  }
}
