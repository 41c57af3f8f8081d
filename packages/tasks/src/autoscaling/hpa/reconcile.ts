import { Problems } from '@trimtab/core'
import type { AutoscalerState } from './autoscaler-state.js'
import { type CompleteScalingRules, limitRate, noteScaleEvent, type ScaleEvents } from './behavior.js'
import { History } from './history.js'
import { applyLegacyLimits, type LegacyLimits, type LimitReason } from './limits.js'
import { MetricError } from './metric-error.js'
import { type ReadinessPeriods, separateForeign } from './pods.js'
import { failureReason, proposeReplicas, type ScaleTarget } from './propose.js'
import type { ReplicaProposal, Tolerances } from './replica-calculator.js'
import { stabilizeDownscale, stabilizeWithBehavior } from './stabilization.js'
import type { Condition, MetricSpec, Pod, Reading } from './types.js'

/** A spec with nothing left out; `completeSpec` makes it. */
export interface CompleteSpec extends LegacyLimits, ReadinessPeriods {
  readonly metrics: readonly MetricSpec[]
  readonly tolerances: Tolerances
  readonly downscaleStabilizationSeconds: number
  readonly scaleToZeroCooldownSeconds: number
  readonly sampleWindowSeconds: number
  readonly behavior: { readonly scaleUp: CompleteScalingRules; readonly scaleDown: CompleteScalingRules } | undefined
}

/** What one pass looks at. */
export interface ReconcileInput {
  /** Passes come in order of time; one out of order does no harm. */
  readonly nowSeconds: number
  /** Replicas asked for. */
  readonly specReplicas: number
  /** Replicas that exist. Default: `specReplicas`. */
  readonly statusReplicas?: number
  /** All pods that the selector finds; may be left out where every reading is a tally or an average. */
  readonly pods?: readonly Pod[]
  /** Uid of the workload: pods that belong to another one are left out. Default: all pods count. */
  readonly workload?: string
  /** An autoscaler brought the target to zero, as its object says. Default: what this one remembers. */
  readonly isScaledToZero?: boolean
  /** One for each metric of the spec, in order; `undefined` where the metrics API failed. */
  readonly readings: readonly (Reading | undefined)[]
}

/** What one pass decided, and why. */
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
  /**
   * How far the clock was set since the last pass (backwards: negative), in seconds; 0: it went on. Recommendations and
   * events keep their ages through it.
   */
  readonly clockStepSeconds: number
}

/** What a pass decides; `reconcile` fills in what the clock did. */
type Outcome = { -readonly [Name in keyof ReconcileResult]: ReconcileResult[Name] }

const NO_PODS: readonly Pod[] = []
const NO_PROPOSALS: readonly ReplicaProposal[] = []

/**
 * One pass: metrics, stabilization, limits. Updates `state`.
 * @throws {ConfigError} `config_invalid` for a time or a size that cannot be; `state` is as it was
 */
export function reconcile(spec: CompleteSpec, state: AutoscalerState, input: ReconcileInput): ReconcileResult {
  requirePass(input)
  const clockStepSeconds = state.clock.read(input.nowSeconds)
  const outcome = decide(spec, state, input, state.clock.steadySeconds)
  outcome.clockStepSeconds = clockStepSeconds
  return outcome
}

const isCount = (replicas: number): boolean => Number.isInteger(replicas) && replicas >= 0

function requirePass({ nowSeconds, specReplicas, statusReplicas = specReplicas }: ReconcileInput): void {
  if (Number.isFinite(nowSeconds) && isCount(specReplicas) && isCount(statusReplicas)) return // no text for what is right
  const problems = new Problems()
  problems.check(Number.isFinite(nowSeconds), `nowSeconds must be a time, got ${nowSeconds}`)
  for (const [name, replicas] of Object.entries({ specReplicas, statusReplicas })) {
    problems.check(isCount(replicas), `${name} must be a whole number >= 0, got ${replicas}`)
  }
  problems.throwIfAny('horizontal autoscaler')
}

/** @param nowSeconds  steady time */
function decide(spec: CompleteSpec, state: AutoscalerState, input: ReconcileInput, nowSeconds: number): Outcome {
  const current = input.specReplicas
  // It came back only when it is seen above zero: a change of size may fail on its way.
  if (current > 0) state.isScaledToZero = false
  else if (input.isScaledToZero !== undefined) state.isScaledToZero = input.isScaledToZero
  if (state.recommendations === undefined) {
    state.recommendations = new History()
    state.recommendations.append(current, nowSeconds)
  }
  if (current === 0 && !mayLeaveZero(spec, state)) {
    return stay(current, [condition('ScalingActive', 'False', 'ScalingDisabled')], NO_PROPOSALS, undefined)
  }
  if (current > spec.maxReplicas)
    return rescale(spec, state, input, nowSeconds, spec.maxReplicas, [], NO_PROPOSALS, undefined)
  if (current !== 0 && current < spec.minReplicas) {
    return rescale(spec, state, input, nowSeconds, spec.minReplicas, [], NO_PROPOSALS, undefined)
  }

  const asked = askMetrics(spec, input)
  const isIdle = asked.replicas === 0 && asked.error === undefined
  state.idleSinceSeconds = isIdle ? (state.idleSinceSeconds ?? nowSeconds) : undefined
  if (asked.isRefused) {
    return stay(current, [condition('ScalingActive', 'False', asked.reason)], asked.proposals, asked.error)
  }
  const size = normalize(spec, state.recommendations, state.events, current, asked.replicas, nowSeconds)
  const conditions = [
    condition('ScalingActive', 'True', 'ValidMetricFound'),
    condition('ScalingLimited', size.isLimited ? 'True' : 'False', size.limit),
  ]
  const isCooling = current > 0 && nowSeconds - (state.idleSinceSeconds ?? nowSeconds) < spec.scaleToZeroCooldownSeconds
  const least = current === 0 ? spec.minReplicas : isCooling ? 1 : 0
  const replicas = Math.max(size.replicas, least)
  if (replicas !== current) {
    return rescale(spec, state, input, nowSeconds, replicas, conditions, asked.proposals, asked.error)
  }
  const stabilization = size.replicas < replicas ? 'ScaleDownStabilized' : size.stabilization
  return stay(current, conditions, asked.proposals, asked.error, stabilization)
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
  const { nowSeconds, specReplicas, statusReplicas = specReplicas, pods = NO_PODS, workload } = input
  const { own, foreign } = separateForeign(pods, workload)
  const { sampleWindowSeconds } = spec
  const scale: ScaleTarget = { nowSeconds, specReplicas, statusReplicas, pods: own, foreign, sampleWindowSeconds }
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
): Outcome {
  conditions.push(condition('AbleToScale', 'True', reason))
  return { replicas, action: 'none', conditions, proposals, error, clockStepSeconds: 0 }
}

function rescale(
  spec: CompleteSpec,
  state: AutoscalerState,
  { specReplicas }: ReconcileInput,
  nowSeconds: number,
  replicas: number,
  conditions: Condition[],
  proposals: ReconcileResult['proposals'],
  error: MetricError | undefined,
): Outcome {
  const isUp = replicas > specReplicas
  if (isUp) noteScaleEvent(state.events.up, replicas - specReplicas, spec.behavior?.scaleUp, nowSeconds)
  else noteScaleEvent(state.events.down, specReplicas - replicas, spec.behavior?.scaleDown, nowSeconds)
  if (replicas === 0) state.isScaledToZero = spec.minReplicas === 0 && hasWholeMetric(spec)
  conditions.push(condition('AbleToScale', 'True', 'SucceededRescale'))
  return { replicas, action: isUp ? 'scale_up' : 'scale_down', conditions, proposals, error, clockStepSeconds: 0 }
}
