import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import PQueue from 'p-queue'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ShortestFirstAddOptions, type ShortestFirstQueue, shortestFirst } from '../../src/index.js'
import { FakeClock } from '../fake-clock.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

describe('as the queue of a p-queue', () => {
  const start = (options: { capacity?: number; slope?: number; clock?: FakeClock } = {}) => {
    const queueClass = shortestFirst({ core, ...options })
    const queue = new PQueue<ShortestFirstQueue, ShortestFirstAddOptions>({
      concurrency: 1,
      autoStart: false,
      queueClass,
    })
    const started: string[] = []
    const add = (name: string, options: ShortestFirstAddOptions): Promise<unknown> =>
      queue.add(async () => started.push(name), options)
    return { queue, started, add }
  }

  it('starts the shortest first; what says nothing counts as 256 tokens', async () => {
    const { queue, started, add } = start()
    add('long', { tokens: 900 })
    add('unknown', {})
    add('short', { tokens: 9 })
    add('middle', { tokens: 90 })
    expect(queue.size).toBe(4)
    queue.start()
    await queue.onIdle()
    expect(started).toEqual(['short', 'middle', 'unknown', 'long'])
  })

  it('lets lengths decide within a priority, not across', async () => {
    const { queue, started, add } = start()
    add('low, short', { tokens: 1, priority: -1 })
    add('long', { tokens: 500 })
    add('short', { tokens: 5, priority: 0 })
    add('high, long', { tokens: 900, priority: 1, id: 'high' })
    add('high, short', { tokens: 9, priority: 1 })
    expect([queue.sizeBy({ priority: 1 }), queue.sizeBy({ tokens: 500 })]).toEqual([2, 1])
    queue.start()
    await queue.onIdle()
    expect(started).toEqual(['high, short', 'high, long', 'short', 'long', 'low, short'])
  })

  it('takes as many priorities as there are functions', async () => {
    const { queue, started, add } = start()
    for (let i = 0; i < 1000; i++) add(String(i), { priority: (i * 7919) % 1000 })
    queue.start()
    await queue.onIdle()
    expect(started.map((name) => (Number(name) * 7919) % 1000)).toEqual(Array.from({ length: 1000 }, (_, i) => 999 - i))
  })

  it.each([
    [{ slop: 1 }, /options.slop is no option; there are core, capacity/],
    [{ capacity: 0 }, /capacity must be a count/],
    [{ unknownTokens: -1 }, /unknownTokens must be/],
    [{ slope: Number.NaN }, /slope must be/],
  ])('refuses %o', (options, message) => {
    expect(() => new (shortestFirst({ core, ...options }))()).toThrow(message)
  })

  it('takes an aborted function out at once', async () => {
    const { queue, started, add } = start()
    const abort = new AbortController()
    const gone = add('gone', { tokens: 1, signal: abort.signal })
    add('stays', { tokens: 2 })
    abort.abort(new Error('gone'))
    await expect(gone).rejects.toThrow('gone')
    expect(queue.size).toBe(1)
    queue.start()
    await queue.onIdle()
    expect(started).toEqual(['stays'])
  })

  it('ages: a long one is not passed for ever', async () => {
    const clock = new FakeClock()
    const { queue, started, add } = start({ clock, slope: 10 })
    add('long', { tokens: 100 })
    await clock.advance(5_000)
    add('soon', { tokens: 1 })
    await clock.advance(10_000)
    add('late', { tokens: 1 })
    queue.start()
    await queue.onIdle()
    expect(started).toEqual(['soon', 'long', 'late'])
  })

  it('refuses what finds no room with a typed error, and can be cleared', async () => {
    const { queue, add } = start({ capacity: 1 })
    add('a', {})
    await expect(add('b', {})).rejects.toMatchObject({ name: 'ServingError', code: 'queue_full' })
    queue.clear()
    expect(queue.size).toBe(0)
    add('c', {})
    expect(queue.size).toBe(1)
  })

  it('keeps a function whose new priority makes no sense', () => {
    const queue = new (shortestFirst({ core }))()
    queue.enqueue(async () => 'kept', { id: 'a', tokens: 5 })
    expect(() => queue.setPriority('a', Number.NaN)).toThrow(/priority must be a finite number, got NaN/)
    expect([queue.size, queue.filter({ tokens: 5 }).length]).toEqual([1, 1])
  })

  it('drains ten thousand in order', async () => {
    const { queue, started } = start({ clock: new FakeClock() })
    const tokens = Array.from({ length: 10_000 }, (_, i) => (i * 7919) % 1000)
    for (const each of tokens) queue.add(async () => started.push(String(each)), { tokens: each, priority: 0 })
    queue.start()
    await queue.onIdle()
    const lengths = started.map(Number)
    expect(lengths.length).toBe(10_000)
    const octaves = lengths.map((length) => Math.floor(Math.log2(Math.max(1, length))))
    expect(octaves).toEqual([...octaves].sort((a, b) => a - b))
  })
})
