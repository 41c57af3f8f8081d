import { ConfigError } from '@trimtab/core'

/** Orders of ARIMA: autoregression, differences, moving average. */
export interface ArimaOrder {
  readonly p: number
  readonly d: number
  readonly q: number
}

/**
 * A fitted ARIMA(p, d, q). With w the series differenced d times, less its mean, and e the one-step errors:
 *
 *     w(t) = Σ ar[i] · w(t − 1 − i) + Σ ma[j] · e(t − 1 − j) + e(t)
 */
export interface Arima {
  readonly order: ArimaOrder
  readonly ar: readonly number[]
  readonly ma: readonly number[]
  /** Of the differenced series: a trend where d = 1. */
  readonly mean: number
  /** The next value of the series that was fitted. */
  readonly forecast: number
}

const LONGEST = 8 // any order: with more, this method's long autoregression wants longer series than a load has

/** Values that a fit needs: enough equations for the long autoregression and for the final regression. */
export const arimaMinimum = ({ p, d, q }: ArimaOrder): number => d + 2 * (p + q) + 2 * Math.max(p, q) + 4

/**
 * Fits by Hannan and Rissanen's regressions: a long autoregression tells the errors, then the series is regressed on its own
 * past and theirs. Least squares in closed form: the same series gives the same fit.
 *
 * @throws {ConfigError} `arima_invalid` (orders, too few values, values that are not finite)
 */
export function fitArima(series: ArrayLike<number>, order: ArimaOrder): Arima {
  const { p, d, q } = order
  for (const [name, value] of Object.entries(order)) {
    if (!(Number.isInteger(value) && value >= 0 && value <= LONGEST)) {
      throw new ConfigError('arima_invalid', `${name} must be 0 … ${LONGEST}, got ${value}`)
    }
  }
  const values = Float64Array.from(series)
  if (values.length < arimaMinimum(order)) {
    throw new ConfigError('arima_invalid', `a fit needs ${arimaMinimum(order)} values, got ${values.length}`)
  }
  const invalid = values.findIndex((value) => !Number.isFinite(value))
  if (invalid >= 0) {
    throw new ConfigError('arima_invalid', `value ${invalid} must be a finite number, got ${values[invalid]}`)
  }
  const { w, lasts } = difference(values, d)
  const mean = w.reduce((a, b) => a + b, 0) / w.length
  for (let t = 0; t < w.length; t++) w[t]! -= mean
  const { ar, ma } = regress(w, p, q)
  const next = mean + predictNext(w, ar, ma)
  return { order, ar, ma, mean, forecast: lasts.reduce((sum, last) => sum + last, next) }
}

/** The d-th differences, and the last value of each series on the way: they lead back. */
function difference(values: Float64Array, d: number): { w: Float64Array; lasts: number[] } {
  let w = values
  const lasts: number[] = []
  for (let i = 0; i < d; i++) {
    lasts.push(w.at(-1)!)
    const before = w
    w = before.slice(1).map((value, t) => value - before[t]!)
  }
  return { w, lasts }
}

function regress(w: Float64Array, p: number, q: number): { ar: number[]; ma: number[] } {
  if (q === 0) return { ar: leastSquares([w], [p], w, p), ma: [] }
  const long = p + q + Math.max(p, q)
  const longAr = leastSquares([w], [long], w, long)
  const errors = errorsOf(w, longAr, [])
  errors.fill(0, 0, long) // unknown before the long autoregression has its past
  const both = leastSquares([w, errors], [p, q], w, long + q)
  const ma = both.slice(p)
  // Errors must fade in the recursion: the coefficients of an invertible moving average sum to less than one here.
  const size = ma.reduce((sum, c) => sum + Math.abs(c), 0)
  return { ar: both.slice(0, p), ma: size < 1 ? ma : ma.map((c) => (0.99 * c) / size) }
}

/** One-step errors, those before the start taken as zero. */
function errorsOf(w: Float64Array, ar: readonly number[], ma: readonly number[]): Float64Array {
  const errors = new Float64Array(w.length)
  for (let t = 0; t < w.length; t++) errors[t] = w[t]! - predict(w, errors, t, ar, ma)
  return errors
}

const predictNext = (w: Float64Array, ar: readonly number[], ma: readonly number[]): number =>
  predict(w, errorsOf(w, ar, ma), w.length, ar, ma)

function predict(
  w: Float64Array,
  errors: Float64Array,
  t: number,
  ar: readonly number[],
  ma: readonly number[],
): number {
  let sum = 0
  for (let i = 0; i < ar.length && i < t; i++) sum += ar[i]! * w[t - 1 - i]!
  for (let j = 0; j < ma.length && j < t; j++) sum += ma[j]! * errors[t - 1 - j]!
  return sum
}

/** Coefficients of `y(t) ≈ Σ lagged columns`, t ≥ first: column k contributes its lags 1 … counts[k]. */
function leastSquares(columns: Float64Array[], counts: number[], y: Float64Array, first: number): number[] {
  const size = counts.reduce((a, b) => a + b, 0)
  const row = new Float64Array(size)
  const normal = Array.from({ length: size }, () => new Float64Array(size + 1))
  for (let t = first; t < y.length; t++) {
    for (let k = 0, at = 0; k < columns.length; k++) {
      for (let lag = 1; lag <= counts[k]!; lag++) row[at++] = columns[k]![t - lag]!
    }
    for (let i = 0; i < size; i++) {
      const sums = normal[i]!
      const x = row[i]!
      for (let j = 0; j < size; j++) sums[j]! += x * row[j]!
      sums[size]! += x * y[t]!
    }
  }
  return solve(normal)
}

/** Gauss–Jordan with pivots; a direction in which the data do not vary gets a coefficient of zero. */
function solve(rows: Float64Array[]): number[] {
  const size = rows.length
  const scale = Math.max(0, ...rows.map((row, i) => row[i]!))
  const pivots: number[] = []
  const free = new Set(rows.keys())
  for (let column = 0; column < size; column++) {
    const pivot = [...free].reduce(
      (best, i) => (best < 0 || Math.abs(rows[i]![column]!) > Math.abs(rows[best]![column]!) ? i : best),
      -1,
    )
    if (Math.abs(rows[pivot]![column]!) <= 1e-12 * scale) {
      pivots.push(-1)
      continue
    }
    free.delete(pivot)
    pivots.push(pivot)
    const factor = rows[pivot]![column]!
    for (const [i, row] of rows.entries()) {
      if (i === pivot) continue
      const share = row[column]! / factor
      for (let j = column; j <= size; j++) row[j]! -= share * rows[pivot]![j]!
    }
  }
  return pivots.map((pivot, column) => (pivot < 0 ? 0 : rows[pivot]![size]! / rows[pivot]![column]!))
}
