import type { Decider as DeciderKind, Pilot, QuantityLimits, Stage } from '@trimtab/control'
import type { Bytes, Controller, Core } from '@trimtab/core'
import type { Capabilities, ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import {
  type Allocation,
  GuardedAllocator,
  type GuardReason,
  HpaVpaRule,
  isMeasured,
  MarginAllocator,
  type PodSize,
} from '@trimtab/tasks/autoscaling'
import { asWritten, boundsOf, pricesOf, toUnits, type WorkloadEnvironment } from './workload-environment.js'

/** Who decided, and why it was not the policy. */
export interface Verdict {
  readonly by: 'policy' | 'rule' | 'nobody'
  /** One word, for a condition. */
  readonly reason: string
  /** A sentence. */
  readonly message: string
}

/** What a decider is made for. */
export interface DeciderOptions {
  readonly spec: ResolvedAutoscalerSpec
  readonly capabilities: Pick<Capabilities, 'canResizeInPlace'>
  /** A pod as its owner wrote it: the size that the rule leaves cores at. */
  readonly template: PodSize
  readonly stepSeconds: number
}

const DAY_SECONDS = 86_400

/**
 * Decides for one workload: a learned policy kept by the rule beside which it runs, where there is a latency to keep and a load to learn from;
 * the rule alone elsewhere.
 */
export class Decider implements Pilot {
  readonly stage: Stage
  readonly rule: Controller
  /** Of the last decision. */
  verdict: Verdict = NOT_YET
  readonly policy: { readonly guard: GuardedAllocator; readonly margin: MarginAllocator } | undefined
  readonly #rule: HpaVpaRule
  readonly #fallback: 'rule' | 'hold'
  readonly #noPolicy: Verdict
  readonly #environment: WorkloadEnvironment

  constructor(core: Core, environment: WorkloadEnvironment, options: DeciderOptions) {
    const { spec, stepSeconds } = options
    const bounds = boundsOf(spec)
    const resize = options.capabilities.canResizeInPlace ? 'in-place' : 'restart'
    this.#environment = environment
    this.#fallback = spec.fallback
    this.#rule = createRule(core, options)
    this.#noPolicy = whyNoPolicy(spec)
    if (this.#noPolicy.by === 'policy') {
      const prices = pricesOf(spec)
      const share = spec.errorBudget.percent / 100
      const margin = new MarginAllocator(core, { bounds, prices, stepSeconds, budget01: Math.min(0.2, share) })
      const budget = { share: Math.min(0.99, share), stepsPerDay: Math.round(DAY_SECONDS / stepSeconds) }
      const guard = new GuardedAllocator(core, this.#rule, margin, { bounds, prices, resize, budget })
      this.policy = { guard, margin }
    }
    this.stage = this.policy ? 'online' : 'offline'
    // The guarded policy must see every step, those without telemetry too.
    this.rule = { name: 'decider', decide: (_observation, out) => void this.#decide(out) }
  }

  decide(_observation: Float32Array, out: Float32Array): DeciderKind {
    return this.#decide(out) === 'policy' ? 'agent' : 'rule'
  }

  observe(): void {}

  endEpisode(): void {}

  /** What became of the decision: `undefined`: it is only shown. */
  noteAsked(asked: Readonly<Allocation> | undefined): void {
    this.policy?.guard.noteAsked(asked)
  }

  /** What policy and rule have learned. */
  save(): Uint8Array {
    return (this.policy?.guard ?? this.#rule).save()
  }

  /** Goes on from what `save` gave. @throws {FormatError} */
  load(state: Bytes): void {
    ;(this.policy?.guard ?? this.#rule).load(state)
  }

  /** Fills in what is wanted; NaN: nobody knows better than what is in force. */
  #decide(out: Float32Array): Verdict['by'] {
    this.verdict = FAILED
    const wanted: Allocation = { ...this.#environment.inForce }
    const { telemetry } = this.#environment
    const canRule = this.#rule.reads.every((name) => isMeasured(name, telemetry))
    let verdict = this.#noPolicy
    if (this.policy) {
      this.policy.guard.allocate(telemetry, wanted)
      verdict = verdictOf(this.policy.guard)
    } else if (canRule) this.#rule.allocate(telemetry, wanted)
    const isHeld =
      verdict.by !== 'policy' && (!canRule || (this.#fallback === 'hold' && !GUARANTEES.has(verdict.reason)))
    const isAllocation = Object.values(wanted).every(Number.isFinite)
    this.verdict = isHeld || !isAllocation ? { ...verdict, by: 'nobody' } : verdict
    if (this.verdict.by === 'nobody') out.fill(Number.NaN)
    else toUnits(asWritten(wanted), out)
    return this.verdict.by
  }
}

/** How far a step may go, as the spec says; what is not controlled has no limits: it does not move. */
export function limitsOf(spec: ResolvedAutoscalerSpec): QuantityLimits {
  const { replicas, cores, memoryMiB } = boundsOf(spec)
  const { replicasPercentPerStep, requestsPercentPerStep } = spec.limits
  const shrinking = ([min, max]: readonly [number, number]) => {
    const decrease = { maxShare: requestsPercentPerStep / 100 }
    return { min, max, decrease }
  }
  const step = { maxShare: replicasPercentPerStep / 100 }
  const [min, max] = replicas
  return {
    ...(spec.controlled.includes('replicas') && { replicas: { min, max, increase: step, decrease: step } }),
    ...(spec.controlled.includes('cpu') && { coresPerReplica: shrinking(cores) }),
    ...(spec.controlled.includes('memory') && { memoryMiBPerReplica: shrinking(memoryMiB) }),
  }
}

function createRule(core: Core, { spec, capabilities, template, stepSeconds }: DeciderOptions): HpaVpaRule {
  const { rule } = spec
  const bounds = boundsOf(spec)
  const resize = capabilities.canResizeInPlace ? 'in-place' : 'restart'
  return new HpaVpaRule(
    core,
    { bounds, resize, stepSeconds },
    {
      podCores: template.coresPerReplica,
      targetPercent: spec.slo.utilisation?.cpuPercent ?? rule.cpuUtilisationPercent,
      scaleDownStabilizationSeconds: rule.scaleDownStabilizationSeconds,
      memoryPercentile: rule.requestPercentile / 100,
      memoryMargin: rule.requestMarginPercent / 100,
      leastMemoryMiB: bounds.memoryMiB[0],
    },
  )
}

const NOT_YET: Verdict = { by: 'nobody', reason: 'NotYet', message: 'nothing was decided yet' }
const FAILED: Verdict = { by: 'nobody', reason: 'Failed', message: 'the decision failed; what is in force is held' }

const byRule = (reason: string, message: string): Verdict => ({ by: 'rule', reason, message })

/** Why there is no policy for a spec; by the policy: there is one. */
function whyNoPolicy({ slo, load, policy }: ResolvedAutoscalerSpec): Verdict {
  if (policy.configMap !== undefined)
    return byRule('PolicyNotRead', 'policies in a ConfigMap are not read yet (set spec.policy.bundled)')
  if (slo.latency === undefined)
    return byRule('NoLatencyObjective', 'a policy needs a latency to keep (set spec.slo.latency)')
  if (load === undefined) return byRule('NoLoadQuery', 'a policy needs to know the load (set spec.load.query)')
  return { by: 'policy', reason: 'Following', message: 'the policy decides' }
}

/** Reasons for which the rule must serve, whatever the spec's fallback: the error budget rests on it. */
const GUARANTEES: ReadonlySet<string> = new Set(['BudgetUsedUp', 'Recovering', 'LateResize', 'Cost'])

const WORDS: Readonly<Record<GuardReason, readonly [reason: string, message: string]>> = {
  within: ['Following', 'the policy decides'],
  floor: ['Following', 'the policy decides, with more than it asked for: the least share of what the rule would hold'],
  cost: ['Cost', 'the policy asked for more than may be spent beside the rule'],
  debt: ['BudgetUsedUp', 'the error budget of the day is used up; the rule decides until a reserve is back'],
  recovering: ['Recovering', 'the SLO was broken a moment ago'],
  'new-load': [
    'Following',
    'the policy decides, with at least what the rule would hold: the load is above all seen so far',
  ],
  unknown: ['Following', 'the policy decides, with at least what the rule would hold: it does not know this load yet'],
  'late-resize': [
    'LateResize',
    'sizes that were asked for were not in force a step later, or pods cannot be resized in place',
  ],
  'not-finite': ['NotFinite', 'the policy gave no number'],
  'not-measured': ['NotMeasured', 'something that the policy decides from was not measured'],
}

function verdictOf(guard: GuardedAllocator): Verdict {
  const { served, reason: why } = guard.explain()
  const [reason, message] = WORDS[why]
  if (served !== 'rule')
    return { by: 'policy', reason: 'Following', message: why === 'cost' ? WORDS.within[1] : message }
  return byRule(reason, message)
}
