import { type AutoscalerCheckpoint, HorizontalAutoscaler } from '../hpa/index.js'
import type { AllocationBounds, Telemetry } from '../telemetry.js'

/** What a `CpuAutoscaler` decides from. */
export const CPU_AUTOSCALER_READS: readonly (keyof Telemetry)[] = [
  'timeSeconds',
  'usedCores',
  'readyReplicas',
  'startingReplicas',
  'coresPerReplica',
]

/**
 * CPU that was asked for, cores over all ready pods: what was used; all there was where requests were given up. Pods that are killed
 * over and over use little while much waits for them, and by their use alone HPA would let go of pods.
 */
export const demandedCores = (t: Readonly<Telemetry>): number =>
  t.droppedRequests > 0 ? Math.max(t.usedCores, t.readyReplicas * t.coresPerReplica) : t.usedCores

/** HPA on the CPU of one replica set, driven by telemetry: the replicas at which pods use the target on average. */
export class CpuAutoscaler {
  readonly #hpa: HorizontalAutoscaler

  /**
   * @param targetPercent  CPU use over request
   * @param stabilizationSeconds  fewer pods only when fewer were enough for so long; default HPA's 300
   * @throws {ConfigError} `config_invalid`
   */
  constructor(
    { replicas: [minReplicas, maxReplicas] }: AllocationBounds,
    targetPercent: number,
    stabilizationSeconds?: number,
  ) {
    this.#hpa = new HorizontalAutoscaler({
      minReplicas,
      maxReplicas,
      ...(stabilizationSeconds !== undefined && { downscaleStabilizationSeconds: stabilizationSeconds }),
      metrics: [{ source: 'resource', resource: 'cpu', target: { utilizationPercent: targetPercent } }],
    })
  }

  /**
   * The replicas wanted next; once a step.
   * @param asked      replicas asked for now
   * @param usedCores  CPU use to scale for, cores over all ready pods; default: as measured
   */
  replicas(t: Readonly<Telemetry>, asked: number, usedCores: number = t.usedCores): number {
    const requestMilli = 1000 * t.coresPerReplica
    return this.#hpa.reconcile({
      nowSeconds: t.timeSeconds,
      specReplicas: asked,
      readings: [
        {
          tally: {
            readyPods: t.readyReplicas,
            usageMilli: Math.round(1000 * usedCores),
            weight: Math.round(requestMilli * t.readyReplicas),
            unreadyPods: t.startingReplicas,
            unreadyWeight: Math.round(requestMilli * t.startingReplicas),
          },
        },
      ],
    }).replicas
  }

  /** What it remembers, for `load` after a restart. */
  save(): AutoscalerCheckpoint {
    return this.#hpa.save()
  }

  /** Goes on from what `save` gave. @throws {FormatError} `autoscaler_state_invalid`, changing nothing */
  load(checkpoint: AutoscalerCheckpoint): void {
    this.#hpa.load(checkpoint)
  }

  /** Forgets what it recommended. */
  reset(): void {
    this.#hpa.reset()
  }
}
