import { Problems } from '@trimtab/core'
import {
  type AutoscalerCheckpoint,
  type AutoscalerState,
  createState,
  loadState,
  saveState,
} from './autoscaler-state.js'
import { completeRules } from './behavior.js'
import { type CompleteSpec, type ReconcileInput, type ReconcileResult, reconcile } from './reconcile.js'
import type { HorizontalAutoscalerSpec, MetricSpec } from './types.js'

const DEFAULT_TOLERANCE = 0.1
const DEFAULT_METRICS: readonly MetricSpec[] = [
  { source: 'resource', resource: 'cpu', target: { utilizationPercent: 80 } },
]

/**
 * Fills in what a spec leaves out.
 * @throws {ConfigError} `config_invalid` with every problem at once
 */
export function completeSpec(spec: HorizontalAutoscalerSpec): CompleteSpec {
  const { behavior, tolerance = DEFAULT_TOLERANCE, minReplicas = 1, maxReplicas } = spec
  const metrics = spec.metrics === undefined || spec.metrics.length === 0 ? DEFAULT_METRICS : spec.metrics
  const { scaleToZeroCooldownSeconds = 300, sampleWindowSeconds = 300 } = spec
  const problems = new Problems()
  const isCount = (n: number): boolean => Number.isInteger(n) && n >= 0
  problems.check(isCount(minReplicas), `minReplicas must be a whole number >= 0, got ${minReplicas}`)
  problems.check(isCount(maxReplicas) && maxReplicas > 0, `maxReplicas must be a whole number > 0, got ${maxReplicas}`)
  problems.check(!(maxReplicas < minReplicas), `maxReplicas ${maxReplicas} must be >= minReplicas ${minReplicas}`)
  problems.check(tolerance >= 0, `tolerance must be >= 0, got ${tolerance}`)
  for (const [name, seconds] of Object.entries({ scaleToZeroCooldownSeconds, sampleWindowSeconds })) {
    problems.check(seconds >= 0, `${name} must be >= 0, got ${seconds}`)
  }
  metrics.forEach((metric, i) => {
    for (const [name, value] of Object.entries(metric.target ?? {})) {
      const isUsable = value > 0 && value < Number.POSITIVE_INFINITY
      problems.check(isUsable, `metrics[${i}].target.${name} must be a finite number > 0, got ${value}`)
    }
  })
  problems.throwIfAny('horizontal autoscaler')
  return {
    minReplicas,
    maxReplicas,
    metrics,
    tolerances: {
      up: behavior?.scaleUp?.tolerance ?? tolerance,
      down: behavior?.scaleDown?.tolerance ?? tolerance,
    },
    downscaleStabilizationSeconds: spec.downscaleStabilizationSeconds ?? 300,
    cpuInitializationSeconds: spec.cpuInitializationSeconds ?? 300,
    initialReadinessDelaySeconds: spec.initialReadinessDelaySeconds ?? 30,
    scaleUpLimitFactor: spec.scaleUpLimitFactor ?? 2,
    scaleUpLimitMinimum: spec.scaleUpLimitMinimum ?? 4,
    scaleToZeroCooldownSeconds,
    sampleWindowSeconds,
    behavior: behavior && {
      scaleUp: completeRules('scaleUp', behavior.scaleUp),
      scaleDown: completeRules('scaleDown', behavior.scaleDown),
    },
  }
}

/**
 * The horizontal pod autoscaler of Kubernetes for one target: drive it every 15 s with what was measured.
 *
 * @example
 * const hpa = new HorizontalAutoscaler({ minReplicas: 1, maxReplicas: 10 }) // CPU at 80 % of the request
 * const { replicas, conditions } = hpa.reconcile({
 *   nowSeconds: 15,
 *   specReplicas: 2, // 90 % of 2 cores are used
 *   readings: [{ tally: { readyPods: 2, usageMilli: 1800, weight: 2000 } }],
 * }) // 3
 */
export class HorizontalAutoscaler {
  readonly #spec: CompleteSpec
  #state: AutoscalerState = createState()

  /** @throws {ConfigError} `config_invalid` */
  constructor(spec: HorizontalAutoscalerSpec) {
    this.#spec = completeSpec(spec)
  }

  /** One pass. The result is the caller's; nothing in it changes later. */
  reconcile(input: ReconcileInput): ReconcileResult {
    return reconcile(this.#spec, this.#state, input)
  }

  /** What it remembers, for `load` after a restart. */
  save(): AutoscalerCheckpoint {
    return saveState(this.#state)
  }

  /** Goes on from what `save` gave. @throws {FormatError} `autoscaler_state_invalid`, changing nothing */
  load(checkpoint: AutoscalerCheckpoint): void {
    this.#state = loadState(checkpoint)
  }

  /** Forgets everything, as a restart of the controller does. */
  reset(): void {
    this.#state = createState()
  }
}
