import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AddOptions, BatchScheduler, type LengthEstimator, Scheduler } from '../../src/index.js'
import { FakeClock, settled } from '../fake-clock.js'

let core: ServeCore
let clock: FakeClock
beforeAll(async () => {
  core = await createServeCore()
})
beforeEach(() => {
  clock = new FakeClock()
})

type Options = Partial<ConstructorParameters<typeof Scheduler>[0]>
const makeScheduler = (options: Options = {}): Scheduler => new Scheduler({ core, clock, concurrency: 100, ...options })

const sleep = (ms: number): Promise<void> => new Promise((resolve) => clock.callAfter(ms, resolve))

/** Adds work of so many ms and notes when it starts. */
function adder(scheduler: Scheduler) {
  const started: string[] = []
  const add = (name: string, workMs: number, options: AddOptions = {}): Promise<void> =>
    scheduler.add(() => {
      started.push(`${name} ${clock.now()}`)
      return sleep(workMs)
    }, options)
  return { started, add }
}

describe('a token budget', () => {
  it('is never exceeded, and who is next waits for room without being passed', async () => {
    const { started, add } = adder(makeScheduler({ limit: { tokenBudget: 1000 }, order: 'fifo' }))
    add('a', 100, { promptTokens: 500, tokens: 100 })
    add('b', 50, { promptTokens: 300, tokens: 100 })
    add('large', 10, { promptTokens: 600, tokens: 100 })
    add('small', 10, { tokens: 1 })
    await clock.advance(1000)
    expect(started).toEqual(['a 0', 'b 0', 'large 100', 'small 100'])
  })

  it('counts an answer as no longer than maxTokens, and an answer expected to be larger than all of it as all of it', async () => {
    const { started, add } = adder(makeScheduler({ limit: { tokenBudget: 1000 }, order: 'fifo' }))
    add('cut', 10, { promptTokens: 100, tokens: 5000, maxTokens: 400 })
    add('cut too', 10, { promptTokens: 100, tokens: 5000, maxTokens: 400 })
    add('endless', 10, { tokens: 5000 })
    add('last', 10, { tokens: 1 })
    await clock.advance(1000)
    expect(started).toEqual(['cut 0', 'cut too 0', 'endless 10', 'last 20'])
  })

  it('refuses a prompt that can never fit, at once', async () => {
    const scheduler = makeScheduler({ limit: { tokenBudget: 1000 }, modelLimits: { small: { tokensPerMinute: 100 } } })
    await expect(scheduler.add(() => 1, { promptTokens: 1001 })).rejects.toMatchObject({ code: 'never_fits' })
    await expect(scheduler.add(() => 1, { promptTokens: 101, model: 'small' })).rejects.toThrow(/101 tokens.*100/)
    expect(await scheduler.add(() => 'fits', { promptTokens: 101 })).toBe('fits')
    expect(scheduler.stats()).toMatchObject({ added: 3, refused: 2, finished: 1 })
  })

  it('lets the next one start when who waited for room gives up', async () => {
    const { started, add } = adder(makeScheduler({ limit: { tokenBudget: 100 }, order: 'fifo' }))
    const abort = new AbortController()
    add('a', 100, { tokens: 60 })
    add('large', 100, { tokens: 90, signal: abort.signal }).catch(() => {})
    add('small', 100, { tokens: 30 })
    await clock.advance(10)
    abort.abort()
    await clock.advance(10)
    expect(started).toEqual(['a 0', 'small 10'])
  })
})

describe('limits of a model', () => {
  it('hold its own requests up, not those of others', async () => {
    const scheduler = makeScheduler({ concurrency: 3, modelLimits: { busy: { concurrency: 1 } } })
    const { started, add } = adder(scheduler)
    for (const name of ['a', 'b', 'c']) add(name, 100, { model: 'busy' })
    for (const name of ['x', 'y']) add(name, 10, { model: 'other' })
    await clock.advance(1000)
    expect(started).toEqual(['a 0', 'x 0', 'y 0', 'b 100', 'c 200'])
  })

  it('leave the order by length over all models as it is', async () => {
    const scheduler = makeScheduler({ concurrency: 1, maxBypassSeconds: 1e6, modelLimits: { m: { concurrency: 5 } } })
    const { started, add } = adder(scheduler)
    scheduler.pause()
    for (const tokens of [400, 50, 900, 200]) add(`m${tokens}`, 0, { model: 'm', tokens })
    for (const tokens of [100, 800, 25]) add(`o${tokens}`, 0, { model: 'o', tokens })
    scheduler.start()
    await clock.advance(1000)
    expect(started.map((one) => one.split(' ')[0])).toEqual(['o25', 'm50', 'o100', 'm200', 'm400', 'o800', 'm900'])
  })
})

describe('limits of a minute', () => {
  it('let no more start in any 60 s, and start the rest by themselves', async () => {
    const { started, add } = adder(makeScheduler({ limit: { requestsPerMinute: 2 } }))
    add('a', 1)
    await clock.advance(50_000)
    for (const name of ['b', 'c', 'd']) add(name, 1)
    await clock.advance(120_000)
    expect(started).toEqual(['a 0', 'b 50000', 'c 60000', 'd 110000'])
    expect(clock.timers).toBe(0)
  })

  it('count tokens as reported, once they are', async () => {
    const scheduler = makeScheduler({ modelLimits: { m: { tokensPerMinute: 1000 } }, order: 'fifo' })
    const started: number[] = []
    const work = (run: { reportTokens(tokens: number): void }): void => {
      started.push(clock.now())
      run.reportTokens(100)
    }
    for (let i = 0; i < 10; i++) scheduler.add(work, { model: 'm', tokens: 600, promptTokens: 100 })
    await clock.advance(1)
    // Each claims 700 and turns out to have taken 200: the second fits beside that, the third does not fit beside 400.
    expect(started).toEqual([0, 0])
    await clock.advance(60_000)
    expect(started.length).toBeGreaterThan(3)
  })

  it('hold in every window of 60 s, whatever comes', async () => {
    const request = fc.record({ afterMs: fc.nat(20_000), tokens: fc.integer({ min: 1, max: 400 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40 }), async (requests) => {
        clock = new FakeClock()
        const scheduler = makeScheduler({ modelLimits: { m: { requestsPerMinute: 5, tokensPerMinute: 900 } } })
        const starts: { at: number; tokens: number }[] = []
        for (const { afterMs, tokens } of requests) {
          await clock.advance(afterMs)
          scheduler.add(() => starts.push({ at: clock.now(), tokens }), { model: 'm', tokens })
        }
        await clock.advance(60_000 * 60)
        expect(starts.length).toBe(requests.length)
        for (const { at } of starts) {
          const within = starts.filter((other) => other.at >= at && other.at < at + 60_000)
          expect(within.length).toBeLessThanOrEqual(5)
          expect(within.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(900)
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('limits and batches', () => {
  it('fill a batch as far as there is room', async () => {
    const batches: number[] = []
    const scheduler = new BatchScheduler<number, number>({
      ...{ core, clock, concurrency: 2, maxBatchSize: 4, batchWaitTimeoutMs: 0, limit: { concurrency: 3 } },
      async runBatch(inputs) {
        batches.push(inputs.length)
        await sleep(10)
        return inputs
      },
    })
    scheduler.pause()
    const all = scheduler.addAll([1, 2, 3, 4, 5])
    scheduler.start()
    await clock.advance(100)
    expect(await all).toEqual([1, 2, 3, 4, 5])
    expect(batches).toEqual([3, 2])
  })
})

describe('limits that make no sense', () => {
  it.each([
    [{ limit: { tokenBudget: 0 } }, /limit.tokenBudget must be a number ≥ 1, got 0/],
    [{ limit: { tokens: 5 } }, /limit.tokens is no option; there are concurrency, tokenBudget/],
    [{ modelLimits: { m: { requestsPerMinute: Number.NaN } } }, /modelLimits\["m"\].requestsPerMinute must be/],
  ])('are refused: %o', (options, message) => {
    expect(() => makeScheduler(options as Options)).toThrow(message)
  })
})

describe('maxTokens', () => {
  it('caps every estimate: one’s own, the estimator’s, and one that comes later', async () => {
    let answer: (tokens: number) => void = () => {}
    const prediction = (tokens: number) => ({ tokens, score: 0, class: 0, source: 'model' as const })
    const estimator: LengthEstimator = {
      predict: ({ prompt }) =>
        prompt === 'later'
          ? new Promise((resolve) => {
              answer = (tokens) => resolve(prediction(tokens))
            })
          : prediction(900),
      observe() {},
    }
    const scheduler = makeScheduler({ estimator, concurrency: 1, maxBypassSeconds: 1e6 })
    const { started, add } = adder(scheduler)
    add('running', 10)
    add('plain', 0, { tokens: 50 })
    add('own', 0, { tokens: 900, maxTokens: 40 })
    add('predicted', 0, { model: 'm', prompt: 'now', maxTokens: 30 })
    add('later', 0, { model: 'm', prompt: 'later', maxTokens: 20 })
    answer(900)
    await settled()
    await clock.advance(100)
    expect(started.map((one) => one.split(' ')[0])).toEqual(['running', 'later', 'predicted', 'own', 'plain'])
  })
})
