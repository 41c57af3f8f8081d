import { Problems } from '@trimtab/core'
import type { Allocation } from './telemetry.js'

/** What a cluster costs, US dollars an hour. */
export interface Prices {
  readonly perCore: number
  readonly perGiB: number
}

/** About what large clouds ask on demand for general-purpose machines: a vCPU costs as much as 7.5 GiB. */
export const DEFAULT_PRICES: Prices = { perCore: 0.0335, perGiB: 0.0045 }

/** @throws {ConfigError} `config_invalid` */
export function checkPrices({ perCore, perGiB }: Prices): void {
  const problems = new Problems()
  problems.check(perCore >= 0 && perCore < Infinity, `prices.perCore must be a finite number >= 0, got ${perCore}`)
  problems.check(perGiB >= 0 && perGiB < Infinity, `prices.perGiB must be a finite number >= 0, got ${perGiB}`)
  problems.check(perCore + perGiB > 0, 'one of prices.perCore and prices.perGiB must be above 0')
  problems.throwIfAny('prices')
}

/** What an amount of cores and memory costs, dollars an hour. */
export const dollarsPerHour = (prices: Prices, cores: number, memoryMiB: number): number =>
  prices.perCore * cores + (prices.perGiB * memoryMiB) / 1024

/** What an allocation costs, dollars an hour. */
export const allocationDollars = (prices: Prices, allocation: Readonly<Allocation>): number =>
  allocation.replicas * dollarsPerHour(prices, allocation.coresPerReplica, allocation.memoryMiBPerReplica)
