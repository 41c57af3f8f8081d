import { type Bytes, type Core, FormatError } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import type { Allocation, AllocationBounds, Telemetry } from '../telemetry.js'
import { VerticalRecommender } from '../vpa/index.js'
import { CPU_AUTOSCALER_READS, CpuAutoscaler, demandedCores } from './cpu-autoscaler.js'
import { MEMORY_HEADROOM_READS } from './memory-headroom.js'
import type { Rule, RuleCluster } from './rule.js'

const MIB = 1024 * 1024
const VERSION = 1 // of a saved state

/** What an operator sets of HPA and VPA. */
export interface HpaVpaSettings {
  /** CPU request and limit of a replica, cores. */
  readonly podCores: number
  /** HPA's target, CPU use over request, percent. */
  readonly targetPercent: number
  /** HPA: fewer pods only when fewer were enough for so long. Default 300. */
  readonly scaleDownStabilizationSeconds?: number
  /** VPA: the percentile of memory peaks that is requested, 0 … 1. Default 0.9. */
  readonly memoryPercentile?: number
  /** VPA: what is requested above it, as a share. Default 0.15. */
  readonly memoryMargin?: number
  /** VPA: what a pod requests at least. Default 250. */
  readonly leastMemoryMiB?: number
}

/** What HPA and VPA decide from where requests that were given up do not count. */
export const HPA_VPA_READS: readonly (keyof Telemetry)[] = [...CPU_AUTOSCALER_READS, ...MEMORY_HEADROOM_READS]

/**
 * What Kubernetes offers without learning: HPA on CPU, VPA on memory (5.4: AWARE's rule). Both on CPU fight each other, so VPA
 * leaves CPU alone.
 *
 * VPA acts only as far as it trusts its history: with an hour of it, it lets nearly everything pass. Nothing is forgotten from one
 * day to the next here.
 */
export class HpaVpaRule implements Rule {
  readonly name = 'hpa-vpa'
  readonly reads: readonly (keyof Telemetry)[]
  readonly settings: HpaVpaSettings
  readonly #hpa: CpuAutoscaler
  readonly #vpa: VerticalRecommender
  readonly #isSizedOnce: boolean
  readonly #countsDropped: boolean

  /**
   * @param countsDropped  whether requests that were given up count as CPU that was asked for; not so in AWARE's rule
   * @throws {ConfigError} `config_invalid`
   */
  constructor(
    core: Core,
    { bounds, resize }: { readonly bounds: AllocationBounds } & Partial<RuleCluster>,
    settings: HpaVpaSettings,
    countsDropped = true,
  ) {
    this.settings = settings
    this.reads = countsDropped ? [...HPA_VPA_READS, 'droppedRequests'] : HPA_VPA_READS
    this.#countsDropped = countsDropped
    const { memoryPercentile: target = 0.9, memoryMargin, leastMemoryMiB } = settings
    this.#hpa = new CpuAutoscaler(bounds, settings.targetPercent, settings.scaleDownStabilizationSeconds)
    this.#vpa = new VerticalRecommender(core.math, {
      controlled: ['memory'],
      memoryPercentiles: { target, lowerBound: Math.min(0.5, target), upperBound: Math.max(0.95, target) },
      ...(memoryMargin !== undefined && { marginFraction: memoryMargin }),
      ...(leastMemoryMiB !== undefined && { podMinMemoryMiB: leastMemoryMiB }),
    })
    this.#isSizedOnce = resize === 'none'
  }

  observe(t: Readonly<Telemetry>): void {
    this.#vpa.addMemorySample(t.timeSeconds, t.usedMemoryMiB * MIB)
    this.#vpa.addCpuSample(t.timeSeconds, (1000 * t.usedCores) / t.readyReplicas) // confidence comes from CPU samples
    if (t.oomKills > 0) this.#vpa.recordOom(t.timeSeconds, t.memoryMiBPerReplica * MIB)
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.observe(t)
    out.coresPerReplica = this.settings.podCores
    out.replicas = this.#hpa.replicas(t, out.replicas, this.#countsDropped ? demandedCores(t) : t.usedCores)
    // The updater leaves a request alone while it lies inside the recommendation's bounds; a kill is acted upon at once. Where a
    // pod keeps its first size for ever, that is what is recommended once there is a day of history.
    const { target, lowerBound, upperBound, hasLowConfidence } = this.#vpa.recommend(t.timeSeconds)
    const bytes = t.memoryMiBPerReplica * MIB
    const isOutside =
      bytes < (lowerBound.memoryBytes ?? 0) || bytes > (upperBound.memoryBytes ?? Number.POSITIVE_INFINITY)
    const isActing = isOutside || t.oomKills > 0 || (this.#isSizedOnce && !hasLowConfidence)
    if (target.memoryBytes !== undefined && isActing) out.memoryMiBPerReplica = target.memoryBytes / MIB
  }

  reset(): void {
    this.#hpa.reset()
    this.#vpa.reset()
  }

  /** What HPA recommended lately and VPA's histograms; peaks of memory windows under way begin anew, as in VPA. */
  save(): Uint8Array {
    return new TextEncoder().encode(JSON.stringify({ version: VERSION, hpa: this.#hpa.save(), vpa: this.#vpa.save() }))
  }

  /** Goes on from what `save` gave. @throws {FormatError} `rule_state_invalid`; it has forgotten everything then */
  load(state: Bytes): void {
    try {
      const { version, hpa, vpa } = JSON.parse(new TextDecoder().decode(copyBytes(state, 'the state of a rule')))
      if (version !== VERSION) throw new Error(`version ${version}, this code reads ${VERSION}`)
      this.#hpa.load(hpa)
      this.#vpa.load(vpa)
    } catch (cause) {
      this.reset()
      const why = (cause as Error).message
      throw new FormatError('rule_state_invalid', `no state of the HPA and VPA rule: ${why} (begin without it)`, {
        cause,
      })
    }
  }
}
