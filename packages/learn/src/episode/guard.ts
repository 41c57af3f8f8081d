import { type Actuator, type Clock, ConfigError, Problems, type Space } from '@trimtab/core'
import { ActionLimiter, type ActionLimits } from './action-limiter.js'
import { type ClipReason, clipReasons } from './clip-reason.js'
import type { Pilot, Source } from './pilot.js'
import { QuantityLimiter, type QuantityLimits } from './quantity-limiter.js'
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

/** All reasons that there are. */
export const FALLBACK_REASONS: readonly FallbackReason[] = [
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

/** What a guard stands before: the spaces of an environment, and its actuator where it has one. */
export interface GuardedWorld {
  readonly observation: Space
  readonly action: Space
  readonly actuator?: Actuator
}

/** What a guard allows, beyond the bounds of the action space, which always hold. */
export interface GuardOptions {
  /** Changes per step and cool-downs by action name, in the action's own units. */
  readonly limits?: ActionLimits
  /** Bounds, changes per step and cool-downs in the units of what is moved; needs an environment with an `actuator`. */
  readonly quantityLimits?: QuantityLimits
  /**
   * The action in force before the first step: step limits and holding start from it. Give it on a live system. Without it
   * the first action may be any inside the bounds, and holding before anything was applied uses their middle.
   */
  readonly initialAction?: ArrayLike<number>
  /** Oldest usable observation; needs `clock` and an environment that reports `info.observedAtMs`. Default: any age. */
  readonly maxAgeMs?: number
}

const OPTIONS: readonly (keyof GuardOptions)[] = ['limits', 'quantityLimits', 'initialAction', 'maxAgeMs']

/**
 * Stands between controller and actuator.
 *
 * An observation that cannot be used never reaches the agent: the pilot's rule decides, and sees NaN wherever a number must not
 * be believed. An action that is not finite never reaches the actuator: the rule decides, and if its action is no better, the
 * last safe action is held; before an actuator, what is in force. Whoever decided, agent, rule or nobody, the action stays inside
 * the bounds, step limits and cool-downs.
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
  readonly #quantities: QuantityLimiter | undefined
  readonly #telemetry: TelemetryCheck
  #fault: FallbackReason | undefined
  #agentFailed = false
  #failure: unknown
  #fallback: FallbackReason | undefined
  #clippedBy: readonly ClipReason[] = []
  #held = 0

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor({ observation, action, actuator }: GuardedWorld, options: GuardOptions = {}, clock?: Clock) {
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'guard')
    problems.throwIfAny('guard')
    const { limits, quantityLimits, initialAction, maxAgeMs } = options
    if (quantityLimits !== undefined && actuator === undefined) {
      throw new ConfigError('config_invalid', 'guard: quantityLimits need an environment with an actuator (use limits)')
    }
    this.#counts = Object.fromEntries(FALLBACK_REASONS.map((reason) => [reason, 0])) as Record<FallbackReason, number>
    this.counts = this.#counts
    this.#limiter = new ActionLimiter(action, limits, initialAction)
    this.#quantities = actuator && new QuantityLimiter(actuator, quantityLimits)
    this.#telemetry = new TelemetryCheck(observation, {
      ...(maxAgeMs !== undefined && { maxAgeMs }),
      ...(clock && { clock }),
    })
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
    this.#quantities?.reset()
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
    let clipped = this.#limiter.apply(action)
    if (this.#quantities !== undefined) {
      clipped |= this.#quantities.apply(action, source === 'hold')
      this.#limiter.replace(action)
    }
    this.#clippedBy = clipReasons(clipped)
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
