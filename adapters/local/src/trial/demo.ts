import { availableParallelism } from 'node:os'
import { type AnyCore, Random } from '@trimtab/core'
import { type BurstShape, burstyRates, drawArrivals, type PlannedRequest } from '../load/arrivals.js'
import type { LocalFunction } from '../local-serving.js'
import { BURN_FUNCTION } from '../programs.js'

interface DemoFunction extends BurstShape {
  readonly name: string
  /** CPU time of a request. */
  readonly workMs: number
  readonly sloMs: number
}

/** Together .3 of a CPU on average, .8 when all burst at once: two CPUs hold them with what starts and serves them, by less than half. */
const FUNCTIONS: readonly DemoFunction[] = [
  { name: 'steady', workMs: 10, sloMs: 50, quietPerSecond: 15, burstPerSecond: 25, everySeconds: 15, burstSeconds: 4 },
  { name: 'bursty', workMs: 40, sloMs: 100, quietPerSecond: 0.5, burstPerSecond: 8, everySeconds: 12, burstSeconds: 3 },
  { name: 'rare', workMs: 80, sloMs: 200, quietPerSecond: 0, burstPerSecond: 3, everySeconds: 20, burstSeconds: 3 },
]
const CPUS = 2

const STREAM = 1 << 16 // of the bursts, beyond those of the arrivals

/** Of a container of theirs. */
export const DEMO_MEMORY_MIB = 128

/** Three functions of the same code that take 10, 40 and 80 ms of CPU time. */
export const DEMO_FUNCTIONS: readonly LocalFunction[] = FUNCTIONS.map(({ name, sloMs }) => ({
  ...{ name, sloMs, file: BURN_FUNCTION, memoryMiB: DEMO_MEMORY_MIB },
}))

/** @param seed  one seed, one load for machines of as many CPUs, from two on the same @param roundsPerMs  of this one (`measureMachine`) */
export function demoRequests(core: AnyCore, seconds: number, seed: number, roundsPerMs: number): PlannedRequest[] {
  const part01 = Math.min(1, availableParallelism() / CPUS)
  const loads = FUNCTIONS.map(({ name, workMs, ...shape }, i) => {
    const random = new Random(core, seed, STREAM + i)
    const ratesPerSecond = burstyRates(random, seconds, shape).map((rate) => part01 * rate)
    random.dispose()
    return { action: name, parameters: { rounds: Math.round(workMs * roundsPerMs) }, ratesPerSecond }
  })
  return drawArrivals(core, loads, seed)
}
