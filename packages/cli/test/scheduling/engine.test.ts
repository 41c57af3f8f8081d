import { Random } from '@trimtab/core'
import { createServeCore, replayRequests, type ServeCore } from '@trimtab/serve'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Admission } from '../../src/scheduling/admission.js'
import { type EngineModel, type EngineRequests, runEngine } from '../../src/scheduling/engine.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const MODEL: EngineModel = {
  places: 4,
  kvTokens: 1e9,
  chunkTokens: 512,
  linearSeconds: () => 0.02,
  secondsPerCachedToken: 0,
  secondsPerPromptPair: 0,
}

const requestsOf = (
  rows: readonly (readonly [arrival: number, prompt: number, output: number, estimate?: number])[],
): EngineRequests => ({
  arrival: Float64Array.from(rows, ([arrival]) => arrival),
  promptTokens: Float64Array.from(rows, ([, prompt]) => prompt),
  outputTokens: Float64Array.from(rows, ([, , output]) => output),
  estimate: Float64Array.from(rows, ([, , output, estimate]) => estimate ?? output),
})

const byAnswer: Admission = { size: ({ output }) => output }

const rows = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 30, noNaN: true }),
    fc.integer({ min: 1, max: 900 }),
    fc.integer({ min: 1, max: 200 }),
  ),
  { minLength: 1, maxLength: 60 },
)
const sorted = (list: readonly (readonly [number, number, number])[]) => [...list].sort(([a], [b]) => a - b)

describe('the simulated engine', () => {
  it('takes the time that its parts say, worked out by hand', () => {
    const model = { ...MODEL, chunkTokens: 10, secondsPerCachedToken: 0.001, secondsPerPromptPair: 0.0001 }
    const { start, firstToken, finish } = runEngine(requestsOf([[1, 25, 3]]), model, {})
    // Chunks of 10, 10 and 5 tokens see 50, 150 and 112.5 pairs; then two tokens with 25 and 26 cached ones.
    const prefill = 3 * 0.02 + 0.0001 * (50 + 150 + 112.5)
    expect(start[0]).toBe(1)
    expect(firstToken[0]).toBeCloseTo(1 + prefill, 12)
    expect(finish[0]).toBeCloseTo(1 + prefill + 2 * 0.02 + 0.001 * (25 + 26), 12)
  })

  it('is the core’s continuous batching where prompts, attention and memory cost nothing', () => {
    using random = new Random(core, 7)
    let now = 0
    const list = Array.from({ length: 400 }, () => {
      now += random.exponential(0.9)
      return [now, 1, 1 + random.integer(300)] as const
    })
    const requests = requestsOf(list)
    for (const places of [1, 4, 16]) {
      const slowdown = Array.from({ length: places }, (_, i) => 1 + 0.05 * i)
      const model = { ...MODEL, places, linearSeconds: (tokens: number) => 0.02 * slowdown[tokens - 1]! }
      for (const [admission, order] of [
        [{}, 'fifo'],
        [byAnswer, 'exact'],
      ] as const) {
        const ours = runEngine(requests, model, admission)
        const theirs = replayRequests(
          core,
          { arrival: requests.arrival, tokens: requests.outputTokens, estimate: requests.estimate },
          {
            ...{ order, batching: 'continuous', maxBatchSize: places, secondsPerRequest: 0, secondsPerToken: 0.02 },
            batchSlowdown: slowdown,
          },
        )
        const mean = (finish: Float64Array) =>
          finish.reduce((sum, time, i) => sum + time - requests.arrival[i]!, 0) / 400
        expect(mean(ours.finish) / mean(theirs.finish)).toBeCloseTo(1, 9)
      }
    }
  })

  it('serves every request once, tokens one after the other, whatever comes and however small the cache is', () => {
    const shape = fc.record({ places: fc.integer({ min: 1, max: 8 }), kvTokens: fc.integer({ min: 1200, max: 5000 }) })
    fc.assert(
      fc.property(
        rows,
        shape,
        fc.constantFrom<Admission>({}, byAnswer, { ...byAnswer, bypass: 3 }),
        (list, shape, admission) => {
          const requests = requestsOf(sorted(list))
          const { start, firstToken, finish, meanBatch, meanCache01 } = runEngine(
            requests,
            { ...MODEL, ...shape },
            admission,
          )
          finish.forEach((time, i) => {
            expect(start[i]).toBeGreaterThanOrEqual(requests.arrival[i]!)
            expect(firstToken[i]).toBeGreaterThan(start[i]!)
            expect(time).toBeGreaterThanOrEqual(firstToken[i]! + 0.02 * (requests.outputTokens[i]! - 1) - 1e-9)
          })
          expect(meanBatch).toBeLessThanOrEqual(shape.places)
          expect(meanCache01).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('gives a place up when the cache is full, and loses no token by it', () => {
    const { finish, preemptions, firstToken } = runEngine(
      requestsOf([
        [0, 100, 200],
        [0, 100, 200],
      ]),
      { ...MODEL, kvTokens: 350 },
      {},
    )
    expect(preemptions).toBe(1)
    expect(firstToken[0]).toBe(firstToken[1])
    expect(finish[0]).toBeCloseTo(0.02 * 200, 9)
    // The second one is computed anew when the first has ended, and goes on where it was.
    expect(finish[1]).toBeGreaterThan(finish[0]!)
    expect(finish[1]).toBeLessThan(2 * finish[0]!)
  })

  it('keeps room for whole answers where the admission says so, and then gives none up', () => {
    const requests = requestsOf(Array.from({ length: 20 }, () => [0, 100, 200] as const))
    const model = { ...MODEL, places: 8, kvTokens: 1000 }
    expect(runEngine(requests, model, {}).preemptions).toBeGreaterThan(0)
    expect(runEngine(requests, model, { reserve: ({ prompt, output }) => prompt + output }).preemptions).toBe(0)
  })

  it('admits in order of size, and ageing bounds who is passed', () => {
    const model = { ...MODEL, places: 1 }
    const list = [
      [0, 1, 50],
      [0.1, 1, 400],
      ...Array.from({ length: 300 }, (_, i) => [0.2 + 0.4 * i, 1, 20] as const),
    ] as const
    const waitOf = (admission: Admission) => runEngine(requestsOf(list), model, admission).start[1]! - 0.1
    expect(waitOf({})).toBeLessThan(2)
    expect(waitOf(byAnswer)).toBeGreaterThan(100)
    expect(waitOf({ ...byAnswer, bypass: 3 })).toBeLessThan(60)
  })

  it('lets no more of the long run together than their lane has room for', () => {
    const lane = { size: ({ output }: { output: number }) => output, bound: 100, most: 1 }
    const requests = requestsOf([
      [0, 1, 200],
      [0, 1, 200],
      [0, 1, 50],
    ])
    const { start, finish } = runEngine(requests, MODEL, { lane })
    expect([start[0], start[2]]).toEqual([0, 0])
    expect(start[1]).toBe(finish[0])
  })
})
