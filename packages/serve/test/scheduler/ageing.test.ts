import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AddOptions, Scheduler } from '../../src/index.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

/** Where the first of the requests is served among all of them; all wait before one starts. */
async function placeOfFirst(requests: readonly AddOptions[], options: { order?: 'class' | 'exact' } = {}) {
  using scheduler = new Scheduler({ core, concurrency: 1, ...options })
  scheduler.pause()
  const started: number[] = []
  const added = requests.map((request, i) => scheduler.add(() => started.push(i), request))
  scheduler.start()
  await Promise.all(added)
  return started.indexOf(0)
}

const repeat = (tokens: number, count: number): AddOptions[] => Array.from({ length: count }, () => ({ tokens }))

describe('ageing from the first request on', () => {
  it('lets short ones pass a long one that came before them, though nothing was known of the queue then', async () => {
    for (const order of ['class', 'exact'] as const) {
      expect(await placeOfFirst([{ tokens: 1000 }, ...repeat(10, 1000)], { order })).toBe(1000)
      expect(await placeOfFirst([{ tokens: 1000 }, ...repeat(10, 1)], { order })).toBe(1)
    }
  })

  it('lets no more pass than three of the largest backlogs, while as much comes as is served', async () => {
    using scheduler = new Scheduler({ core, concurrency: 1 })
    scheduler.pause()
    let passed = 0
    const long = scheduler.add(() => 'long', { tokens: 4000 })
    const serveShort = (): void => {
      passed++
      if (passed < 1000) scheduler.add(serveShort, { tokens: 100 })
    }
    for (let i = 0; i < 100; i++) scheduler.add(serveShort, { tokens: 100 })
    let whenServed = 0
    scheduler.on('completed', (result) => {
      if (result === 'long') whenServed = passed
    })
    scheduler.start()
    await long
    // 14,000 tokens waited at most: 42,000 that come later may pass; a class of lengths is up to 19 % wide.
    expect(whenServed).toBeGreaterThan(100)
    expect(whenServed * 100).toBeLessThanOrEqual(42_000 * 1.2)
  })
})
