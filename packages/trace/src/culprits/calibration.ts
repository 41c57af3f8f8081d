import { Random } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { compare, EVIDENCE_COUNT, REFERENCE, UNUSED, WINDOW } from './evidence.js'
import type { Pool } from './pool.js'

const SPLITS = 60
/** Of any evidence: a reference whose requests are all alike still says nothing about a difference of one percent. */
const LEAST_NOISE = 0.01
const MIN_SPLITS = 6 // fewer in which a service takes part say nothing about it

/** What the evidence looks like when nothing is wrong. E: kinds of evidence, S: services of the pool. */
export interface Calibration {
  /** [S, E] */
  readonly mean: Float64Array
  /** [S, E] own deviation plus that of an average service, so that a service which never moved does not look broken at once. */
  readonly scale: Float64Array
}

/**
 * Compares random parts of the reference with its rest, as large as the window where the reference allows: whatever
 * evidence that finds is noise. Traces `first … first + count − 1` of the pool are the reference.
 */
export function calibrate(
  core: TraceCore,
  pool: Pool,
  { first, count, windowTraces, seed }: { first: number; count: number; windowTraces: number; seed: number },
): Calibration {
  const cells = pool.services.length * EVIDENCE_COUNT
  const sum = new Float64Array(cells)
  const squares = new Float64Array(cells)
  const taken = new Int32Array(pool.services.length)
  const size = Math.max(1, Math.min(windowTraces, count >> 1))
  const order = Int32Array.from({ length: count }, (_, i) => first + i)
  const side = new Uint8Array(pool.traces)
  const random = new Random(core, seed)
  try {
    for (let split = 0; split < SPLITS; split++) {
      side.fill(UNUSED)
      for (let i = 0; i < count; i++) {
        const j = i + random.integer(count - i)
        const swap = order[i]!
        order[i] = order[j]!
        order[j] = swap
        side[order[i]!] = i < size ? WINDOW : REFERENCE
      }
      const { evidence } = compare(core, pool, side)
      for (let cell = 0; cell < cells; cell++) {
        sum[cell]! += evidence[cell]!
        squares[cell]! += evidence[cell]! ** 2
      }
      markTaken(pool, side, taken)
    }
  } finally {
    random.dispose()
  }
  return summarise({ sum, squares, taken })
}

/** Counts, for each service, the splits that saw it. */
function markTaken(pool: Pool, side: Uint8Array, taken: Int32Array): void {
  const seen = new Uint8Array(taken.length)
  for (const { serviceNumber, trace } of pool.contexts) {
    if (seen[serviceNumber]) continue
    if (trace.some((index) => side[index] !== UNUSED)) seen[serviceNumber] = 1
  }
  for (let service = 0; service < taken.length; service++) taken[service]! += seen[service]!
}

function summarise(moments: { sum: Float64Array; squares: Float64Array; taken: Int32Array }): Calibration {
  const { sum, squares, taken } = moments
  const mean = new Float64Array(sum.length)
  const scale = new Float64Array(sum.length)
  const average = new Float64Array(EVIDENCE_COUNT)
  let known = 0
  for (let service = 0; service < taken.length; service++) {
    const count = taken[service]!
    if (count < MIN_SPLITS) continue
    known++
    for (let index = 0; index < EVIDENCE_COUNT; index++) {
      const cell = service * EVIDENCE_COUNT + index
      mean[cell] = sum[cell]! / SPLITS
      scale[cell] = Math.sqrt(Math.max(0, squares[cell]! / SPLITS - mean[cell]! ** 2))
      average[index]! += scale[cell]!
    }
  }
  for (let cell = 0; cell < scale.length; cell++)
    scale[cell]! += average[cell % EVIDENCE_COUNT]! / Math.max(1, known) + LEAST_NOISE
  return { mean, scale }
}
