import { type CompleteScalingRules, limitRate, noteScaleEvent, type ScaleEvents } from './behavior.js'
import { History } from './history.js'
import { applyLegacyLimits, type LegacyLimits, type LimitReason } from './limits.js'
import { MetricError } from './metric-error.js'
import type { ReadinessPeriods } from './pods.js'
import { failureReason, proposeReplicas, type ScaleTarget } from './propose.js'
import type { ReplicaProposal, Tolerances } from './replica-calculator.js'
import { stabilizeDownscale, stabilizeWithBehavior } from './stabilization.js'
import type { Condition, MetricSpec, Pod, Reading } from './types.js'

/** A spec with nothing left out; `completeSpec` makes it. */
export interface CompleteSpec extends LegacyLimits, ReadinessPeriods {
  readonly metrics: readonly MetricSpec[]
  readonly tolerances: Tolerances
  readonly downscaleStabilizationSeconds: number
  readonly behavior: { readonly scaleUp: CompleteScalingRules; readonly scaleDown: CompleteScalingRules } | undefined
}

/** What one autoscaler remembers between passes. */
export interface AutoscalerState {
  /** Sizes recommended before stabilization; `undefined` before the first pass. */
  recommendations: History | undefined
  readonly events: ScaleEvents
  /** The autoscaler itself went to zero: only then may it come back. */
  isScaledToZero: boolean
}

export interface ReconcileInput {
  readonly nowSeconds: number
  /** Replicas asked for. */
  readonly specReplicas: number
  /** Replicas that exist. Default: `specReplicas`. */
  readonly statusReplicas?: number
  /** All pods that the selector finds; may be left out where every reading is a tally or an average. */
  readonly pods?: readonly Pod[]
  /** One for each metric of the spec, in order; `undefined` where the metrics API failed. */
  readonly readings: readonly (Reading | undefined)[]
}

export interface ReconcileResult {
  /** The size to set. */
  readonly replicas: number
  readonly action: 'none' | 'scale_up' | 'scale_down'
  /** What this pass found, at most one of a type. */
  readonly conditions: readonly Condition[]
  /** What each metric asked for; `undefined` where it failed. Empty when no metric was looked at. */
  readonly proposals: readonly (ReplicaProposal | undefined)[]
  /** The first failure of a metric. The others may have scaled up all the same. */
  readonly error: MetricError | undefined
}

const NO_PODS: readonly Pod[] = []
const NO_PROPOSALS: readonly ReplicaProposal[] = []

/** A fresh memory: a restarted autoscaler remembers the current size first, so that it does not shrink at once. */
export function createState(): AutoscalerState {
  return { recommendations: undefined, events: { up: new History(), down: new History() }, isScaledToZero: false }
}

/** One pass: metrics, stabilization, limits. Updates `state`. */
export function reconcile(spec: CompleteSpec, state: AutoscalerState, input: ReconcileInput): ReconcileResult {
  const { nowSeconds, specReplicas: current } = input
  if (state.recommendations === undefined) {
    state.recommendations = new History()
    state.recommendations.append(current, nowSeconds)
  }
  if (current === 0 && !mayLeaveZero(spec, state)) {
    return stay(current, [condition('ScalingActive', 'False', 'ScalingDisabled')], NO_PROPOSALS, undefined)
  }
  if (current > spec.maxReplicas) return rescale(spec, state, input, spec.maxReplicas, [], NO_PROPOSALS, undefined)
  if (current !== 0 && current < spec.minReplicas) {
    return rescale(spec, state, input, spec.minReplicas, [], NO_PROPOSALS, undefined)
  }

  const asked = askMetrics(spec, input)
  if (asked.isRefused) {
    return stay(current, [condition('ScalingActive', 'False', asked.reason)], asked.proposals, asked.error)
  }
  const size = normalize(spec, state.recommendations, state.events, current, asked.replicas, nowSeconds)
  const conditions = [
    condition('ScalingActive', 'True', 'ValidMetricFound'),
    condition('ScalingLimited', size.isLimited ? 'True' : 'False', size.limit),
  ]
  const replicas = current === 0 ? Math.max(size.replicas, spec.minReplicas) : size.replicas
  if (replicas !== current) return rescale(spec, state, input, replicas, conditions, asked.proposals, asked.error)
  return stay(current, conditions, asked.proposals, asked.error, size.stabilization)
}

interface Asked {
  /** The largest proposal. */
  replicas: number
  /** Nothing may happen: all metrics failed, or some did and the rest would shrink. */
  isRefused: boolean
  reason: string
  error: MetricError | undefined
  readonly proposals: (ReplicaProposal | undefined)[]
}

function askMetrics(spec: CompleteSpec, input: ReconcileInput): Asked {
  const { nowSeconds, specReplicas } = input
  const statusReplicas = input.statusReplicas ?? specReplicas
  const scale: ScaleTarget = { nowSeconds, specReplicas, statusReplicas, pods: input.pods ?? NO_PODS }
  const asked: Asked = { replicas: 0, isRefused: false, reason: '', error: undefined, proposals: [] }
  let failures = 0
  for (let i = 0; i < spec.metrics.length; i += 1) {
    const metric = spec.metrics[i]!
    try {
      const proposal = proposeReplicas(metric, input.readings[i], scale, spec.tolerances, spec)
      asked.proposals.push(proposal)
      asked.replicas = Math.max(asked.replicas, proposal.replicas)
    } catch (error) {
      if (!(error instanceof MetricError)) throw error
      asked.proposals.push(undefined)
      if (failures === 0) {
        asked.error = error
        asked.reason = failureReason(metric)
      }
      failures += 1
    }
  }
  asked.isRefused = failures === spec.metrics.length || (failures > 0 && asked.replicas < specReplicas)
  return asked
}

interface NormalizedSize {
  readonly replicas: number
  readonly isLimited: boolean
  readonly limit: LimitReason
  readonly stabilization: string
}

function normalize(
  spec: CompleteSpec,
  recommendations: History,
  events: ScaleEvents,
  currentReplicas: number,
  asked: number,
  nowSeconds: number,
): NormalizedSize {
  const { behavior, downscaleStabilizationSeconds, minReplicas, maxReplicas } = spec
  if (behavior === undefined) {
    const stable = stabilizeDownscale(recommendations, asked, downscaleStabilizationSeconds, nowSeconds)
    const { replicas, reason } = applyLegacyLimits(currentReplicas, stable, spec)
    const stabilization = stable === asked ? 'ReadyForNewScale' : 'ScaleDownStabilized'
    return { replicas, isLimited: replicas !== stable, limit: reason, stabilization }
  }
  const { scaleUp, scaleDown } = behavior
  const stable = stabilizeWithBehavior(
    recommendations,
    currentReplicas,
    asked,
    scaleUp.stabilizationWindowSeconds ?? 0,
    scaleDown.stabilizationWindowSeconds ?? downscaleStabilizationSeconds,
    nowSeconds,
  )
  const rate = { currentReplicas, desiredReplicas: stable, minReplicas, maxReplicas, scaleUp, scaleDown }
  const { replicas, reason } = limitRate(rate, events, nowSeconds)
  const held = asked >= currentReplicas ? 'ScaleUpStabilized' : 'ScaleDownStabilized'
  const stabilization = stable === asked ? 'ReadyForNewScale' : held
  return { replicas, isLimited: replicas !== stable, limit: reason, stabilization }
}

function mayLeaveZero(spec: CompleteSpec, state: AutoscalerState): boolean {
  return state.isScaledToZero && (spec.minReplicas !== 0 || hasWholeMetric(spec))
}

/** With no pods left, only an object or external metric can still be measured. */
function hasWholeMetric({ metrics }: CompleteSpec): boolean {
  return metrics.some(({ source }) => source === 'object' || source === 'external')
}

function condition(type: Condition['type'], status: Condition['status'], reason: string): Condition {
  return { type, status, reason }
}

function stay(
  replicas: number,
  conditions: Condition[],
  proposals: ReconcileResult['proposals'],
  error: MetricError | undefined,
  reason = 'SucceededGetScale',
): ReconcileResult {
  conditions.push(condition('AbleToScale', 'True', reason))
  return { replicas, action: 'none', conditions, proposals, error }
}

function rescale(
  spec: CompleteSpec,
  state: AutoscalerState,
  { specReplicas, nowSeconds }: ReconcileInput,
  replicas: number,
  conditions: Condition[],
  proposals: ReconcileResult['proposals'],
  error: MetricError | undefined,
): ReconcileResult {
  const isUp = replicas > specReplicas
  if (isUp) noteScaleEvent(state.events.up, replicas - specReplicas, spec.behavior?.scaleUp, nowSeconds)
  else noteScaleEvent(state.events.down, specReplicas - replicas, spec.behavior?.scaleDown, nowSeconds)
  state.isScaledToZero = replicas === 0 && spec.minReplicas === 0 && hasWholeMetric(spec)
  conditions.push(condition('AbleToScale', 'True', 'SucceededRescale'))
  return { replicas, action: isUp ? 'scale_up' : 'scale_down', conditions, proposals, error }
}
