import { getEventListeners } from 'node:events'
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Scheduler } from '../../src/index.js'
import { deferred } from '../deferred.js'
import { FakeClock } from '../fake-clock.js'

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

describe('giving up', () => {
  it('takes an aborted request out at once, and rejects with the signal’s reason', async () => {
    const scheduler = makeScheduler()
    const running = deferred()
    scheduler.add(() => running.promise)
    const abort = new AbortController()
    let started = false
    const waiting = scheduler.add(
      () => {
        started = true
      },
      { signal: abort.signal },
    )
    const reason = new Error('client gone')
    abort.abort(reason)
    expect(scheduler.size).toBe(0)
    await expect(waiting).rejects.toBe(reason)
    running.resolve('')
    await scheduler.onIdle()
    expect(started).toBe(false)
    expect(scheduler.stats()).toMatchObject({ aborted: 1, finished: 1 })
    await expect(scheduler.add(() => 'never', { signal: abort.signal })).rejects.toBe(reason)
  })

  it('tells running work by its signal; the slot is free when the work has ended, not before', async () => {
    const scheduler = makeScheduler()
    const abort = new AbortController()
    const work = deferred()
    let signal: AbortSignal | undefined
    const first = scheduler.add(
      (run) => {
        signal = run.signal
        return work.promise
      },
      { signal: abort.signal },
    )
    const second = scheduler.add(() => 'second')
    abort.abort(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    expect([signal?.aborted, scheduler.pending, scheduler.size]).toEqual([true, 1, 1])
    work.reject(new Error('stopped'))
    expect(await second).toBe('second')
  })

  it('leaves no listener behind on a signal that many requests share', async () => {
    const { signal } = new AbortController()
    const scheduler = makeScheduler({ capacity: 2 })
    const running = deferred()
    const added = [
      scheduler.add(() => running.promise, { signal }),
      scheduler.add(() => 'waits', { signal }),
      scheduler.add(() => 'expires', { signal, deadlineMs: 5 }),
      scheduler.add(() => 'refused', { signal }),
    ]
    const settledAll = Promise.allSettled(added)
    expect(getEventListeners(signal, 'abort').length).toBe(3)
    await clock.advance(5)
    running.resolve('')
    expect((await settledAll).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect(getEventListeners(signal, 'abort').length).toBe(0)
  })

  it('gives work without a signal one that never speaks', async () => {
    expect(await makeScheduler().add(({ signal }) => signal.aborted)).toBe(false)
  })

  it('gives each its own, so that listeners of one request do not outlive it', async () => {
    const scheduler = makeScheduler()
    const listening = (): Promise<AbortSignal> =>
      scheduler.add(({ signal }) => {
        signal.addEventListener('abort', () => {})
        return signal
      })
    await listening()
    expect(getEventListeners(await listening(), 'abort')).toHaveLength(1)
  })

  it('gives up what has not started by its deadline; what runs may go on', async () => {
    const scheduler = makeScheduler()
    const running = deferred()
    const first = scheduler.add(() => running.promise, { deadlineMs: 50 })
    const late = scheduler.add(() => 'never', { deadlineMs: 100 })
    const patient = scheduler.add(() => 'patient', { deadlineMs: 1000 })
    const caught = expect(late).rejects.toMatchObject({ code: 'deadline_passed' })
    await clock.advance(100)
    await caught
    expect(scheduler.size).toBe(1)
    running.resolve('first')
    expect(await first).toBe('first')
    expect(await patient).toBe('patient')
    expect(clock.timers).toBe(0)
    expect(scheduler.stats()).toMatchObject({ expired: 1, finished: 2 })
  })

  it('refuses what finds no room, with a typed error, and has room again when one has left', async () => {
    const scheduler = makeScheduler({ capacity: 2 })
    const running = deferred()
    scheduler.add(() => running.promise)
    const abort = new AbortController()
    const waiting = [scheduler.add(() => 1), scheduler.add(() => 2, { signal: abort.signal })]
    await expect(scheduler.add(() => 3)).rejects.toMatchObject({ name: 'ServingError', code: 'queue_full' })
    abort.abort()
    await expect(waiting[1]).rejects.toThrow()
    const next = scheduler.add(() => 4)
    running.resolve('')
    expect(await Promise.all([waiting[0], next])).toEqual([1, 4])
    expect(scheduler.stats()).toMatchObject({ refused: 1, aborted: 1, finished: 3 })
  })

  it('rejects options that make no sense, each with its name, and takes nothing in', async () => {
    const scheduler = makeScheduler()
    await expect(scheduler.add(() => 1, { tokens: -1, deadlineMs: Number.NaN })).rejects.toThrow(/tokens.*deadlineMs/)
    expect(scheduler.stats().added).toBe(0)
    for (const options of [{ capacity: 0 }, { fairness: -1 }, { maxBypassSeconds: 0 }, { concurrency: 0 }]) {
      expect(() => makeScheduler(options), JSON.stringify(options)).toThrow(/must/)
    }
    expect(() => makeScheduler({ bypass: 1, maxBypassSeconds: 1 })).toThrow(/give one of them/)
  })

  it('gives its memory back when disposed, after what runs has ended', async () => {
    const own = await createServeCore()
    const before = own.usedBytes
    const scheduler = makeScheduler({ core: own })
    const running = deferred()
    const first = scheduler.add(() => running.promise)
    const waiting = scheduler.add(() => 'never')
    const idle = scheduler.onIdle()
    scheduler.dispose()
    await expect(waiting).rejects.toMatchObject({ code: 'queue_cleared' })
    running.resolve('done')
    expect(await first).toBe('done')
    await idle
    expect(own.usedBytes).toBe(before)
    scheduler.dispose()
    await expect(scheduler.add(() => 1)).rejects.toMatchObject({ code: 'scheduler_disposed' })
    expect(scheduler.start().size).toBe(0)
  })
})
