// Whom the replay serves, and when they come: rows of a log at a chosen load.
import { Random } from '@trimtab/core'
import type { ServeCore } from '@trimtab/serve'
import { UsageError } from '../usage-error.js'
import type { RequestLog } from './requests.js'

/** Moments at which requests came, s, ascending from 0; only their pattern is used, the rate is that of the load. */
export interface ArrivalPattern {
  readonly name: string
  readonly seconds: Float64Array
}

/** When the requests of a log came; undefined where it does not say. */
export const patternOf = ({ name, requests, hasArrivals }: RequestLog): ArrivalPattern | undefined =>
  hasArrivals ? { name, seconds: Float64Array.from(requests, ({ arrivalSeconds }) => arrivalSeconds!) } : undefined

/** Which requests of a log come, in which order and when. */
export interface LogWorkloadOptions {
  readonly count: number
  readonly seed: number
  /** Recorded times, or Poisson where undefined. */
  readonly pattern: ArrivalPattern | undefined
  /** The log's own order, beside `pattern`: request k of the window is row k of the log. Otherwise rows are drawn. */
  readonly isInLogOrder: boolean
}

/** Requests as columns. Times are for a mean gap of one: `atGap` stretches them to a load. */
export interface LogWorkload {
  /** Row of the log. */
  readonly rows: Int32Array
  readonly tokens: Float64Array
  readonly unitArrivals: Float64Array
}

const STREAMS = { rows: 1, arrivals: 2 }

/**
 * Draws `count` requests of a log. Rows come in shuffled passes, so that none comes twice before all came once; a recorded
 * pattern is entered at a moment drawn by the seed.
 * @throws {UsageError} when the pattern is shorter than `count`
 */
export function drawWorkload(core: ServeCore, log: RequestLog, options: LogWorkloadOptions): LogWorkload {
  const { count, seed, pattern, isInLogOrder } = options
  if (pattern && pattern.seconds.length < count)
    throw new UsageError(
      `${pattern.name} has ${pattern.seconds.length} arrivals, ${count} are asked for: lower --count`,
    )
  const arrivals = new Random(core, seed, STREAMS.arrivals)
  const first = pattern ? arrivals.integer(pattern.seconds.length - count + 1) : 0
  const unitArrivals = pattern
    ? toUnitGaps(pattern.seconds.subarray(first, first + count))
    : poissonArrivals(count, arrivals)
  arrivals.dispose()
  const rows = isInLogOrder
    ? Int32Array.from({ length: count }, (_, i) => first + i)
    : shuffledRows(core, log.requests.length, count, seed)
  return { rows, unitArrivals, tokens: Float64Array.from(rows, (row) => log.requests[row]!.outputTokens) }
}

/** Arrival times at a mean gap of `seconds`. */
export const atGap = ({ unitArrivals }: LogWorkload, seconds: number): Float64Array =>
  unitArrivals.map((time) => time * seconds)

function poissonArrivals(count: number, random: Random): Float64Array {
  let now = 0
  return Float64Array.from({ length: count }, () => {
    now += random.exponential()
    return now
  })
}

function toUnitGaps(seconds: Float64Array): Float64Array {
  const first = seconds[0]!
  const span = seconds[seconds.length - 1]! - first
  if (!(span > 0)) throw new UsageError('the recorded arrivals all come at one moment: a pattern needs a span of time')
  return seconds.map((time) => ((time - first) * seconds.length) / span)
}

function shuffledRows(core: ServeCore, available: number, count: number, seed: number): Int32Array {
  const random = new Random(core, seed, STREAMS.rows)
  const deck = Int32Array.from({ length: available }, (_, i) => i)
  const rows = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const dealt = i % available
    const other = dealt + random.integer(available - dealt)
    const row = deck[other]!
    deck[other] = deck[dealt]!
    deck[dealt] = row
    rows[i] = row
  }
  random.dispose()
  return rows
}
