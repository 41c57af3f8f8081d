import { Random } from '@trimtab/core'
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import { Scheduler, type SchedulerStats } from '../../src/index.js'
import { FakeClock } from '../fake-clock.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const SECONDS_PER_TOKEN = 0.02
const MEAN_TOKENS = 300
const LOAD = 0.9
const REQUESTS = 1500

/** Poisson arrivals, lengths spread widely about the mean, known with some error; served one by one. */
async function simulate(
  seed: number,
  options: Partial<ConstructorParameters<typeof Scheduler>[0]>,
): Promise<SchedulerStats> {
  using random = new Random(core, seed)
  const clock = new FakeClock()
  using scheduler = new Scheduler({ core, clock, concurrency: 1, capacity: REQUESTS, ...options })
  const meanGapMs = (1000 * SECONDS_PER_TOKEN * MEAN_TOKENS) / LOAD
  let done = 0
  for (let i = 0; i < REQUESTS; i++) {
    await clock.advance(random.exponential(meanGapMs))
    const tokens = MEAN_TOKENS * random.exponential() * random.exponential()
    const work = (): Promise<void> =>
      new Promise((resolve) => {
        clock.callAfter(1000 * SECONDS_PER_TOKEN * tokens, () => {
          done++
          resolve()
        })
      })
    scheduler.add(work, { tokens: tokens * core.math.exp(random.normal(0, 0.5)) })
  }
  while (done < REQUESTS) await clock.advance(60_000)
  return scheduler.stats()
}

describe('shortest first, simulated at 90 % load', () => {
  it.each([1, 2, 3])(
    'waits less than first come, first served, and the longest wait is bounded (seed %i)',
    async (seed) => {
      const fifo = await simulate(seed, { order: 'fifo' })
      const aged = await simulate(seed, {})
      const pure = await simulate(seed, { maxBypassSeconds: Number.POSITIVE_INFINITY })
      expect([fifo, aged, pure].map(({ finished }) => finished)).toEqual([REQUESTS, REQUESTS, REQUESTS])
      // Measured: aged 0.34 to 0.45 of the mean wait and 1.5 to 1.8 of the longest; pure 0.27 to 0.43 and 3.6 to 5.
      expect(aged.all.waitSumMs).toBeLessThan(0.7 * fifo.all.waitSumMs)
      expect(aged.all.waitMaxMs).toBeLessThan(3 * fifo.all.waitMaxMs)
      expect(pure.all.waitMaxMs).toBeGreaterThan(aged.all.waitMaxMs)
      expect(fifo.all.bypasses).toBe(0)
    },
  )
})
