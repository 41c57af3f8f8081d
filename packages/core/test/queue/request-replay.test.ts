import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { mmcTimes, Random } from '../../src/index.js'
import { type ReplayOptions, type RequestColumns, replayRequests } from '../../src/internal.js'
import { createServeCore, type ServeCore } from '../../src/serve.js'
import { slowReplay } from './request-replay-twin.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const requests: fc.Arbitrary<RequestColumns> = fc
  .array(
    fc.record({
      gap: fc.constantFrom(0, 0, 0.01, 0.5, 2, 30),
      tokens: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.double({ min: 0, max: 50, noNaN: true })),
      estimate: fc.integer({ min: 0, max: 400 }),
      tenant: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 60 },
  )
  .map((rows) => {
    let time = 0
    return {
      arrival: Float64Array.from(rows, ({ gap }) => (time += gap)),
      tokens: Float64Array.from(rows, ({ tokens }) => tokens),
      estimate: Float64Array.from(rows, ({ estimate }) => estimate),
      tenant: Int32Array.from(rows, ({ tenant }) => tenant),
    }
  })
const options: fc.Arbitrary<ReplayOptions> = fc.record({
  order: fc.constantFrom('fifo', 'class', 'exact'),
  slope: fc.constantFrom(0, 2),
  fairness: fc.constantFrom(0, 0.25),
  tenants: fc.constant(3),
  servers: fc.constantFrom(1, 2, 5),
  batching: fc.constantFrom('none', 'dynamic', 'continuous'),
  maxBatchSize: fc.constantFrom(1, 2, 4, 7),
  batchWaitTimeout: fc.constantFrom(0, 0.3, 5),
  secondsPerRequest: fc.constantFrom(0, 0.1),
  secondsPerToken: fc.constantFrom(0.02, 0.125),
  batchSlowdown: fc.constantFrom(0, 0.25),
})

describe('a replay', () => {
  it('is what a simulation says that looks at every moment, in all orders and ways of batching', () => {
    fc.assert(
      fc.property(requests, options, (columns, configuration) => {
        expect(replayRequests(core, columns, configuration)).toEqual(slowReplay(columns, configuration))
      }),
      { numRuns: 500 },
    )
  })

  it('waits as Erlang says where requests come and last at random', () => {
    const random = new Random(core, 7)
    const N = 400_000
    let time = 0
    const arrival = Float64Array.from({ length: N }, () => (time += random.exponential(1 / 2.4)))
    const tokens = Float64Array.from({ length: N }, () => random.exponential(50))
    const columns = { arrival, tokens, estimate: tokens }
    const { start } = replayRequests(core, columns, { order: 'fifo', servers: 3, secondsPerRequest: 0 })
    const waited = start.reduce((sum, at, row) => sum + at - arrival[row]!, 0) / N
    const { meanWait } = mmcTimes(core.math, { arrivalRate: 2.4, serviceRate: 1, servers: 3 })
    expect(waited / meanWait).toBeGreaterThan(0.95)
    expect(waited / meanWait).toBeLessThan(1.05)
  })

  it('has nothing to say about no requests', () => {
    const none = new Float64Array(0)
    const { start } = replayRequests(core, { arrival: none, tokens: none, estimate: none }, { order: 'fifo' })
    expect(start.length).toBe(0)
  })

  it.each<[string, Partial<RequestColumns>, Partial<ReplayOptions>, string]>([
    ['arrival[1] is 0, before the 1', { arrival: Float64Array.of(1, 0) }, {}, 'config_invalid'],
    ['arrival[0] must be a finite', { arrival: Float64Array.of(Number.NaN, 0) }, {}, 'not_finite'],
    ['tokens[1] must be', { tokens: Float64Array.of(1, -1) }, {}, 'not_finite'],
    ['estimate[0] must be', { estimate: Float64Array.of(Number.POSITIVE_INFINITY, 1) }, {}, 'not_finite'],
    ['estimate must hold 2', { estimate: Float64Array.of(1) }, {}, 'size_mismatch'],
    ['tenant[1] must be of 0 … 2', { tenant: Int32Array.of(0, 3) }, { fairness: 1, tenants: 3 }, 'tenant_unknown'],
    ['servers must be', {}, { servers: 0 }, 'config_invalid'],
    ['maxBatchSize must be', {}, { batching: 'dynamic', maxBatchSize: 1.5 }, 'config_invalid'],
    ['secondsPerToken must be', {}, { secondsPerToken: 0 }, 'config_invalid'],
    ['batchSlowdown must give 4', {}, { batching: 'dynamic', batchSlowdown: [1, 1, 1] }, 'config_invalid'],
    ['slope must be', {}, { slope: -1 }, 'config_invalid'],
  ])('refuses: %s', (message, columns, configuration, code) => {
    const used = core.usedBytes
    const good = { arrival: Float64Array.of(0, 1), tokens: Float64Array.of(1, 1), estimate: Float64Array.of(1, 1) }
    const call = (): unknown => replayRequests(core, { ...good, ...columns }, { order: 'exact', ...configuration })
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
    expect(core.usedBytes).toBe(used)
  })
})
