import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BatchOptions, BatchScheduler } from '../../src/index.js'
import { FakeClock } from '../fake-clock.js'

let core: ServeCore
let clock: FakeClock
let batches: string[]
beforeAll(async () => {
  core = await createServeCore()
})
beforeEach(() => {
  clock = new FakeClock()
  batches = []
})

type Options = Partial<BatchOptions<string, string>>

/** Each batch lasts 100 ms and says when it started. */
const makeScheduler = (options: Options = {}): BatchScheduler<string, string> =>
  new BatchScheduler<string, string>({
    ...{ core, clock, concurrency: 1, maxBatchSize: 3, batchWaitTimeoutMs: 20, maxBypassSeconds: 1e6 },
    async runBatch(inputs) {
      batches.push(`${clock.now()}: ${inputs.join(' ')}`)
      await new Promise<void>((resolve) => {
        clock.callAfter(100, resolve)
      })
      return inputs.map((input) => input.toUpperCase())
    },
    ...options,
  })

describe('dynamic batching', () => {
  it('starts as soon as a batch is full', async () => {
    const scheduler = makeScheduler()
    const answers = Promise.all(['a', 'b', 'c', 'd'].map((input) => scheduler.add(input)))
    await clock.advance(1000)
    expect(await answers).toEqual(['A', 'B', 'C', 'D'])
    expect(batches).toEqual(['0: a b c', '100: d'])
  })

  it('starts a part of one when the oldest has waited for the time-out, not later for those that came after', async () => {
    const scheduler = makeScheduler()
    scheduler.add('a')
    await clock.advance(15)
    scheduler.add('b')
    await clock.advance(4)
    expect(batches).toEqual([])
    await clock.advance(1)
    expect(batches).toEqual(['20: a b'])
  })

  it('waits no longer when the time passed while the slot was taken', async () => {
    const scheduler = makeScheduler()
    for (const input of ['a', 'b', 'c', 'd']) scheduler.add(input)
    await clock.advance(50)
    scheduler.add('e')
    await clock.advance(50)
    expect(batches).toEqual(['0: a b c', '100: d e'])
  })

  it('waits for none where the time-out is 0', async () => {
    const scheduler = makeScheduler({ batchWaitTimeoutMs: 0 })
    scheduler.add('a')
    scheduler.add('b')
    await clock.advance(100)
    expect(batches).toEqual(['0: a', '100: b'])
  })

  it('puts the shortest together', async () => {
    const scheduler = makeScheduler({ maxBatchSize: 2 })
    scheduler.pause()
    for (const tokens of [900, 20, 500, 10]) scheduler.add(`${tokens}`, { tokens })
    scheduler.start()
    await clock.advance(1000)
    expect(batches).toEqual(['0: 10 20', '100: 500 900'])
  })

  it('forgets an aborted request, and the timer that it started', async () => {
    const scheduler = makeScheduler()
    const abort = new AbortController()
    const gone = scheduler.add('a', { signal: abort.signal })
    const caught = expect(gone).rejects.toThrow('gone')
    await clock.advance(10)
    scheduler.add('b')
    abort.abort(new Error('gone'))
    await caught
    await clock.advance(15)
    expect(batches).toEqual([])
    await clock.advance(5)
    expect(batches).toEqual(['30: b'])
  })

  it('frees the slot when all of a batch have ended, one by one where the results are promises', async () => {
    const later = (ms: number, input: string): Promise<string> =>
      new Promise((resolve) => {
        clock.callAfter(ms, () => resolve(input))
      })
    const scheduler = makeScheduler({
      runBatch(inputs) {
        batches.push(`${clock.now()}: ${inputs.join(' ')}`)
        return inputs.map((input, i) =>
          input === 'b' ? Promise.reject(new Error('b fails')) : later(10 * (i + 1), input),
        )
      },
    })
    const ends: string[] = []
    for (const input of ['a', 'b', 'c', 'd', 'e', 'f']) {
      scheduler.add(input).then(
        (value) => ends.push(`${clock.now()} ${value}`),
        (error) => ends.push(`${clock.now()} ${error.message}`),
      )
    }
    await clock.advance(29)
    expect([scheduler.pending, scheduler.size]).toEqual([1, 3])
    await clock.advance(31)
    expect(batches).toEqual(['0: a b c', '30: d e f'])
    expect(ends).toEqual(['0 b fails', '10 a', '30 c', '40 d', '50 e', '60 f'])
  })

  it('fails the batch when its function throws, or does not return one result for each', async () => {
    for (const [runBatch, message] of [
      [() => Promise.reject(new Error('no memory')), 'no memory'],
      [
        () => {
          throw new Error('at once')
        },
        'at once',
      ],
      [() => [Promise.reject(new Error('of nobody'))], /one result for each of 3 inputs, got 1/],
      [() => ['only one'], /one result for each of 3 inputs, got 1/],
    ] as const) {
      const scheduler = makeScheduler({ runBatch })
      for (const answer of ['a', 'b', 'c'].map((input) => scheduler.add(input)))
        await expect(answer).rejects.toThrow(message)
      await scheduler.onIdle()
      expect(scheduler.stats()).toMatchObject({ failed: 3, running: 0 })
    }
  })

  it('teaches the estimator what each took', async () => {
    const seen: unknown[] = []
    const scheduler = makeScheduler({
      maxBatchSize: 2,
      estimator: {
        predict: () => ({ tokens: 9, score: 0, class: 0, source: 'prior' }),
        observe: ({ prompt }, tokens) => seen.push([prompt, tokens]),
      },
      runBatch(inputs, runs) {
        for (const [i, run] of runs.entries()) run.reportTokens(10 + i)
        return inputs
      },
    })
    await Promise.all(['a', 'b'].map((prompt) => scheduler.add(prompt, { model: 'm', prompt })))
    expect(seen).toEqual([
      ['a', 10],
      ['b', 11],
    ])
  })

  it('refuses a size or a time-out that makes no sense', () => {
    expect(() => makeScheduler({ maxBatchSize: 0, batchWaitTimeoutMs: -1 })).toThrow(/maxBatchSize.*batchWaitTimeoutMs/)
  })
})
