import type { Clock, Space } from '@trimtab/core'
import { ActionLimiter, type ActionLimits, type ClipReason } from './action-limiter.js'
import type { Pilot, Source } from './pilot.js'
import { TelemetryCheck, type TelemetryFault } from './telemetry-check.js'

/** Why the agent was not followed in a step. */
export type FallbackReason =
  | TelemetryFault
  /** The chosen action holds NaN or ±∞. */
  | 'action_not_finite'
  /** The pilot threw, e.g. `core_trapped`. */
  | 'agent_failed'
  /** The environment failed to answer, so that nothing is known about now. */
  | 'environment_failed'
  | 'environment_timeout'

const FALLBACK_REASONS: readonly FallbackReason[] = [
  'shape',
  'missing',
  'infinite',
  'negative',
  'stale',
  'out_of_order',
  'future',
  'action_not_finite',
  'agent_failed',
  'environment_failed',
  'environment_timeout',
]

export interface GuardOptions {
  /** Changes per step and cool-downs by action name; bounds always hold. */
  readonly limits?: ActionLimits
  /**
   * The action in force before the first step: step limits and holding start from it. Give it on a live system. Without it
   * the first action may be any inside the bounds, and holding before anything was applied uses their middle.
   */
  readonly initialAction?: ArrayLike<number>
  /** Oldest usable observation; needs `clock` and an environment that reports `info.observedAtMs`. Default: any age. */
  readonly maxAgeMs?: number
  readonly clock?: Clock
}

/**
 * Stands between controller and actuator.
 *
 * An observation that cannot be used never reaches the agent: the pilot's rule decides, and sees NaN wherever a number must not
 * be believed. An action that is not finite never reaches the actuator: the rule decides, and if its action is no better, the
 * last safe action is held. Whoever decided, the action stays inside the bounds, step limits and cool-downs.
 *
 * Nothing here throws on bad numbers or bad controllers, and a decision allocates nothing.
 *
 * @example
 * guard.receive(observation, observedAtMs)
 * const source = guard.decide(pilot, observation, action) // 'agent' | 'rule' | 'hold'
 * guard.fallback // 'missing': why the agent was not followed
 * guard.clippedBy // ['step']: why the action is not quite what was chosen
 */
export class Guard {
  /** Steps by the reason for which the agent was not followed. */
  readonly counts: Readonly<Record<FallbackReason, number>>
  readonly #counts: Record<FallbackReason, number>
  readonly #limiter: ActionLimiter
  readonly #telemetry: TelemetryCheck
  #fault: FallbackReason | undefined
  #agentFailed = false
  #failure: unknown
  #fallback: FallbackReason | undefined
  #clippedBy: readonly ClipReason[] = []
  #held = 0

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(observation: Space, action: Space, options: GuardOptions = {}) {
    this.#counts = Object.fromEntries(FALLBACK_REASONS.map((reason) => [reason, 0])) as Record<FallbackReason, number>
    this.counts = this.#counts
    this.#limiter = new ActionLimiter(action, options.limits, options.initialAction)
    this.#telemetry = new TelemetryCheck(observation, options)
  }

  /** Why the agent was not followed in the last decision. */
  get fallback(): FallbackReason | undefined {
    return this.#fallback
  }

  /** What changed the last decision's action before it was applied. */
  get clippedBy(): readonly ClipReason[] {
    return this.#clippedBy
  }

  /** What the pilot threw last. */
  get failure(): unknown {
    return this.#failure
  }

  /** Steps in which neither agent nor rule had a usable action. */
  get held(): number {
    return this.#held
  }

  /** The world was put back to its initial state: last action and timestamps are void. */
  reset(): void {
    this.#limiter.reset()
    this.#telemetry.reset()
    this.#fault = undefined
  }

  /** Takes note of an observation that arrived; says what is wrong with it, if anything. */
  receive(observation: Float32Array, observedAtMs?: number): FallbackReason | undefined {
    this.#fault = this.#telemetry.inspect(observation, observedAtMs)
    return this.#fault
  }

  /** Takes note that no observation arrived. */
  lose(reason: 'environment_failed' | 'environment_timeout'): void {
    this.#telemetry.blank()
    this.#fault = reason
  }

  /** The pilot threw outside a decision: the next decision is the rule's and says so. */
  distrust(failure: unknown): void {
    this.#agentFailed = true
    this.#failure = failure
  }

  /** Fills `action` [A] with what may be applied and says whose it is. `observation` is the one last received. */
  decide(pilot: Pilot, observation: Float32Array, action: Float32Array): Source {
    const fault = this.#fault ?? this.#telemetry.expired()
    let source: Source = 'hold'
    if (fault !== undefined) {
      this.#fallback = fault
      source = this.#askRule(pilot, this.#telemetry.believable, action)
    } else {
      this.#fallback = undefined
      source = this.#askPilot(pilot, observation, action)
    }
    if (this.#fallback !== undefined) this.#counts[this.#fallback]++
    if (source === 'hold') {
      this.#held++
      this.#limiter.hold(action)
    }
    this.#clippedBy = this.#limiter.apply(action)
    return source
  }

  #askPilot(pilot: Pilot, observation: Float32Array, action: Float32Array): Source {
    if (this.#agentFailed) {
      this.#agentFailed = false
      this.#fallback = 'agent_failed'
      return this.#askRule(pilot, observation, action)
    }
    try {
      action.fill(Number.NaN) // whoever fills nothing in has not agreed with what stood here
      const decider = pilot.decide(observation, action)
      if (allFinite(action)) return decider
      this.#fallback = 'action_not_finite'
      if (decider === 'rule') return 'hold' // asking it again would not help
    } catch (failure) {
      this.#failure = failure
      this.#fallback = 'agent_failed'
    }
    return this.#askRule(pilot, observation, action)
  }

  #askRule(pilot: Pilot, observation: Float32Array, action: Float32Array): 'rule' | 'hold' {
    try {
      action.fill(Number.NaN)
      pilot.rule.decide(observation, action)
      return allFinite(action) ? 'rule' : 'hold'
    } catch {
      return 'hold' // the rule may live in the core that just trapped; what was safe a step ago is the best there is
    }
  }
}

function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i]!)) return false
  return true
}
