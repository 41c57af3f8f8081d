import { type Actuator, Problems, type Quantity } from '@trimtab/core'
import { checkDirection, type DirectionLimit, LONG_AGO } from './action-limiter.js'
import { CLIP, type ClipFlags } from './clip-reason.js'

/** How fast a quantity may move in one direction. Where both are given, the tighter one holds. */
export interface QuantityDirectionLimit extends DirectionLimit {
  /** The most it may move in one step as a share of what is in force; of a whole quantity at least 1, or it could never move. */
  readonly maxShare?: number
}

/** What an operator allows of one quantity, in its units. */
export interface QuantityLimit {
  /** Never under this, even when less is in force: it is brought up at once. */
  readonly min?: number
  /** Never over this. */
  readonly max?: number
  readonly increase?: QuantityDirectionLimit
  readonly decrease?: QuantityDirectionLimit
}

/**
 * Limits by the names of the actuator's quantities: at most 2 replicas more a step and never under 3, a fifth of the memory a step:
 * `{ replicas: { min: 3, increase: { maxStep: 2 } }, memoryMiBPerReplica: { increase: { maxShare: 0.2 }, decrease: { maxShare: 0.2 } } }`.
 */
export type QuantityLimits = Readonly<Record<string, QuantityLimit>>

/**
 * Keeps what an actuator brings into force inside limits in its own units, whoever decided. Bounds win over step limits and
 * cool-downs. The limits start from what is in force, whoever brought it there.
 */
export class QuantityLimiter {
  readonly #actuator: Actuator
  readonly #limits: readonly QuantityLimit[] // [U]
  readonly #inForce: Float64Array // [U]
  readonly #units: Float64Array // [U]
  readonly #decided: Float64Array // [U], NaN before anything was
  readonly #stepsSinceChange: Int32Array // [U]
  readonly #isFree: boolean // no limit but the actuator's own
  #hasOverruled = false

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(actuator: Actuator, limits: QuantityLimits = {}) {
    const { quantities } = actuator
    checkLimits(quantities, limits)
    this.#actuator = actuator
    this.#limits = quantities.map(({ name, isWhole }) => (isWhole ? wholeLimit(limits[name]) : (limits[name] ?? {})))
    this.#inForce = new Float64Array(quantities.length)
    this.#units = new Float64Array(quantities.length)
    this.#decided = new Float64Array(quantities.length)
    this.#stepsSinceChange = new Int32Array(quantities.length)
    this.#isFree = Object.keys(limits).length === 0
    this.reset()
  }

  /** Forgets what was decided: the world was put back to its initial state. */
  reset(): void {
    this.#hasOverruled = false
    this.#decided.fill(Number.NaN)
    this.#stepsSinceChange.fill(LONG_AGO)
  }

  /**
   * Limits what `action` [A] would bring into force, or what is in force when it is to be held. Where that is changed, the actuator
   * is overruled and `action` becomes the one that comes closest. Says by its flags what changed it.
   */
  apply(action: Float32Array, isHeld: boolean): ClipFlags {
    if (this.#isFree && !isHeld && !this.#hasOverruled) return 0 // nothing to limit, nothing to withdraw
    const inForce = this.#inForce
    const units = this.#units
    this.#actuator.toUnits(action, units)
    this.#actuator.inForce(inForce)
    let clipped = 0
    let isHolding = false
    for (let u = 0; u < units.length; u++) {
      if (Number.isNaN(inForce[u])) inForce[u] = this.#decided[u]! // unknown now: what was last asked for
      if (isHeld && !Number.isNaN(inForce[u])) {
        isHolding ||= units[u] !== inForce[u]
        units[u] = inForce[u]!
      }
      clipped |= this.#limit(u)
    }
    this.#hasOverruled = clipped !== 0 || isHolding
    if (this.#hasOverruled) this.#actuator.overrule(units, action)
    return clipped
  }

  #limit(u: number): ClipFlags {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, increase, decrease } = this.#limits[u]!
    const { isWhole } = this.#actuator.quantities[u]!
    const wanted = this.#units[u]!
    const last = this.#inForce[u]!
    let value = Math.min(Math.max(wanted, min), max)
    let clipped = value === wanted ? 0 : CLIP.quantity_bounds
    if (!Number.isNaN(last)) {
      if (this.#stepsSinceChange[u]! < LONG_AGO) this.#stepsSinceChange[u]! += 1
      const nearest = Math.min(
        Math.max(value, last - reach(decrease, last, isWhole)),
        last + reach(increase, last, isWhole),
      )
      const bounded = Math.min(Math.max(nearest, min), max)
      if (bounded !== value) clipped |= CLIP.quantity_step
      value = bounded
      const coolDown = (value > last ? increase : decrease)?.coolDownSteps ?? 0
      if (value !== last && this.#stepsSinceChange[u]! <= coolDown && last >= min && last <= max) {
        clipped |= CLIP.quantity_cool_down
        value = last
      }
      if (value !== last) this.#stepsSinceChange[u] = 0
    }
    this.#units[u] = value
    this.#decided[u] = value
    return clipped
  }
}

/** How far a quantity may move. */
function reach(limit: QuantityDirectionLimit | undefined, last: number, isWhole: boolean): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY
  const { maxStep = Number.POSITIVE_INFINITY, maxShare = Number.POSITIVE_INFINITY } = limit
  const share = maxShare * Math.abs(last)
  if (!isWhole) return Math.min(maxStep, maxShare === Number.POSITIVE_INFINITY ? maxShare : share)
  return Math.min(
    Math.floor(maxStep),
    maxShare === Number.POSITIVE_INFINITY ? maxShare : Math.max(1, Math.floor(share)),
  )
}

/** Bounds that a whole quantity can take. */
function wholeLimit({ min, max, ...directions }: QuantityLimit = {}): QuantityLimit {
  return {
    ...directions,
    ...(min !== undefined && { min: Math.ceil(min) }),
    ...(max !== undefined && { max: Math.floor(max) }),
  }
}

function checkLimits(quantities: readonly Quantity[], limits: QuantityLimits): void {
  const problems = new Problems()
  const names = quantities.map(({ name }) => name)
  for (const [name, limit] of Object.entries(limits)) {
    const path = `quantityLimits.${name}`
    const quantity = quantities.find((one) => one.name === name)
    problems.check(quantity !== undefined, `${path}: no such quantity; there are ${names.join(', ')}`)
    if (quantity === undefined) continue
    problems.checkKeys(limit, ['min', 'max', 'increase', 'decrease'], path)
    const { low, high, isWhole } = quantity
    const { min = low, max = high } = isWhole ? wholeLimit(limit) : limit
    problems.check(
      min <= max && min <= high && max >= low,
      `${path} must leave something of ${low} … ${high}, got min ${limit.min}, max ${limit.max}`,
    )
    for (const direction of ['increase', 'decrease'] as const) {
      const given = limit[direction] ?? {}
      problems.checkKeys(given, ['maxStep', 'maxShare', 'coolDownSteps'], `${path}.${direction}`)
      checkDirection(problems, given, `${path}.${direction}`)
      const { maxShare = 0 } = given
      problems.check(maxShare >= 0, `${path}.${direction}.maxShare must be >= 0, got ${maxShare}`)
    }
  }
  problems.throwIfAny('guard')
}
