import { ServingError } from '@trimtab/core'
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { BatchScheduler, type LengthEstimator, Scheduler } from '../../src/index.js'
import { FakeClock, settled } from '../fake-clock.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

/** One request of a run: when it comes, how long it works, and what befalls it. */
const request = fc.record({
  afterMs: fc.integer({ min: 0, max: 30 }),
  workMs: fc.integer({ min: 0, max: 60 }),
  tokens: fc.integer({ min: 0, max: 3000 }),
  tenant: fc.constantFrom(undefined, 'a', 'b'),
  abortAfterMs: fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined, freq: 3 }),
  deadlineMs: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined, freq: 3 }),
  fails: fc.boolean(),
  estimateAfterMs: fc.option(fc.integer({ min: 0, max: 80 }), { nil: undefined }),
})

const setup = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  capacity: fc.integer({ min: 1, max: 12 }),
  order: fc.constantFrom('class' as const, 'exact' as const, 'fifo' as const),
  fairness: fc.constantFrom(0, 0.5),
  ageing: fc.constantFrom(
    {},
    { bypass: 0 },
    { maxBypassSeconds: 0.05 },
    { maxBypassSeconds: Number.POSITIVE_INFINITY },
  ),
})

const run = fc.record({ requests: fc.array(request, { minLength: 1, maxLength: 40 }), setup })

/** Answers at once or later, as the request of that number says. */
function estimatorOf(
  requests: readonly { tokens: number; estimateAfterMs: number | undefined }[],
  clock: FakeClock,
): LengthEstimator {
  return {
    predict({ prompt }) {
      const { tokens, estimateAfterMs } = requests[Number(prompt)]!
      const prediction = { tokens, score: 0, class: 0, source: 'model' as const }
      if (estimateAfterMs === undefined) return prediction
      return new Promise((resolve) => clock.callAfter(estimateAfterMs, () => resolve(prediction)))
    },
    observe() {},
  }
}

const sleep = (clock: FakeClock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.callAfter(ms, resolve)
  })

type Outcome = 'finished' | 'failed' | 'aborted' | 'queue_full' | 'deadline_passed'

const outcomeOf = (error: unknown): Outcome => {
  if (error instanceof ServingError) return error.code as Outcome
  return (error as Error).message as Outcome
}

describe('whatever comes', () => {
  it('each request settles once, starts at most once, and never after it was given up', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ requests, setup: { ageing, ...options } }) => {
        const clock = new FakeClock()
        using scheduler = new Scheduler({ core, clock, ...options, ...ageing, estimator: estimatorOf(requests, clock) })
        const starts = requests.map(() => 0)
        const outcomes: (Outcome | undefined)[] = requests.map(() => undefined)
        let running = 0
        let mostRunning = 0
        const added = requests.map(async (request, i) => {
          await sleep(
            clock,
            requests.slice(0, i + 1).reduce((sum, { afterMs }) => sum + afterMs, 0),
          )
          const abort = new AbortController()
          if (request.abortAfterMs !== undefined)
            clock.callAfter(request.abortAfterMs, () => abort.abort(new Error('aborted')))
          const work = async (): Promise<'finished'> => {
            expect(outcomes[i]).toBeUndefined()
            starts[i]!++
            mostRunning = Math.max(mostRunning, ++running)
            await sleep(clock, request.workMs)
            running--
            if (request.fails) throw new Error('failed')
            return 'finished'
          }
          const { tenant, deadlineMs } = request
          const options = { signal: abort.signal, tenant, deadlineMs, model: 'm', prompt: String(i) }
          outcomes[i] = await scheduler.add(work, options).catch(outcomeOf)
        })
        await clock.advance(60_000)
        await Promise.all(added)
        await scheduler.onIdle()
        expect(mostRunning).toBeLessThanOrEqual(options.concurrency)
        for (const [i, outcome] of outcomes.entries()) {
          if (outcome === 'finished' || outcome === 'failed') expect(starts[i]).toBe(1)
          if (outcome === 'queue_full' || outcome === 'deadline_passed') expect(starts[i]).toBe(0)
          expect(starts[i]).toBeLessThanOrEqual(1)
        }
        const stats = scheduler.stats()
        const started = starts.reduce((sum, count) => sum + count, 0)
        const count = (outcome: Outcome): number => outcomes.filter((each) => each === outcome).length
        expect(stats).toMatchObject({
          added: requests.length,
          refused: count('queue_full'),
          expired: count('deadline_passed'),
          waiting: 0,
          running: 0,
          cleared: 0,
          estimatorErrors: 0,
        })
        expect(stats.all.started).toBe(started)
        expect(stats.finished + stats.failed).toBe(started)
        expect(stats.added).toBe(stats.refused + stats.aborted + stats.expired + started)
      }),
      { numRuns: 150 },
    )
  })

  it('a slot is never free while a request waits', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ requests, setup: { ageing, capacity: _, ...options } }) => {
        const clock = new FakeClock()
        using scheduler = new Scheduler({ core, clock, ...options, ...ageing, estimator: estimatorOf(requests, clock) })
        for (const [i, { afterMs, workMs }] of requests.entries()) {
          await clock.advance(afterMs)
          scheduler.add(() => sleep(clock, workMs), { model: 'm', prompt: String(i) })
          await settled()
          if (scheduler.size > 0) expect(scheduler.pending).toBe(options.concurrency)
        }
        await clock.advance(10_000)
        expect(scheduler.stats()).toMatchObject({ finished: requests.length, waiting: 0 })
      }),
      { numRuns: 40 },
    )
  })

  it('no request is passed by one that came more than maxBypassSeconds later', async () => {
    const requests = fc.array(fc.record({ afterMs: fc.nat(4000), tokens: fc.nat(20_000) }), {
      minLength: 2,
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(requests, fc.constantFrom('class' as const, 'exact' as const), async (requests, order) => {
        const clock = new FakeClock()
        using scheduler = new Scheduler({ core, clock, concurrency: 1, order, maxBypassSeconds: 5 })
        scheduler.pause()
        const arrivals: number[] = []
        const started: number[] = []
        for (const { afterMs, tokens } of requests) {
          await clock.advance(afterMs)
          const arrival = clock.now()
          arrivals.push(arrival)
          scheduler.add(() => started.push(arrival), { tokens })
        }
        scheduler.start()
        await scheduler.onIdle()
        started.forEach((arrival, i) => {
          for (const later of started.slice(i + 1)) expect(arrival - later).toBeLessThanOrEqual(5000)
        })
      }),
      { numRuns: 100 },
    )
  })

  it('each input of a batch is served once, batches are no larger than allowed, and no more of them run than slots', async () => {
    const inputs = fc.array(
      fc.record({ afterMs: fc.nat(30), workMs: fc.nat(50), fails: fc.boolean(), tokens: fc.nat(500) }),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    const shape = fc.record({
      maxBatchSize: fc.integer({ min: 1, max: 5 }),
      batchWaitTimeoutMs: fc.integer({ min: 0, max: 40 }),
      concurrency: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(inputs, shape, async (inputs, shape) => {
        const clock = new FakeClock()
        const served: number[] = []
        let running = 0
        let mostRunning = 0
        using scheduler = new BatchScheduler<number, string>({
          ...{ core, clock, ...shape },
          async runBatch(batch) {
            expect(batch.length).toBeLessThanOrEqual(shape.maxBatchSize)
            served.push(...batch)
            mostRunning = Math.max(mostRunning, ++running)
            await sleep(clock, Math.max(...batch.map((i) => inputs[i]!.workMs)))
            running--
            return batch.map((i) => (inputs[i]!.fails ? Promise.reject(new Error(`no ${i}`)) : `yes ${i}`))
          },
        })
        const answers: Promise<string>[] = []
        for (const [i, { afterMs, tokens }] of inputs.entries()) {
          await clock.advance(afterMs)
          answers.push(scheduler.add(i, { tokens }).catch((error: Error) => error.message))
        }
        await clock.advance(10_000)
        expect(await Promise.all(answers)).toEqual(inputs.map(({ fails }, i) => `${fails ? 'no' : 'yes'} ${i}`))
        expect(served.sort((a, b) => a - b)).toEqual(inputs.map((_, i) => i))
        expect(mostRunning).toBeLessThanOrEqual(shape.concurrency)
      }),
      { numRuns: 60 },
    )
  })
})
