import { Random } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { type Comparison, compare, REFERENCE, UNUSED, WINDOW } from './compare.js'
import type { Pool } from './pool.js'

const SPLITS = 60
// a reference whose requests are all alike still says nothing about a difference of one percent, or of one unit of likelihood
const LEAST = { growth: 0.01, behaviour: 1 }

/** Which traces of a pool are the reference, and how many it is compared with. */
export interface NoiseOptions {
  /** The reference is traces `first … first + count − 1` of the pool. */
  readonly first: number
  readonly count: number
  readonly windowTraces: number
  readonly seed: number
}

/** By how many times its noise each owner and service stands out; at least 0. O: owners, S: services. */
export interface Standing {
  /** [O] */
  readonly growth: Float64Array
  /** [S] */
  readonly behaviour: Float64Array
}

/**
 * Measures a comparison by what comparisons *within* the reference show: random parts of it, as large as the window where the
 * reference allows, against its rest. Whatever they find is noise.
 */
export function inUnitsOfNoise(core: TraceCore, pool: Pool, comparison: Comparison, options: NoiseOptions): Standing {
  const growths: Float64Array[] = []
  const behaviours: Float64Array[] = []
  for (const side of splits(core, pool, options)) {
    const { growth, behaviour } = compare(core, pool, side)
    growths.push(growth)
    behaviours.push(behaviour)
  }
  return {
    growth: standing(comparison.growth, growths, LEAST.growth),
    behaviour: standing(comparison.behaviour, behaviours, LEAST.behaviour),
  }
}

/** Sides of random splits of the reference; the same array, filled anew. */
function* splits(core: TraceCore, pool: Pool, options: NoiseOptions): Generator<Uint8Array> {
  const { first, count, windowTraces, seed } = options
  const size = Math.max(1, Math.min(windowTraces, count >> 1))
  const order = Int32Array.from({ length: count }, (_, i) => first + i)
  const side = new Uint8Array(pool.traces).fill(UNUSED)
  const random = new Random(core, seed)
  try {
    for (let split = 0; split < SPLITS; split++) {
      for (let i = 0; i < count; i++) {
        const j = i + random.integer(count - i)
        const swap = order[i]!
        order[i] = order[j]!
        order[j] = swap
        side[order[i]!] = i < size ? WINDOW : REFERENCE
      }
      yield side
    }
  } finally {
    random.dispose()
  }
}

/** The values, less what noise is on average, in units of its deviation: the cell's own and that of an average cell. */
function standing(values: Float64Array, noise: readonly Float64Array[], least: number): Float64Array {
  const mean = values.map((_, cell) => noise.reduce((sum, split) => sum + split[cell]!, 0) / noise.length)
  const deviation = mean.map((average, cell) =>
    Math.sqrt(noise.reduce((sum, split) => sum + (split[cell]! - average) ** 2, 0) / noise.length),
  )
  const moving = deviation.filter((one) => one > 0) // what never moved says nothing of noise, but does not look broken at once
  const usual = moving.reduce((sum, one) => sum + one, 0) / Math.max(1, moving.length)
  return values.map((value, cell) => Math.max(0, (value - mean[cell]!) / (deviation[cell]! + usual + least)))
}
