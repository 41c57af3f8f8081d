import type { Application } from '../application.js'

/** CFS bandwidth control's default period. */
export const PERIOD_SECONDS = 0.1

/** Time that `work` core-seconds of one thread take under a limit: full speed in the first quota, then waits for each next period. */
export function throttled(work: number, cores: number): number {
  if (cores >= 1) return work
  const quota = cores * PERIOD_SECONDS
  return work <= quota ? work : work + (PERIOD_SECONDS - quota) * (work / quota - 1)
}

/**
 * What a window can pile up from empty, as seconds of waiting: overload's drift and a 99 % excursion of the arriving work, served at
 * `cores`.
 */
export function longestWait(
  application: Application,
  ratePerSecond: number,
  cores: number,
  windowSeconds: number,
): number {
  const { workSeconds: work, variability } = application
  const excursion = 2.33 * Math.sqrt(ratePerSecond * windowSeconds * (1 + variability)) * work
  return (Math.max(0, ratePerSecond * work - cores) * windowSeconds + excursion) / cores
}

/** Probability that an arrival waits, for `servers` ≥ 1 (linear between whole numbers) and `load` in Erlangs below `servers`. */
export function erlangC(servers: number, load: number): number {
  const whole = Math.floor(servers)
  const share = servers - whole
  if (share === 0) return wholeErlangC(whole, load)
  const above = wholeErlangC(whole + 1, load)
  return load >= whole ? share * above + (1 - share) : share * above + (1 - share) * wholeErlangC(whole, load)
}

function wholeErlangC(servers: number, load: number): number {
  let blocking = 1
  for (let k = 1; k <= servers; k++) blocking = (load * blocking) / (k + load * blocking)
  return blocking / (1 - (load / servers) * (1 - blocking))
}
