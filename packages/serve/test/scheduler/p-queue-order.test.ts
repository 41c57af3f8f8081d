// What p-queue's readme shows, run with p-queue's own queue and with ours: the order must be the same.
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import fc from 'fast-check'
import PQueue from 'p-queue'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ShortestFirstAddOptions, type ShortestFirstQueue, shortestFirst } from '../../src/index.js'
import { settled } from '../fake-clock.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

type Example = (queue: PQueue<ShortestFirstQueue, ShortestFirstAddOptions>, told: unknown[]) => unknown

/** What an example tells with each of the two queues. */
async function tellBoth(example: Example, options: { autoStart?: boolean; order?: 'class' | 'exact' } = {}) {
  const { autoStart = true, order = 'class' } = options
  const run = async (queue: PQueue): Promise<unknown[]> => {
    const told: unknown[] = []
    await example(queue as unknown as PQueue<ShortestFirstQueue, ShortestFirstAddOptions>, told)
    queue.start()
    await queue.onIdle()
    await settled()
    return told
  }
  const common = { concurrency: 1, autoStart }
  const theirs = await run(new PQueue(common))
  const ours = await run(new PQueue({ ...common, queueClass: shortestFirst({ core, order }) as never }))
  return { theirs, ours }
}

const tells = (told: unknown[], what: unknown) => async (): Promise<void> => {
  told.push(what)
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  'priority: greater ones first': (queue, told) => {
    for (const priority of [1, 5, 10]) queue.add(tells(told, priority), { priority })
  },
  'priority: what says nothing has 0, and negative ones come behind': (queue, told) => {
    queue.add(tells(told, 'below'), { priority: -1 })
    queue.add(tells(told, 'unset'))
    queue.add(tells(told, 'zero'), { priority: 0 })
    queue.add(tells(told, 'unset too'))
    queue.add(tells(told, 'above'), { priority: 0.5 })
  },
  'sizeBy: how many have a priority': (queue, told) => {
    for (const priority of [1, 0, 1]) queue.add(async () => '🦄', { priority })
    queue.add(async () => '🦄')
    told.push(queue.sizeBy({ priority: 1 }), queue.sizeBy({ priority: 0 }), queue.sizeBy({}))
  },
  'setPriority: to the front': (queue, told) => {
    queue.add(tells(told, '🦄 1'), { priority: 1 })
    queue.add(tells(told, '🦀'), { priority: 0, id: '🦀' })
    queue.add(tells(told, '🦄 2'), { priority: 1 })
    queue.add(tells(told, '🦄 3'), { priority: 1 })
    queue.setPriority('🦀', 2)
  },
  'setPriority: to the end': (queue, told) => {
    queue.add(tells(told, '🦄 1'), { priority: 1 })
    queue.add(tells(told, '🦀'), { priority: 1, id: '🦀' })
    queue.add(tells(told, '🦄 2'))
    queue.add(tells(told, '🦄 3'), { priority: 0 })
    queue.setPriority('🦀', -1)
  },
  'setPriority: behind those that have it already': (queue, told) => {
    queue.add(tells(told, 'first'))
    queue.add(tells(told, 'a'), { priority: 0, id: 'a' })
    queue.add(tells(told, 'b'), { priority: 3 })
    queue.setPriority('a', 3)
    queue.add(tells(told, 'c'), { priority: 3 })
  },
  'setPriority: of nobody': (queue, told) => {
    try {
      queue.setPriority('none', 1)
    } catch (error) {
      told.push((error as Error).name, (error as Error).message)
    }
  },
  'signal: an aborted function is taken out': async (queue, told) => {
    const abort = new AbortController()
    queue.add(tells(told, 'first'))
    queue.add(tells(told, 'gone'), { signal: abort.signal, priority: 9 }).catch(() => told.push('aborted'))
    queue.add(tells(told, 'last'))
    abort.abort()
    told.push(queue.size)
  },
  'the advanced example': async (queue, told) => {
    const work = async (name: string): Promise<void> => {
      told.push(await queue.add(async () => name))
    }
    const [first, second] = [work('🦄'), work('🐴')]
    const empty = queue.onEmpty().then(() => told.push('empty'))
    told.push(queue.size, queue.pending)
    await Promise.all([first, second, empty])
    told.push(queue.pending)
    const third = work('🐙')
    told.push(queue.pending)
    await queue.onIdle()
    await third
  },
}

describe('p-queue’s own examples', () => {
  for (const [name, example] of Object.entries(EXAMPLES)) {
    it(name, async () => {
      for (const order of ['class', 'exact'] as const) {
        const isAdvanced = name === 'the advanced example'
        for (const autoStart of isAdvanced ? [true] : [true, false]) {
          const { theirs, ours } = await tellBoth(example, { order, autoStart })
          expect(ours).toEqual(theirs)
          expect(theirs.length).toBeGreaterThan(0)
        }
      }
    })
  }

  it('any priorities, changed at any time, give p-queue’s order', async () => {
    const step = fc.oneof(
      fc.record({ add: fc.option(fc.constantFrom(-3, -1, 0, 1, 2.5, 10, 1e9), { nil: undefined }) }),
      fc.record({ move: fc.nat(40), to: fc.constantFrom(-3, 0, 1, 10) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 200 }), async (steps) => {
        const { theirs, ours } = await tellBoth(
          (queue, told) => {
            let added = 0
            for (const one of steps) {
              const id = String(added)
              if ('add' in one)
                queue.add(tells(told, added++), { id, ...(one.add !== undefined && { priority: one.add }) })
              else if (one.move < added) queue.setPriority(String(one.move), one.to)
            }
          },
          { autoStart: false },
        )
        expect(ours).toEqual(theirs)
      }),
      { numRuns: 100 },
    )
  })
})
