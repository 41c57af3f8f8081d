// What Prometheus' query API answers, read with care: whatever is no finite number was not measured.
import { AdapterError } from '@trimtab/core'
import { type MetricLabels, printable } from '@trimtab/core/text'

/** One series at one time. */
export interface InstantSample {
  readonly labels: MetricLabels
  /** When it was evaluated, unix seconds; the sample itself may be older. */
  readonly timeSeconds: number
  /** `undefined`: NaN, ±∞ or a native histogram. */
  readonly value: number | undefined
}

/** What an instant query gave. */
export interface InstantAnswer {
  /** Empty: nothing was measured, which is not 0. */
  readonly samples: readonly InstantSample[]
  /** Why the answer may be a part of the truth only: a remote read that failed, a store that was left out. */
  readonly warnings: readonly string[]
}

/** One series over a range. */
export interface RangeSeries {
  readonly labels: MetricLabels
  /** A value for each of the answer's times [T]; NaN: missing, NaN, ±∞ or a native histogram. */
  readonly values: Float64Array
}

/** What a range query gave; T: times. */
export interface RangeAnswer {
  /** Unix seconds [T]. */
  readonly timesSeconds: Float64Array
  readonly series: readonly RangeSeries[]
  /** As in `InstantAnswer`. */
  readonly warnings: readonly string[]
}

/** Times of a range, unix seconds; both ends count. */
export interface TimeRange {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly stepSeconds: number
}

type Point = readonly [seconds: number, value: string]

/** The JSON of an answer. */
export interface Body {
  readonly errorType?: string
  readonly error?: string
  readonly warnings?: readonly string[]
  readonly data?: { readonly resultType: string; readonly result: unknown }
}

/** What `read` makes of an answer's text. @throws {AdapterError} `prometheus_answer_invalid` */
export function readAnswer<T>(text: string, read: (body: Body) => T): T {
  try {
    return read(JSON.parse(text))
  } catch (error) {
    if (error instanceof AdapterError) throw error
    throw invalid(printable(text.slice(0, 200))) // no JSON, or of another shape
  }
}

/** What the API says was wrong. */
export const readError = ({ errorType, error }: Body): string => `${errorType}: ${error}`

/** For `readAnswer`. */
export function readInstant({ data, warnings = [] }: Body): InstantAnswer {
  switch (data?.resultType) {
    case 'scalar':
      return { samples: [toSample({}, data.result as Point)], warnings }
    case 'vector': {
      const result = data.result as readonly { metric: MetricLabels; value?: Point; histogram?: Point }[]
      // A native histogram stands where the value would.
      return {
        samples: result.map(({ metric, value, histogram }) => toSample(metric, value ?? [histogram![0], 'NaN'])),
        warnings,
      }
    }
    default:
      throw invalid(`an instant query must give a vector or a scalar, got ${data?.resultType ?? 'nothing'}`)
  }
}

/** For `readAnswer`. */
export function readRange({ data, warnings = [] }: Body, range: TimeRange): RangeAnswer {
  if (data?.resultType !== 'matrix')
    throw invalid(`a range query must give a matrix, got ${data?.resultType ?? 'nothing'}`)
  const { startSeconds, stepSeconds } = range
  const timesSeconds = Float64Array.from({ length: timesOf(range) }, (_, i) => startSeconds + i * stepSeconds)
  const result = data.result as readonly { metric: MetricLabels; values?: readonly Point[] }[]
  const series = result.map(({ metric, values = [] }) => {
    const onGrid = new Float64Array(timesSeconds.length).fill(Number.NaN)
    for (const [seconds, value] of values)
      onGrid[Math.round((seconds - startSeconds) / stepSeconds)] = measured(value) ?? Number.NaN
    return { labels: metric, values: onGrid }
  })
  return { timesSeconds, series, warnings }
}

/** Times in a range; Prometheus counts whole milliseconds. */
export const timesOf = ({ startSeconds, endSeconds, stepSeconds }: TimeRange): number =>
  Math.floor((toMs(endSeconds) - toMs(startSeconds)) / toMs(stepSeconds)) + 1

const toMs = (seconds: number): number => Math.round(seconds * 1000)

const toSample = (labels: MetricLabels, [timeSeconds, value]: Point): InstantSample => ({
  labels,
  timeSeconds,
  value: measured(value),
})

/** `NaN`, `+Inf` and `-Inf` are Prometheus' words for what JSON cannot say; nothing at all is not 0 either. */
function measured(text: string): number | undefined {
  const value = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

const invalid = (what: string): AdapterError =>
  new AdapterError('prometheus_answer_invalid', `no answer of Prometheus' query API: ${what} (is the URL right?)`)
