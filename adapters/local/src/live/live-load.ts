import { type AnyCore, ConfigError, type Core, Random } from '@trimtab/core'
import { type LoadSeries, shareAt } from '@trimtab/tasks/autoscaling'
import { drawArrivals } from '../load/arrivals.js'
import type { TimedRequest } from './load-stream.js'

/** A request to a pod that is to go out: how much it works there, and how long it waits then. */
export interface LiveRequest {
  readonly atMs: number
  readonly rounds: number
  readonly waitMs: number
}

/** As pods are asked. */
export const toTimed = ({ atMs, rounds, waitMs }: LiveRequest): TimedRequest => ({ atMs, path: `/${rounds}/${waitMs}` })

/** What the load of a block is drawn from. */
export interface LiveLoadOptions {
  readonly seconds: number
  readonly seed: number
  /** Requests a second where the shape is 1. */
  readonly peakPerSecond: number
  /** Share of the peak at a second. */
  readonly shapeAt: (second: number) => number
  /** Of this machine: rounds of work in a millisecond of CPU time. */
  readonly roundsPerMs: number
}

/** CPU time of a request, and what it waits: half of the one and none of the other is the same for all. */
export const WORK_MS = 2
export const WAIT_MS = 3

const WORK_STREAM = 1 << 16 // beyond those of the arrivals

/** Arrivals, work and waits, all of one seed: the same for whoever serves them. @throws {ConfigError} `config_invalid` */
export function drawLiveLoad(core: AnyCore, options: LiveLoadOptions): LiveRequest[] {
  const { seconds, seed, peakPerSecond, shapeAt, roundsPerMs } = options
  if (!(seconds > 0 && peakPerSecond > 0 && roundsPerMs > 0))
    throw new ConfigError(
      'config_invalid',
      `live load: seconds, peakPerSecond and roundsPerMs must be > 0, got ${seconds}, ${peakPerSecond} and ${roundsPerMs}`,
    )
  const ratesPerSecond = Array.from({ length: Math.ceil(seconds) }, (_, second) => peakPerSecond * shapeAt(second))
  const arrivals = drawArrivals(core, [{ action: 'live', parameters: {}, ratesPerSecond }], seed)
  const random = new Random(core, seed, WORK_STREAM)
  const requests = arrivals.map(({ atMs }) => ({
    atMs,
    rounds: Math.round(roundsPerMs * (WORK_MS / 2 + random.exponential(WORK_MS / 2))),
    waitMs: random.exponential(WAIT_MS),
  }))
  random.dispose()
  return requests.filter(({ atMs }) => atMs < 1000 * seconds)
}

/** Rises from a third of the peak to all of it and falls again, once in so many seconds, from another point of that for each seed. */
export function waveShape(core: Core, seconds: number, seed: number): (second: number) => number {
  const random = new Random(core, seed, WORK_STREAM + 1)
  const phase = random.uniform()
  random.dispose()
  const LEAST = 0.36
  return (second) => LEAST + (1 - LEAST) * (0.5 - 0.5 * core.math.cos(2 * Math.PI * (second / seconds + phase)))
}

/** A load of one's own: a minute of it is a second here, each round the stretch that follows the last one's. */
export function seriesShape(load: LoadSeries, seconds: number, round: number): (second: number) => number {
  const { length } = load.shape
  return (second) => shareAt(load, 60 * ((round * Math.ceil(seconds) + second) % length))
}
