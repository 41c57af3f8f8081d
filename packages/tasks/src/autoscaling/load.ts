import { ConfigError, type Core, Random } from '@trimtab/core'

/** Requests per minute over time, as a shape: a simulator scales it to an application's peak. */
export interface LoadSeries {
  readonly name: string
  /** One value a minute as a share of the peak, which is the 99.9th percentile: a single outlier must not flatten the rest. */
  readonly shape: Float64Array
}

const MAX_MINUTES = 5_000_000 // about ten years

/**
 * A load series from counts per minute.
 * @throws {ConfigError} `load_invalid` (fewer than `minMinutes` values, negative or non-finite ones, nothing above zero)
 */
export function createLoad(name: string, perMinute: ArrayLike<number>, minMinutes = 60): LoadSeries {
  const n = perMinute.length
  if (n < minMinutes || n > MAX_MINUTES) {
    throw new ConfigError('load_invalid', `${name} has ${n} minutes; a load needs ${minMinutes} … ${MAX_MINUTES}`)
  }
  const shape = Float64Array.from(perMinute)
  const invalid = shape.findIndex((value) => !(value >= 0 && value < Infinity))
  if (invalid >= 0) {
    throw new ConfigError(
      'load_invalid',
      `${name}, minute ${invalid}: requests must be a finite number >= 0, got ${shape[invalid]}`,
    )
  }
  const sorted = shape.toSorted()
  const peak = sorted[Math.floor(0.999 * n)] || sorted[n - 1]!
  if (peak === 0) throw new ConfigError('load_invalid', `${name} has no request at all`)
  return { name, shape: shape.map((value) => value / peak) }
}

/**
 * Reads `minute,requests` (CSV with a header, the last column counts; or one number a line).
 * @throws {ConfigError} `load_invalid` with the first line that cannot be read
 */
export function parseLoad(name: string, text: string): LoadSeries {
  const values: number[] = []
  let columns = 0
  let start = 0
  for (let line = 1; start < text.length; line++) {
    let end = text.indexOf('\n', start)
    if (end < 0) end = text.length
    const row = text.slice(start, end).trim()
    start = end + 1
    if (row === '') continue
    const cells = row.split(',')
    const last = cells.at(-1)!.trim()
    const value = last === '' ? Number.NaN : Number(last)
    if (Number.isNaN(value) && values.length === 0 && columns === 0) {
      columns = cells.length // the header
      continue
    }
    columns ||= cells.length
    if (cells.length !== columns) {
      throw new ConfigError(
        'load_invalid',
        `${name}, line ${line}: ${cells.length} ${cells.length === 1 ? 'column' : 'columns'} where there ${columns === 1 ? 'was' : 'were'} ${columns} before; a load has lines of minute,requests, or one number a line`,
      )
    }
    if (!(value >= 0 && value < Infinity)) {
      throw new ConfigError(
        'load_invalid',
        `${name}, line ${line}: requests must be a number >= 0, got "${last.slice(0, 40)}"`,
      )
    }
    if (values.length >= MAX_MINUTES) {
      throw new ConfigError('load_invalid', `${name} has more than ${MAX_MINUTES} minutes; cut it into pieces`)
    }
    values.push(value)
  }
  return createLoad(name, values)
}

/**
 * A seeded load of `days` days: two daily harmonics, a weekly dip, slow log-AR(1) noise and bursts, with amplitudes in the
 * range of published web and serverless traces (daily peak to trough 2–8, minute-to-minute variation 3–10 %).
 */
export function generateLoad(core: Core, seed: number, days = 14): LoadSeries {
  const random = new Random(core, seed, 102)
  const { math } = core
  const between = (low: number, high: number): number => low + (high - low) * random.uniform()
  const daily = between(0.35, 1.0)
  const half = between(0, 0.35)
  const phase = between(0, 2 * Math.PI)
  const halfPhase = between(0, 2 * Math.PI)
  const weekend = between(0.55, 1)
  const noise = between(0.03, 0.1)
  const memory = between(0.85, 0.97)
  const burstsPerDay = between(0.5, 5)
  const n = days * 1440
  const perMinute = new Float64Array(n)
  let slow = 0
  let coming = 0 // what a burst still has to rise
  let burst = 0
  let burstDecay = 0.9
  for (let i = 0; i < n; i++) {
    const angle = (2 * Math.PI * i) / 1440
    const rhythm = daily * math.sin(angle + phase) + half * math.sin(2 * angle + halfPhase)
    slow = memory * slow + noise * Math.sqrt(1 - memory * memory) * 2 * random.normal()
    if (random.uniform() < burstsPerDay / 1440) {
      coming += between(0.2, 1)
      burstDecay = between(0.8, 0.97)
    }
    const rise = 0.35 * coming // crowds gather within minutes, not at once
    coming -= rise
    burst = burst * burstDecay + rise
    const week = Math.floor(i / 1440) % 7 >= 5 ? weekend : 1
    perMinute[i] = 1000 * week * math.exp(rhythm + slow + noise * 0.5 * random.normal()) * (1 + burst)
  }
  random.dispose()
  return createLoad(`generated-${seed}`, perMinute)
}

/** The share of the peak at a moment, linear between minutes. */
export function shareAt(load: LoadSeries, second: number): number {
  const { shape } = load
  const minute = Math.min(Math.max(0, second / 60), shape.length - 1)
  const whole = Math.floor(minute)
  const next = Math.min(whole + 1, shape.length - 1)
  return shape[whole]! + (shape[next]! - shape[whole]!) * (minute - whole)
}
