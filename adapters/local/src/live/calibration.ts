import { quantileOf } from '../quantile.js'
import type { LoadStream, StreamTarget, TimedRequest } from './load-stream.js'

/** What callers see while there are pods to spare. */
export interface Calibration {
  /** Of each period. */
  readonly p99sMs: readonly number[]
  /** Their median: what the SLO is a multiple of. */
  readonly p99Ms: number
  /** By how much requests went out late. */
  readonly lagP99Ms: number
}

/** How a calibration is run. */
export interface CalibrationOptions {
  readonly load: LoadStream
  readonly requests: readonly TimedRequest[]
  readonly target: Omit<StreamTarget, 'sloMs'>
  /** At the start, that say nothing: code is compiled, connections are made. */
  readonly settlingPeriods: number
  readonly onPeriod: () => void
  readonly signal: AbortSignal
}

const NO_SLO_MS = 1e9 // nothing is late

/** Measures a load with pods to spare. The caller has brought them there. */
export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  const { load, requests, target, settlingPeriods, onPeriod, signal } = options
  load.begin(requests, { ...target, sloMs: NO_SLO_MS })
  const p99sMs: number[] = []
  const lagsMs: number[] = []
  for (let period = 0; period < target.periods; period++) {
    const seen = await load.next(signal)
    onPeriod()
    if (period < settlingPeriods) continue
    p99sMs.push(quantileOf(seen.latenciesMs, 0.99))
    lagsMs.push(...seen.lagsMs)
  }
  return { p99sMs, p99Ms: quantileOf(p99sMs, 0.5), lagP99Ms: quantileOf(lagsMs, 0.99) }
}

/** Beyond these nothing that is measured means anything; a p99 of a few hundred requests varies by half of itself on an idle machine. */
const MOST_LAG_MS = 10
const MOST_SPREAD = 3
const PERIODS = 5

/** What keeps a machine from measurements; `undefined`: nothing. */
export function whyUnstable({ p99sMs, lagP99Ms }: Calibration): string | undefined {
  const last = p99sMs.slice(-PERIODS)
  const [least, most] = [Math.min(...last), Math.max(...last)]
  if (!(lagP99Ms < MOST_LAG_MS)) return `with pods to spare requests go out ${lagP99Ms.toFixed(0)} ms late`
  if (!(most < MOST_SPREAD * least))
    return `with pods to spare p99 goes from ${least.toFixed(0)} to ${most.toFixed(0)} ms`
  return undefined
}
