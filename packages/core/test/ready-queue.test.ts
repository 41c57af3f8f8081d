import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, type QueueOrder, ReadyQueue, type ReadyQueueOptions } from '../src/index.js'
import { SlowQueue } from './ready-queue-twin.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const ORDERS: QueueOrder[] = ['fifo', 'class', 'exact']

type Action =
  | { readonly kind: 'push'; readonly tokens: number; readonly arrival: number; readonly tenant: number }
  | { readonly kind: 'pop' }
  | { readonly kind: 'cancel'; readonly ticket: number }
  | { readonly kind: 'finish'; readonly tenant: number; readonly tokens: number }

const tokens = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
  fc.constantFrom(0, -0, 1, 2, 32_768, 1e9),
)
const tenant = fc.integer({ min: 0, max: 3 })
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      tokens,
      arrival: fc.integer({ min: -50, max: 50 }),
      tenant,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pop' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), ticket: fc.integer({ min: -2, max: 90 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('finish' as const), tenant, tokens: fc.integer({ min: 0, max: 500 }) }),
  },
)
const options: fc.Arbitrary<ReadyQueueOptions> = fc.record({
  capacity: fc.constantFrom(1, 3, 40, 80),
  order: fc.constantFrom(...ORDERS),
  slope: fc.constantFrom(0, 0.5, 7),
  fairness: fc.constantFrom(0, 0.25),
  tenants: fc.constant(4),
  classesPerOctave: fc.constantFrom(1, 4, 16),
  lowest: fc.constantFrom(0.3, 1, 9),
  highest: fc.constantFrom(9, 500, 32_768),
})

function follow(configuration: ReadyQueueOptions, actions: readonly Action[]): void {
  using queue = new ReadyQueue(core, configuration)
  const slow = new SlowQueue(configuration)
  for (const step of actions) {
    switch (step.kind) {
      case 'push': {
        const ticket = queue.push(step.tokens, step.arrival, step.tenant)
        expect(ticket >= 0).toBe(slow.waiting.length < configuration.capacity)
        if (ticket < 0) break
        expect(ticket).toBeLessThan(configuration.capacity)
        expect(slow.waiting.some((entry) => entry.ticket === ticket)).toBe(false)
        slow.push(ticket, step.tokens, step.arrival, step.tenant)
        break
      }
      case 'pop':
        expect(queue.peek()).toBe(slow.peek())
        expect(queue.pop()).toBe(slow.pop())
        break
      case 'cancel':
        expect(queue.has(step.ticket)).toBe(slow.waiting.some((entry) => entry.ticket === step.ticket))
        expect(queue.cancel(step.ticket)).toBe(slow.cancel(step.ticket))
        break
      case 'finish':
        queue.finish(step.tenant, step.tokens)
        slow.finish(step.tenant, step.tokens)
        break
    }
    expect(queue.size).toBe(slow.waiting.length)
    expect(queue.outstanding(1)).toBeCloseTo(slow.outstanding.get(1) ?? 0, 6)
  }
  while (slow.waiting.length > 0) expect(queue.pop()).toBe(slow.pop())
  expect([queue.pop(), queue.peek(), queue.size]).toEqual([-1, -1, 0])
}

describe('a ready queue', () => {
  it('does what a list that is searched from end to end does, whatever is pushed, popped, cancelled and finished', () => {
    fc.assert(
      fc.property(options, fc.array(action, { maxLength: 250 }), (configuration, actions) =>
        follow(configuration, actions),
      ),
      { numRuns: 300 },
    )
  })
})
