import { type AnyCore, Random } from '@trimtab/core'
import { type BurstShape, burstyRates, drawArrivals, type PlannedRequest } from '../load/arrivals.js'
import type { LocalFunction } from '../local-serving.js'
import { BURN_FUNCTION } from '../programs.js'

interface DemoFunction extends BurstShape {
  readonly name: string
  /** CPU time of a request. */
  readonly workMs: number
}

/** Together .4 of a CPU on average, 1.2 when all burst at once: two CPUs hold them with what starts and serves them. */
const FUNCTIONS: readonly DemoFunction[] = [
  { name: 'steady', workMs: 10, quietPerSecond: 10, burstPerSecond: 30, everySeconds: 15, burstSeconds: 4 },
  { name: 'bursty', workMs: 40, quietPerSecond: 0.5, burstPerSecond: 12, everySeconds: 12, burstSeconds: 3 },
  { name: 'rare', workMs: 80, quietPerSecond: 0, burstPerSecond: 5, everySeconds: 20, burstSeconds: 3 },
]

const STREAM = 1 << 16 // of the bursts, beyond those of the arrivals

/** Three functions of the same code that take 10, 40 and 80 ms of CPU time. */
export const DEMO_FUNCTIONS: readonly LocalFunction[] = FUNCTIONS.map(({ name }) => ({
  name,
  file: BURN_FUNCTION,
  memoryMiB: 128,
}))

/** @param seed  one seed, one load @param roundsPerMs  of this machine (`measureMachine`) */
export function demoRequests(core: AnyCore, seconds: number, seed: number, roundsPerMs: number): PlannedRequest[] {
  const loads = FUNCTIONS.map(({ name, workMs, ...shape }, i) => {
    const random = new Random(core, seed, STREAM + i)
    const ratesPerSecond = burstyRates(random, seconds, shape)
    random.dispose()
    return { action: name, parameters: { rounds: Math.round(workMs * roundsPerMs) }, ratesPerSecond }
  })
  return drawArrivals(core, loads, seed)
}
