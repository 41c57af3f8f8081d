import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { replayRequests } from '../../src/internal.js'
import { createServeCore, type ServeCore } from '../../src/serve.js'
import { type SlowOptions, type SlowRequest, slowReplay } from './slow-replay.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const requests = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true })),
      tokens: fc.integer({ min: 1, max: 200 }),
      estimate: fc.integer({ min: 0, max: 200 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) => {
    let arrival = 0
    return rows.map(({ gap, ...row }): SlowRequest => {
      arrival += gap
      return { arrival, ...row }
    })
  })

const ageing = fc.constantFrom(
  { order: 'fifo' as const, slope: 0 },
  { order: 'exact' as const, slope: 0 },
  { order: 'exact' as const, slope: 3.7 },
  { order: 'exact' as const, slope: 0, bypass: 3 },
)

const options = fc
  .record({
    ageing,
    servers: fc.integer({ min: 1, max: 3 }),
    batching: fc.constantFrom('none' as const, 'dynamic' as const, 'continuous' as const),
    maxBatchSize: fc.integer({ min: 1, max: 4 }),
    batchWaitSeconds: fc.constantFrom(0, 1, 17.3),
    secondsPerToken: fc.constantFrom(0.02, 0.3),
    secondsPerRequest: fc.constantFrom(0, 0.1, 2),
    growth: fc.constantFrom(0, 0.07),
  })
  .map(
    ({ ageing, growth, ...others }): SlowOptions => ({
      ...others,
      ...ageing,
      slowdown: (size) => 1 + growth * (size - 1),
    }),
  )

/** Differences above this are no rounding of sums of seconds. */
const ROUNDING_SECONDS = 1e-6

describe('the replay beside a slow one', () => {
  it('starts and finishes every request when the slow one does, whatever the order, the ageing and the batching', () => {
    fc.assert(
      fc.property(requests, options, (rows, { slowdown, batchWaitSeconds, bypass, ...others }) => {
        const column = (name: keyof SlowRequest) => Float64Array.from(rows, (row) => row[name])
        const told = replayRequests(
          core,
          { arrival: column('arrival'), tokens: column('tokens'), estimate: column('estimate') },
          {
            ...others,
            ageing: bypass === undefined ? undefined : { bypass },
            batchWaitTimeout: batchWaitSeconds,
            batchSlowdown: Array.from({ length: others.maxBatchSize }, (_, i) => slowdown(i + 1)),
          },
        )
        const slow = slowReplay(rows, { ...others, bypass, slowdown, batchWaitSeconds })
        rows.forEach((row, i) => {
          for (const moment of ['start', 'finish'] as const) {
            const difference = Math.abs(told[moment][i]! - slow[moment][i]!)
            expect(difference, `${moment} of request ${i}, ${JSON.stringify(row)}`).toBeLessThan(ROUNDING_SECONDS)
          }
        })
      }),
      { numRuns: 500 },
    )
  })
})
