// What befalls requests that run: time limits, tries again, and who is told.
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BatchScheduler, Scheduler } from '../../src/index.js'
import { deferred } from '../deferred.js'
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
const makeScheduler = (options: Options = {}): Scheduler => new Scheduler({ core, clock, concurrency: 1, ...options })

describe('a time limit', () => {
  it('rejects and tells the work; the slot is free when the work has ended', async () => {
    const scheduler = makeScheduler()
    const work = deferred()
    let signal: AbortSignal | undefined
    const late = scheduler.add(
      (run) => {
        signal = run.signal
        return work.promise
      },
      { timeoutMs: 100 },
    )
    const caught = expect(late).rejects.toMatchObject({ name: 'ServingError', code: 'timed_out' })
    const next = scheduler.add(() => 'next')
    await clock.advance(99)
    expect(signal?.aborted).toBe(false)
    await clock.advance(1)
    await caught
    expect([signal?.aborted, scheduler.pending, scheduler.size]).toEqual([true, 1, 1])
    work.resolve('too late')
    expect(await next).toBe('next')
    expect(scheduler.stats()).toMatchObject({ failed: 1, timedOut: 1, finished: 1, running: 0 })
  })

  it('is that of the scheduler where the request has none, begins with the start, and leaves no timer behind', async () => {
    const scheduler = makeScheduler({ timeoutMs: 100 })
    const first = deferred()
    const slow = scheduler.add(() => first.promise, { timeoutMs: 500 })
    const second = deferred()
    const waiting = scheduler.add(() => second.promise)
    await clock.advance(400)
    first.resolve('slow')
    expect(await slow).toBe('slow')
    await clock.advance(99)
    second.resolve('in time')
    expect(await waiting).toBe('in time')
    expect(clock.timers).toBe(0)
  })

  it('leaves the request’s own signal at work', async () => {
    const scheduler = makeScheduler({ timeoutMs: 100 })
    const abort = new AbortController()
    const reason = new Error('gone')
    let told: unknown
    const work = deferred()
    const added = scheduler.add(
      (run) => {
        run.signal.addEventListener('abort', () => {
          told = run.signal.reason
          work.resolve('')
        })
        return work.promise
      },
      { signal: abort.signal },
    )
    abort.abort(reason)
    await expect(added).rejects.toBe(reason)
    expect(told).toBe(reason)
    await scheduler.onIdle()
    expect(clock.timers).toBe(0)
  })

  it('ends one request of a batch, not the others', async () => {
    const scheduler = new BatchScheduler<string, string>({
      ...{ core, clock, concurrency: 1, maxBatchSize: 2, batchWaitTimeoutMs: 10 },
      runBatch: (inputs) => inputs.map((input) => (input === 'slow' ? new Promise(() => {}) : Promise.resolve(input))),
    })
    const slow = scheduler.add('slow', { timeoutMs: 50 })
    const caught = expect(slow).rejects.toMatchObject({ code: 'timed_out' })
    const quick = scheduler.add('quick', { timeoutMs: 50 })
    expect(await quick).toBe('quick')
    await clock.advance(50)
    await caught
  })
})

describe('trying again', () => {
  const unlessThird = (calls: number[]) => (run: { readonly attempt: number }) => {
    calls.push(run.attempt)
    if (run.attempt < 3) throw new Error(`try ${run.attempt}`)
    return 'done'
  }

  it('asks after each failure, waits so long, and gives the last result', async () => {
    const calls: number[] = []
    const asked: string[] = []
    const scheduler = makeScheduler({
      retry: (error, attempt) => {
        asked.push(`${(error as Error).message}, ${attempt}`)
        return 1000 * attempt
      },
    })
    const result = scheduler.add(unlessThird(calls))
    await settled()
    expect([calls.length, scheduler.size, scheduler.pending]).toEqual([1, 1, 0])
    await clock.advance(1000)
    expect(calls).toEqual([1, 2])
    await clock.advance(2000)
    expect(await result).toBe('done')
    expect(asked).toEqual(['try 1, 1', 'try 2, 2'])
    expect(scheduler.stats()).toMatchObject({ added: 1, retried: 2, finished: 1, failed: 0, waiting: 0 })
    expect(scheduler.stats().all.started).toBe(3)
  })

  it('keeps the arrival: it is first again, however many wait, and its wait counts from when it came', async () => {
    const scheduler = makeScheduler({ order: 'class' })
    const started: string[] = []
    const gate = deferred()
    const again = scheduler.add(
      async ({ attempt }) => {
        started.push(`long ${attempt}`)
        if (attempt > 1) return
        await gate.promise
        throw new Error('429')
      },
      { tokens: 5000, retry: () => 0 },
    )
    const others = ['a', 'b'].map((name) => scheduler.add(() => started.push(name), { tokens: 1 }))
    await clock.advance(500)
    gate.resolve('')
    await Promise.all([again, ...others])
    expect(started).toEqual(['long 1', 'long 2', 'a', 'b'])
    expect(scheduler.stats().all.waitMaxMs).toBe(500)
  })

  it('lets others go ahead while it waits, and counts as the oldest', async () => {
    const scheduler = makeScheduler()
    const again = scheduler.add(({ attempt }) => (attempt === 1 ? Promise.reject(new Error('no')) : attempt), {
      retry: () => 300,
    })
    await clock.advance(100)
    expect(await scheduler.add(() => 'other')).toBe('other')
    expect(scheduler.stats().oldestWaitMs).toBe(100)
    await clock.advance(200)
    expect(await again).toBe(2)
  })

  it('may be aborted and cleared in between', async () => {
    const scheduler = makeScheduler({ fairness: 1, retry: () => 1000 })
    const fails = () => Promise.reject(new Error('no'))
    const abort = new AbortController()
    const aborted = scheduler.add(fails, { signal: abort.signal, tenant: 'a' })
    const cleared = scheduler.add(fails, { tenant: 'a' })
    await settled()
    expect(scheduler.size).toBe(2)
    abort.abort(new Error('gone'))
    await expect(aborted).rejects.toThrow('gone')
    scheduler.clear()
    await expect(cleared).rejects.toMatchObject({ code: 'queue_cleared' })
    expect([scheduler.size, clock.timers]).toEqual([0, 0])
    await scheduler.onIdle()
  })

  it('is not asked for what was aborted or timed out, and its own errors are the request’s', async () => {
    let asked = 0
    const retry = (): number => ++asked
    const scheduler = makeScheduler({ retry })
    const abort = new AbortController()
    const work = deferred()
    const gone = scheduler.add(() => work.promise, { signal: abort.signal })
    abort.abort(new Error('gone'))
    await expect(gone).rejects.toThrow('gone')
    work.reject(new Error('stopped'))
    await scheduler.onIdle()
    expect(asked).toBe(0)
    const fails = () => Promise.reject(new Error('no'))
    const broken = () => {
      throw new Error('broken')
    }
    await expect(scheduler.add(fails, { retry: broken })).rejects.toThrow('broken')
    await expect(scheduler.add(fails, { retry: () => -1 })).rejects.toThrow(/retry must return ms ≥ 0/)
    expect(scheduler.stats()).toMatchObject({ failed: 3, running: 0 })
  })
})

describe('priorities', () => {
  it('are lanes: the higher one first whatever the lengths, which decide within one', async () => {
    const scheduler = makeScheduler()
    scheduler.pause()
    const started: string[] = []
    const add = (name: string, priority: number | undefined, tokens: number) =>
      scheduler.add(() => started.push(name), { priority, tokens })
    add('low', -1, 1)
    add('plain', undefined, 500)
    add('zero', 0, 100)
    add('high and long', 5, 900)
    add('high', 5, 90)
    scheduler.start()
    await scheduler.onIdle()
    expect(started).toEqual(['high', 'high and long', 'zero', 'plain', 'low'])
    for (const priority of [11, -11, 0.5, Number.NaN])
      await expect(scheduler.add(() => 1, { priority })).rejects.toThrow(/priority must be a whole number/)
  })
})

describe('addAll', () => {
  it('gives the results in the order of the work, and the first error', async () => {
    const scheduler = makeScheduler({ concurrency: 2 })
    expect(await scheduler.addAll([() => 1, async () => 2, () => 3], { priority: 1 })).toEqual([1, 2, 3])
    await expect(scheduler.addAll([() => 1, () => Promise.reject(new Error('no'))])).rejects.toThrow('no')
    expect(await scheduler.addAll([])).toEqual([])
  })
})

describe('events', () => {
  it('come by p-queue’s names, when they happen', async () => {
    const scheduler = makeScheduler()
    const told: unknown[] = []
    for (const name of ['add', 'active', 'next', 'empty', 'idle'] as const) scheduler.on(name, () => told.push(name))
    scheduler.on('completed', (result) => told.push(result))
    scheduler.on('error', (error) => told.push((error as Error).message))
    const works = [deferred(), deferred()]
    const first = scheduler.add(() => works[0]!.promise)
    const second = scheduler.add(() => works[1]!.promise)
    expect(told).toEqual(['add', 'active', 'empty', 'add'])
    works[0]!.resolve('done')
    await first
    expect(told.slice(4)).toEqual(['done', 'next', 'active', 'empty'])
    works[1]!.reject(new Error('broken'))
    await expect(second).rejects.toThrow('broken')
    expect(told.slice(8)).toEqual(['broken', 'next', 'idle'])
  })

  it('are not told to who has left, and a listener that throws disturbs nobody', async () => {
    const scheduler = makeScheduler()
    const told: string[] = []
    const listener = (): void => {
      told.push('left')
    }
    scheduler.on('next', listener).off('next', listener)
    const unhandled = new Promise((resolve) => process.once('unhandledRejection', resolve))
    scheduler.on('next', () => {
      throw new Error('listener')
    })
    scheduler.on('next', () => told.push('next'))
    expect(await scheduler.add(() => 'fine')).toBe('fine')
    expect(told).toEqual(['next'])
    expect(await unhandled).toMatchObject({ message: 'listener' })
  })
})

describe('options that are none', () => {
  it('are refused by name, those of the scheduler and those of a request', async () => {
    expect(() => makeScheduler({ maxBypass: 3 } as Options)).toThrow(/options.maxBypass is no option; there are core/)
    const scheduler = makeScheduler()
    await expect(scheduler.add(() => 1, { token: 5 } as object)).rejects.toThrow(/options.token is no option/)
    expect(scheduler.stats().added).toBe(0)
    const batch = { maxBatchSize: 1, batchWaitTimeoutMs: 0, runBatch: () => [], batchSize: 1 }
    expect(() => new BatchScheduler({ core, concurrency: 1, ...batch } as never)).toThrow(
      /options.batchSize is no option/,
    )
  })
})
