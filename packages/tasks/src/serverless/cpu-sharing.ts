import { erlangC } from '@trimtab/core'

/**
 * Shares `capacity` among rows in proportion to their weights, none getting more than it wants: the level L at which
 * Σ count · min(want, weight · L) = capacity. Nothing is left over while anybody wants more.
 *
 * @param count   how many there are of a row, a fraction too
 * @param want    most that one of the row takes
 * @param weight  above 0
 * @param rows    which rows take part, and in which order sums are made
 * @returns L; Infinity where all get what they want
 */
export function waterLevel(
  count: Float64Array,
  want: Float64Array,
  weight: Float64Array,
  rows: Int32Array,
  capacity: number,
): number {
  let level = 0 // rises until no further row is full
  for (;;) {
    let left = capacity
    let thirsty = 0
    for (const row of rows) {
      if (count[row] === 0) continue
      if (want[row]! <= weight[row]! * level) left -= count[row]! * want[row]!
      else thirsty += count[row]! * weight[row]!
    }
    if (thirsty === 0) return Number.POSITIVE_INFINITY
    const next = left / thirsty
    if (!(next > level)) return level
    level = next
  }
}

/** A moment of an invoker at which all its cores are busy, as an arriving request finds it. */
export interface Crowd {
  /** How probable it is. */
  probability: number
  /** The water level of that moment: a container of weight w runs at min(its cap, w · level). */
  level: number
}

/** Arrays of one number a container, used anew by every invoker. */
export interface SharingRows {
  /** Cores wanted on average. */
  readonly demand: Float64Array
  /** Cores that one gets at most while it runs. */
  readonly cap: Float64Array
  readonly weight: Float64Array
  /** Scratch: how many of the container run at the crowded moment, 0 … 1. */
  readonly running: Float64Array
}

/**
 * The crowd on an invoker whose cores are shared by what runs. As in M/M/k with processor sharing: all cores are busy with Erlang's
 * probability C(k, ρk), and an arrival that finds them so is one of k + 1 / (1 − ρ); with equal weights that makes the textbook's
 * mean. A container runs one request at a time, so the crowd stops growing when the busiest container runs all the time: what more
 * there is waits before its function's queue, not here.
 *
 * @param rows   the invoker's containers
 * @param cores  k
 */
export function crowdOf(sharing: SharingRows, rows: Int32Array, cores: number, out: Crowd): void {
  const { demand, cap, weight, running } = sharing
  let cpu = 0
  let runningSum = 0
  let busiest = 0
  for (const row of rows) {
    const mean = demand[row]! / cap[row]!
    cpu += demand[row]!
    runningSum += mean
    busiest = Math.max(busiest, mean)
  }
  out.probability = 0
  out.level = Number.POSITIVE_INFINITY
  if (cpu === 0) return
  if (cpu >= cores) {
    // Overloaded: everybody gets the smaller of demand and fair share, all the time.
    for (const row of rows) running[row] = 1
    out.probability = 1
    out.level = waterLevel(running, demand, weight, rows, cores)
    return
  }
  const load = cpu / cores
  const servers = Math.max(1, Math.round((cores * runningSum) / cpu)) // containers that fill the cores, each at its cap
  const crowd = servers + 1 / (1 - load)
  const growth = Math.min(crowd / runningSum, 1 / busiest)
  for (const row of rows) running[row] = (growth * demand[row]!) / cap[row]!
  out.level = waterLevel(running, cap, weight, rows, cores)
  if (out.level < Number.POSITIVE_INFINITY) out.probability = erlangC(servers, load * servers)
}
