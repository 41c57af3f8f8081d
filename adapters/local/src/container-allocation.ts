import type { TenantAllocation } from '@trimtab/tasks/serverless'

/** What stock OpenWhisk does: containers come with requests and idle for ten minutes. */
export const STOCK_ALLOCATION: Readonly<TenantAllocation> = { containers: 0, shares: 1024, keepAliveSeconds: 600 }

const SHARES = [2, 262_144] as const // what cpu.shares takes
const SHARES_A_LEVEL = Math.log(1.25) // a step of nice changes a process's weight by a quarter (sched(7))
const MOST_SECONDS = 1e9

/** What may come into force of what is asked: whole containers, not more than `most`; where it is NaN, what is in force. */
export function boundAllocation(
  asked: Readonly<TenantAllocation>,
  inForce: Readonly<TenantAllocation>,
  most: number,
): Readonly<TenantAllocation> {
  const bound = (name: keyof TenantAllocation, low: number, high: number): number =>
    Math.min(high, Math.max(low, Number.isNaN(asked[name]) ? inForce[name] : asked[name]))
  return {
    containers: Math.round(bound('containers', 0, most)),
    shares: bound('shares', ...SHARES),
    keepAliveSeconds: bound('keepAliveSeconds', 0, MOST_SECONDS),
  }
}

/** How much nicer a process of so many shares is than one of `mostShares`. */
export const nicenessOf = (shares: number, mostShares: number): number =>
  Math.max(0, Math.round(Math.log(mostShares / shares) / SHARES_A_LEVEL))
