import type { Controller, CoreMath, Space } from '@trimtab/core'
import { ternarySteps } from '@trimtab/learn'
import { RESOURCE_COUNT, RESOURCES } from '../resources.js'

/** A limit is from half of what was deployed to eight times that. */
export const LIMIT_RANGE: readonly [low: number, high: number] = [0.5, 8]
const STEP = 2 // of ternary actions

const unitBox = (names: readonly string[]): Space => ({
  names,
  low: new Float64Array(names.length).fill(-1),
  high: new Float64Array(names.length).fill(1),
  kind: 'box',
})

const always = (name: string, action: readonly number[]): Controller => ({ name, decide: (_, out) => out.set(action) })
const forEach = (numbers: readonly number[]): number[] => RESOURCES.flatMap(() => numbers)

/** Five limits of an instance from what an estimator says. */
export interface CulpritAction {
  readonly space: Space
  /** The rule: every limit as high as it goes. */
  readonly up: Controller
  /** Every limit as it was deployed, or as it is. */
  readonly keep: Controller
  /** @returns [R] multiples of what was deployed. @param current  [R] those in force */
  factors(math: CoreMath, action: Float32Array, current: Float64Array): Float64Array
}

/** A limit for each resource, on a logarithmic scale: −1 is half of what was deployed, −½ as deployed, 1 eight times that. */
export const CONTINUOUS_ACTION: CulpritAction = {
  space: unitBox(RESOURCES.map((resource) => `${resource}Limit`)),
  up: always('up', forEach([1])),
  keep: always('keep', forEach([-0.5])),
  factors: (math, action) => Float64Array.from(action, (a) => math.pow(2, 1 + 2 * Math.max(-1, Math.min(1, a)))),
}

/** Keep, double or halve each limit: the largest of three outputs each (3.2.4's critic of 23 inputs). */
export const TERNARY_ACTION: CulpritAction = {
  space: unitBox(RESOURCES.flatMap((resource) => [`${resource}Keep`, `${resource}Up`, `${resource}Down`])),
  up: always('up', forEach([0, 1, 0])),
  keep: always('keep', forEach([1, 0, 0])),
  factors(_, action, current) {
    const steps = new Float32Array(RESOURCE_COUNT)
    ternarySteps(action, steps)
    const [low, high] = LIMIT_RANGE
    const stepped = (factor: number, step: number): number =>
      step > 0 ? factor * STEP : step < 0 ? factor / STEP : factor
    return current.map((factor, r) => Math.max(low, Math.min(high, stepped(factor, steps[r]!))))
  },
}
