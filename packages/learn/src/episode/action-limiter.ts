import { Problems, type Space } from '@trimtab/core'
import { CLIP, type ClipFlags } from './clip-reason.js'

/** How fast a coordinate may move in one direction, in the action's own units. */
export interface DirectionLimit {
  /** The most it may move in one step; default: any distance. Whole numbers where what moves is whole, else rounded down. */
  readonly maxStep?: number
  /** After any change of this coordinate, for how many steps it may not move this way; default 0. */
  readonly coolDownSteps?: number
}

/** Rising and falling apart, as in Kubernetes' `behavior.scaleUp` and `scaleDown`: a brake on the way down must not slow a rescue. */
export interface CoordinateLimit {
  readonly increase?: DirectionLimit
  readonly decrease?: DirectionLimit
}

/** Limits by the names of the action space: `{ replicas: { decrease: { maxStep: 1, coolDownSteps: 20 } } }`. */
export type ActionLimits = Readonly<Record<string, CoordinateLimit>>

/** `coolDownSteps` after which nobody asks any more. */
export const LONG_AGO = 0x3fffffff

/** Keeps actions inside their space and their changes inside their limits. Remembers the action in force. */
export class ActionLimiter {
  readonly #size: number
  readonly #isDiscrete: boolean
  // Bounds as f32, rounded inwards: an action is f32, and 0.1 as f32 lies outside a high of 0.1.
  readonly #low: Float64Array // [A]
  readonly #high: Float64Array // [A]
  readonly #maxIncrease: Float64Array // [A]
  readonly #maxDecrease: Float64Array // [A]
  readonly #increaseCoolDown: Float64Array // [A]
  readonly #decreaseCoolDown: Float64Array // [A]
  readonly #stepsSinceChange: Int32Array // [A]
  readonly #initial: Float32Array | undefined
  readonly #inForce: Float32Array // [A]
  #hasLast = false

  /**
   * @param initialAction  the action in force before the first step, e.g. what the deployment has now. Without one the first
   *                       action is free of step limits, and the middle of the bounds is what `hold` falls back to.
   * @throws {ConfigError} `config_invalid` with every problem found
   */
  constructor(space: Space, limits: ActionLimits = {}, initialAction?: ArrayLike<number>) {
    checkSpace(space, limits, initialAction)
    const size = space.names.length
    const each = (of: (limit: CoordinateLimit) => number | undefined, otherwise: number) =>
      Float64Array.from(space.names, (name) => of(limits[name] ?? {}) ?? otherwise)
    this.#size = size
    this.#isDiscrete = space.kind === 'discrete'
    this.#low = space.low.map((low, i) => inwards(low, space.high[i]!))
    this.#high = space.high.map((high, i) => inwards(high, space.low[i]!))
    const whole = (step: number | undefined): number | undefined =>
      step === undefined || !this.#isDiscrete ? step : Math.floor(step)
    this.#maxIncrease = each((limit) => whole(limit.increase?.maxStep), Number.POSITIVE_INFINITY)
    this.#maxDecrease = each((limit) => whole(limit.decrease?.maxStep), Number.POSITIVE_INFINITY)
    this.#increaseCoolDown = each((limit) => limit.increase?.coolDownSteps, 0)
    this.#decreaseCoolDown = each((limit) => limit.decrease?.coolDownSteps, 0)
    this.#stepsSinceChange = new Int32Array(size)
    this.#initial = initialAction && Float32Array.from(initialAction)
    this.#inForce = new Float32Array(size)
    this.reset()
  }

  /** Forgets what was applied: the world was put back to its initial state. */
  reset(): void {
    this.#hasLast = this.#initial !== undefined
    for (let i = 0; i < this.#size; i++) {
      const middle = this.#low[i]! + (this.#high[i]! - this.#low[i]!) / 2
      const start = this.#initial?.[i] ?? (this.#isDiscrete ? Math.floor(middle) : middle)
      this.#inForce[i] = Math.min(Math.max(start, this.#low[i]!), this.#high[i]!)
      this.#stepsSinceChange[i] = LONG_AGO
    }
  }

  /** Fills `out` [A] with the action in force. */
  hold(out: Float32Array): void {
    out.set(this.#inForce)
  }

  /** Takes `action` [A], which something behind this limiter has put in place of what it let through, as the action in force. */
  replace(action: Float32Array): void {
    for (let i = 0; i < this.#size; i++)
      this.#inForce[i] = Math.min(Math.max(action[i]!, this.#low[i]!), this.#high[i]!)
  }

  /** Limits a finite `action` [A] in place, takes it as the action in force and says by its flags what changed it. */
  apply(action: Float32Array): ClipFlags {
    let clipped = 0
    for (let i = 0; i < this.#size; i++) {
      const last = this.#inForce[i]!
      const wanted = this.#isDiscrete ? Math.round(action[i]!) : action[i]!
      let value = Math.min(Math.max(wanted, this.#low[i]!), this.#high[i]!)
      if (value !== wanted) clipped |= CLIP.bounds
      if (this.#hasLast) {
        if (this.#stepsSinceChange[i]! < LONG_AGO) this.#stepsSinceChange[i]! += 1
        const nearest = Math.min(Math.max(value, last - this.#maxDecrease[i]!), last + this.#maxIncrease[i]!)
        if (nearest !== value) clipped |= CLIP.step
        value = nearest
        const coolDown = value > last ? this.#increaseCoolDown[i]! : this.#decreaseCoolDown[i]!
        if (value !== last && this.#stepsSinceChange[i]! <= coolDown) {
          clipped |= CLIP.cool_down
          value = last
        }
      }
      action[i] = value
      if (this.#hasLast && action[i] !== last) this.#stepsSinceChange[i] = 0
      this.#inForce[i] = value
    }
    this.#hasLast = true
    return clipped
  }
}

/** The f32 nearest to `bound` that is not on the far side of it, seen from `other`; equal bounds stay one f32. */
function inwards(bound: number, other: number): number {
  const f32 = new Float32Array([bound])
  const nearest = f32[0]!
  const isLow = bound < other
  if (bound === other || (isLow ? nearest >= bound : nearest <= bound)) return nearest
  if (nearest === 0) return isLow ? 2 ** -149 : -(2 ** -149)
  // The next f32 towards `other` is one bit pattern away; larger patterns are larger in magnitude.
  new Int32Array(f32.buffer)[0]! += nearest > 0 === isLow ? 1 : -1
  return f32[0]!
}

/** Notes what is wrong with one direction of a limit, at `path`. */
export function checkDirection(problems: Problems, limit: DirectionLimit, path: string): void {
  const { maxStep = 0, coolDownSteps = 0 } = limit
  problems.check(maxStep >= 0, `${path}.maxStep must be >= 0, got ${maxStep}`)
  problems.check(
    Number.isInteger(coolDownSteps) && coolDownSteps >= 0 && coolDownSteps < LONG_AGO,
    `${path}.coolDownSteps must be a whole number >= 0, got ${coolDownSteps}`,
  )
}

function checkSpace(space: Space, limits: ActionLimits, initialAction: ArrayLike<number> | undefined): void {
  const problems = new Problems()
  const { names, low, high } = space
  problems.check(names.length > 0, 'the action space has no coordinates')
  problems.check(
    low.length === names.length && high.length === names.length,
    `the action space names ${names.length} coordinates but has ${low.length} lower and ${high.length} upper bounds`,
  )
  for (const [i, name] of names.entries()) {
    problems.check(
      Number.isFinite(low[i]) && Number.isFinite(high[i]) && inwards(low[i]!, high[i]!) <= inwards(high[i]!, low[i]!),
      `action ${name} must have finite bounds with low <= high as 32-bit floats, got ${low[i]} … ${high[i]}`,
    )
  }
  for (const [name, limit] of Object.entries(limits)) {
    problems.check(names.includes(name), `limits.${name}: no such action; there are ${names.join(', ')}`)
    problems.checkKeys(limit, ['increase', 'decrease'], `limits.${name}`)
    for (const direction of ['increase', 'decrease'] as const) {
      const path = `limits.${name}.${direction}`
      problems.checkKeys(limit[direction] ?? {}, ['maxStep', 'coolDownSteps'], path)
      checkDirection(problems, limit[direction] ?? {}, path)
    }
  }
  if (initialAction !== undefined) {
    const inside = names.every((_, i) => initialAction[i]! >= low[i]! && initialAction[i]! <= high[i]!)
    if (space.kind === 'discrete') {
      const isWhole = Array.from(initialAction).every(Number.isInteger)
      problems.check(
        isWhole,
        `initialAction must be a level, a whole number, got [${Array.from(initialAction).join(', ')}]`,
      )
    }
    problems.check(
      initialAction.length === names.length && inside,
      `initialAction must be ${names.length} numbers inside the action space, got [${Array.from(initialAction).join(', ')}]`,
    )
  }
  problems.throwIfAny('guard')
}
