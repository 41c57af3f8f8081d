import { type AnyCore, ConfigError, Random } from '@trimtab/core'
import type { JsonObject } from '@trimtab/openwhisk/server'

/** A request that is to go out. */
export interface PlannedRequest {
  /** From the start of the load. */
  readonly atMs: number
  readonly action: string
  readonly parameters: JsonObject
}

/** How often a function is called: a rate for each second, from the first on. */
export interface FunctionLoad {
  readonly action: string
  readonly parameters: JsonObject
  readonly ratesPerSecond: readonly number[]
}

/**
 * Requests of all functions in the order of time: Poisson arrivals at rates that are constant within a second. One seed, the same requests
 * for every platform; each function has a stream of its own.
 *
 * @throws {ConfigError} `config_invalid`
 */
export function drawArrivals(core: AnyCore, loads: readonly FunctionLoad[], seed: number): PlannedRequest[] {
  for (const { action, ratesPerSecond } of loads) {
    const bad = ratesPerSecond.findIndex((rate) => !(rate >= 0 && rate < Number.POSITIVE_INFINITY))
    if (bad >= 0)
      throw new ConfigError(
        'config_invalid',
        `load of ${action}: ratesPerSecond[${bad}] must be >= 0, got ${ratesPerSecond[bad]}`,
      )
  }
  const requests = loads.flatMap(({ action, parameters, ratesPerSecond }, stream) => {
    const random = new Random(core, seed, stream)
    const times = ratesPerSecond.flatMap((rate, second) =>
      Array.from({ length: random.poisson(rate) }, () => 1000 * (second + random.uniform())),
    )
    random.dispose()
    return times.map((atMs) => ({ atMs, action, parameters }))
  })
  return requests.sort((a, b) => a.atMs - b.atMs)
}

/** A quiet rate with bursts in it, as `burstyRates` draws them. */
export interface BurstShape {
  readonly quietPerSecond: number
  readonly burstPerSecond: number
  /** From the start of a burst to that of the next, on average: exponential gaps lie between them. */
  readonly everySeconds: number
  readonly burstSeconds: number
}

/** A rate for each of so many seconds. */
export function burstyRates(random: Random, seconds: number, shape: BurstShape): number[] {
  const { quietPerSecond, burstPerSecond, everySeconds, burstSeconds } = shape
  const rates = new Array<number>(seconds).fill(quietPerSecond)
  const gap = () => random.exponential(everySeconds - burstSeconds)
  for (let start = gap(); start < seconds; start += burstSeconds + gap())
    rates.fill(burstPerSecond, Math.floor(start), Math.floor(start) + burstSeconds)
  return rates
}
