import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AddOptions, type LengthEstimator, type LengthPrediction, Scheduler } from '../../src/index.js'
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

/** A scheduler whose only slot is taken, and who starts in which order once it is free. */
async function orderOf(scheduler: Scheduler, requests: readonly (AddOptions & { name: string; afterMs?: number })[]) {
  const blocker = deferred()
  const first = scheduler.add(() => blocker.promise)
  const started: string[] = []
  const added: Promise<unknown>[] = []
  for (const { name, afterMs = 0, ...options } of requests) {
    await clock.advance(afterMs)
    added.push(scheduler.add(() => started.push(name), options))
  }
  await settled()
  blocker.resolve('')
  await Promise.all([first, ...added])
  return started.join(' ')
}

const prediction = (tokens: number, predictedClass = 0): LengthPrediction => ({
  tokens,
  score: predictedClass,
  class: predictedClass,
  source: 'model',
})

/** Predicts what the prompt says, as a number. */
const readsPrompt = (): LengthEstimator & { readonly seen: [string, number][] } => {
  const seen: [string, number][] = []
  return {
    seen,
    predict: ({ prompt }) => prediction(Number(prompt)),
    observe: ({ prompt }, tokens) => seen.push([prompt, tokens]),
  }
}

describe('p-queue’s habits', () => {
  it('returns what the work returns, sync or async, and its error', async () => {
    const scheduler = makeScheduler({ concurrency: 2 })
    expect(await scheduler.add(() => 7)).toBe(7)
    expect(await scheduler.add(async () => 'later')).toBe('later')
    await expect(scheduler.add(() => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    const work = (): number => {
      throw new TypeError('at once')
    }
    await expect(scheduler.add(work)).rejects.toThrow('at once')
    expect(scheduler.stats()).toMatchObject({ added: 4, finished: 2, failed: 2, running: 0, waiting: 0 })
  })

  it('starts at once where a slot is free, and counts those that wait and those that run', async () => {
    const scheduler = makeScheduler({ concurrency: 2 })
    const works = [deferred(), deferred(), deferred()]
    const added = works.map(({ promise }) => scheduler.add(() => promise))
    expect([scheduler.pending, scheduler.size]).toEqual([2, 1])
    works[1]!.resolve('b')
    expect(await added[1]).toBe('b')
    expect([scheduler.pending, scheduler.size]).toEqual([2, 0])
    works[0]!.resolve('a')
    works[2]!.resolve('c')
    await scheduler.onIdle()
    expect([scheduler.pending, scheduler.size]).toEqual([0, 0])
  })

  it('pauses and starts, and its concurrency may change', async () => {
    const scheduler = makeScheduler()
    scheduler.pause()
    const works = [deferred(), deferred(), deferred()]
    const added = works.map(({ promise }) => scheduler.add(() => promise))
    expect([scheduler.isPaused, scheduler.pending, scheduler.size]).toEqual([true, 0, 3])
    scheduler.start()
    expect([scheduler.isPaused, scheduler.pending, scheduler.size]).toEqual([false, 1, 2])
    scheduler.concurrency = 3
    expect(scheduler.pending).toBe(3)
    scheduler.concurrency = 1
    for (const work of works) work.resolve('')
    await Promise.all(added)
    for (const bad of [0, -1, 1.5, Number.NaN]) {
      expect(() => {
        scheduler.concurrency = bad
      }).toThrow(/whole number ≥ 1/)
    }
  })

  it('tells when it is empty, idle, and smaller than a limit', async () => {
    const scheduler = makeScheduler()
    const events: string[] = []
    const works = [deferred(), deferred(), deferred()]
    works.map(({ promise }) => scheduler.add(() => promise))
    scheduler.onSizeLessThan(2).then(() => events.push('smaller'))
    scheduler.onEmpty().then(() => events.push('empty'))
    scheduler.onIdle().then(() => events.push('idle'))
    for (const work of works) {
      await settled()
      events.push('end')
      work.resolve('')
    }
    await settled()
    expect(events).toEqual(['end', 'smaller', 'end', 'empty', 'end', 'idle'])
    await scheduler.onIdle() // at once where it is so already
  })

  it('runs ten thousand functions that end at once without a deep stack', async () => {
    const scheduler = makeScheduler()
    scheduler.pause()
    let done = 0
    const added = Array.from({ length: 10_000 }, () => scheduler.add(() => ++done))
    scheduler.start()
    await Promise.all(added)
    expect(done).toBe(10_000)
  })

  it('lets work add work', async () => {
    const scheduler = makeScheduler()
    const inner = await scheduler.add(() => ({ later: scheduler.add(() => 'inner') }))
    expect(await inner.later).toBe('inner')
  })

  it('clears with an error for each that waited, where p-queue leaves their promises open', async () => {
    const scheduler = makeScheduler()
    const running = deferred()
    const first = scheduler.add(() => running.promise)
    const waiting = scheduler.add(() => 'never')
    scheduler.clear()
    await expect(waiting).rejects.toMatchObject({ name: 'ServingError', code: 'queue_cleared' })
    running.resolve('still runs')
    expect(await first).toBe('still runs')
    expect(scheduler.stats()).toMatchObject({ cleared: 1, finished: 1 })
  })
})

describe('order', () => {
  it('is by length as predicted, shortest first', async () => {
    const scheduler = makeScheduler({ estimator: readsPrompt(), maxBypassSeconds: Number.POSITIVE_INFINITY })
    const requests = ['900', '30', '200', '4'].map((prompt) => ({ name: prompt, model: 'm', prompt }))
    expect(await orderOf(scheduler, requests)).toBe('4 30 200 900')
  })

  it('takes the caller’s own estimate over the estimator’s', async () => {
    const scheduler = makeScheduler({ estimator: readsPrompt(), maxBypassSeconds: 1e6 })
    const requests = [
      { name: 'long', model: 'm', prompt: '10', tokens: 900 },
      { name: 'short', model: 'm', prompt: '50' },
    ]
    expect(await orderOf(scheduler, requests)).toBe('short long')
  })

  it('is that of arrival among requests of unknown length, and among models that are not autoregressive', async () => {
    expect(await orderOf(makeScheduler(), [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toBe('a b c')
    for (const order of ['class', 'exact'] as const) {
      const scheduler = makeScheduler({
        order,
        estimator: readsPrompt(),
        isAutoregressive: (model) => model !== 'resnet',
      })
      const requests = ['9', '5', '7', '1', '3'].map((prompt) => ({ name: prompt, model: 'resnet', prompt }))
      expect(await orderOf(scheduler, requests), order).toBe('9 5 7 1 3')
    }
  })

  it('survives estimates that are out of all bounds', async () => {
    const scheduler = makeScheduler()
    const endless = { tokens: Number.MAX_VALUE }
    const requests = [
      { name: 'x', ...endless },
      { name: 'y', ...endless },
    ]
    expect(await orderOf(scheduler, requests)).toBe('x y')
    await expect(scheduler.add(() => 'served', endless)).resolves.toBe('served')
  })

  it('counts maxTokens where nothing else is known', async () => {
    const scheduler = makeScheduler({ maxBypassSeconds: 1e6 })
    expect(await orderOf(scheduler, [{ name: 'any' }, { name: 'cut', maxTokens: 16 }])).toBe('cut any')
  })

  it('counts the prompt as work: a twentieth of as much answer unless told', async () => {
    const requests = [
      { name: 'long prompt', tokens: 100, promptTokens: 12_000 },
      { name: 'long answer', tokens: 400, promptTokens: 100 },
      { name: 'short', tokens: 100 },
    ]
    const ordered = (options: Options) => orderOf(makeScheduler({ maxBypassSeconds: 1e6, ...options }), requests)
    expect(await ordered({})).toBe('short long answer long prompt')
    expect(await ordered({ promptWeight: 0 })).toBe('long prompt short long answer')
    expect(() => makeScheduler({ promptWeight: -1 })).toThrow(/promptWeight must be/)
  })

  it('first come, first served where told so', async () => {
    const scheduler = makeScheduler({ order: 'fifo' })
    const requests = [400, 3, 50].map((tokens) => ({ name: `${tokens}`, tokens }))
    expect(await orderOf(scheduler, requests)).toBe('400 3 50')
  })

  it('lets nobody be passed by one that came more than maxBypassSeconds later', async () => {
    const scheduler = makeScheduler({ maxBypassSeconds: 10 })
    const requests = [
      { name: 'longest', tokens: 1e6 },
      { name: 'soon', tokens: 1, afterMs: 9_000 },
      { name: 'late', tokens: 1, afterMs: 1_001 },
    ]
    expect(await orderOf(scheduler, requests)).toBe('soon longest late')
  })

  it('keeps one tenant’s flood from another one’s single request', async () => {
    const flood = Array.from({ length: 50 }, (_, i) => ({ name: `a${i}`, tokens: 100, tenant: 'a', afterMs: 1 }))
    const requests = [...flood, { name: 'b', tokens: 100, tenant: 'b' }]
    for (const options of [{}, { maxBypassSeconds: 4096 }]) {
      const unfair = (await orderOf(makeScheduler(options), requests)).split(' ')
      const fair = (await orderOf(makeScheduler({ ...options, fairness: 1 }), requests)).split(' ')
      expect(unfair.indexOf('b')).toBe(50)
      expect(fair.indexOf('b')).toBeLessThan(25)
    }
  })
})

describe('tenants', () => {
  it('may be more than there are numbers for, and come and go', async () => {
    const scheduler = makeScheduler({ fairness: 0.5, concurrency: 3 })
    for (const round of [1, 2]) {
      scheduler.pause()
      const added = Array.from({ length: 1500 }, (_, i) => scheduler.add(() => i, { tenant: `tenant ${round} ${i}` }))
      scheduler.start()
      expect((await Promise.all(added)).length).toBe(1500)
    }
  })
})

describe('learning', () => {
  it('teaches the estimator what a finished request took, the last report of each', async () => {
    const estimator = readsPrompt()
    const scheduler = makeScheduler({ estimator })
    await scheduler.add(
      ({ reportTokens }) => {
        reportTokens(10)
        reportTokens(42)
      },
      { model: 'm', prompt: '5' },
    )
    expect(estimator.seen).toEqual([['5', 42]])
  })

  it('learns nothing from work that failed, was cut off or said nothing', async () => {
    const estimator = readsPrompt()
    const scheduler = makeScheduler({ estimator })
    const abort = new AbortController()
    const options = { model: 'm', prompt: '5' }
    const fails = scheduler.add((run) => {
      run.reportTokens(3)
      throw new Error('upstream')
    }, options)
    const isCutOff = scheduler.add(
      (run) => {
        run.reportTokens(3)
        abort.abort(new Error('gone'))
      },
      { ...options, signal: abort.signal },
    )
    await expect(fails).rejects.toThrow('upstream')
    await expect(isCutOff).rejects.toThrow('gone')
    await scheduler.add(() => 'silent', options)
    expect(estimator.seen).toEqual([])
    await expect(scheduler.add((run) => run.reportTokens(Number.NaN))).rejects.toThrow(/must be a number/)
  })

  it('serves on when the estimator fails, and counts it', async () => {
    const estimator: LengthEstimator = {
      predict({ prompt }) {
        if (prompt === 'throws') throw new Error('broken')
        return prompt === 'rejects' ? Promise.reject(new Error('broken')) : prediction(Number.NaN)
      },
      observe() {
        throw new Error('broken')
      },
    }
    const scheduler = makeScheduler({ estimator })
    for (const prompt of ['throws', 'rejects', 'nonsense']) {
      const answer = scheduler.add(
        (run) => {
          run.reportTokens(1)
          return prompt
        },
        { model: 'm', prompt },
      )
      expect(await answer).toBe(prompt)
    }
    expect(scheduler.stats().estimatorErrors).toBe(6)
  })

  it('serves on when an estimator that learns elsewhere cannot reach it', async () => {
    const observe = async (): Promise<void> => {
      throw new Error('unreachable')
    }
    const scheduler = makeScheduler({ estimator: { predict: () => prediction(1), observe } })
    await scheduler.add((run) => run.reportTokens(1), { model: 'm', prompt: 'x' })
    await settled()
    expect(scheduler.stats().estimatorErrors).toBe(1)
  })
})

describe('estimates that come later', () => {
  const asking = () => {
    const answers = new Map<string, ReturnType<typeof deferred<LengthPrediction>>>()
    const estimator: LengthEstimator = {
      predict({ prompt }) {
        answers.set(prompt, deferred<LengthPrediction>())
        return answers.get(prompt)!.promise
      },
      observe() {},
    }
    return {
      answers,
      estimator,
      answer: (prompt: string, tokens: number) => answers.get(prompt)!.resolve(prediction(tokens)),
    }
  }
  const addAll = (scheduler: Scheduler, prompts: string[], started: string[]) =>
    prompts.map((prompt) => scheduler.add(() => started.push(prompt), { model: 'm', prompt }))

  it('order the queue once they are there', async () => {
    const { estimator, answer } = asking()
    const scheduler = makeScheduler({ estimator, maxBypassSeconds: 1e6 })
    const running = deferred()
    scheduler.add(() => running.promise)
    const started: string[] = []
    const added = addAll(scheduler, ['a', 'b', 'c'], started)
    answer('a', 900)
    answer('b', 90)
    answer('c', 9)
    await settled()
    running.resolve('')
    await Promise.all(added)
    expect(started).toEqual(['c', 'b', 'a'])
  })

  it('keep equals in order of arrival, whichever answer is faster', async () => {
    const { estimator, answer } = asking()
    const scheduler = makeScheduler({ estimator, maxBypassSeconds: 1e6 })
    const running = deferred()
    scheduler.add(() => running.promise)
    const started: string[] = []
    const added = addAll(scheduler, ['a', 'b', 'c', 'd'], started)
    for (const prompt of ['c', 'b', 'd', 'a']) {
      answer(prompt, 50)
      await settled()
    }
    running.resolve('')
    await Promise.all(added)
    expect(started).toEqual(['a', 'b', 'c', 'd'])
  })

  it('are not waited for: a free slot takes who is there, and one without an answer holds nobody up', async () => {
    const { estimator, answer } = asking()
    const scheduler = makeScheduler({ estimator, maxBypassSeconds: 1e6 })
    const started: string[] = []
    const running = deferred()
    const first = scheduler.add(() => running.promise, { model: 'm', prompt: 'first' })
    const added = addAll(scheduler, ['never', 'long', 'short'], started)
    expect(scheduler.pending).toBe(1)
    answer('long', 900)
    answer('short', 9)
    await settled()
    scheduler.concurrency = 2 // `never` starts without an estimate, and the other two are put in order
    running.resolve('')
    await Promise.all([first, ...added])
    expect(started).toEqual(['never', 'short', 'long'])
    answer('never', 5)
    answer('first', 5)
    await settled()
    expect(scheduler.stats()).toMatchObject({ finished: 4, running: 0, waiting: 0, estimatorErrors: 0 })
  })
})

describe('stats', () => {
  it('give waits by predicted class, and how often the oldest was passed', async () => {
    const estimator: LengthEstimator = {
      predict: ({ prompt }) => prediction(prompt === 'long' ? 900 : 9, prompt === 'long' ? 3 : 0),
      observe() {},
    }
    const scheduler = makeScheduler({ estimator, maxBypassSeconds: 1e6 })
    const gates = [deferred(), deferred(), deferred(), deferred()]
    let next = 0
    const work = () => gates[next++]!.promise
    const added = [scheduler.add(work)]
    for (const prompt of ['long', 'short', 'short']) added.push(scheduler.add(work, { model: 'm', prompt }))
    await clock.advance(100)
    expect(scheduler.stats().oldestWaitMs).toBe(100)
    for (const gate of gates) {
      gate.resolve('')
      await clock.advance(100)
    }
    await Promise.all(added)
    const { all, classes } = scheduler.stats()
    expect(all).toEqual({
      started: 4,
      waitP50Ms: 150,
      waitP99Ms: expect.closeTo(297),
      waitMaxMs: 300,
      waitSumMs: 600,
      bypasses: 2,
    })
    expect(classes[0]).toMatchObject({ started: 2, waitP50Ms: 150, waitMaxMs: 200, bypasses: 0 })
    expect(classes[3]).toMatchObject({ started: 1, waitP50Ms: 300, bypasses: 2 })
    expect(classes[4]).toEqual({
      started: 0,
      waitP50Ms: Number.NaN,
      waitP99Ms: Number.NaN,
      waitMaxMs: Number.NaN,
      waitSumMs: 0,
      bypasses: 0,
    })
  })
})
