import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Random } from '../../src/index.js'
import { type QueueOrder, ReadyQueue, type ReadyQueueOptions } from '../../src/internal.js'
import { createServeCore, type ServeCore } from '../../src/serve.js'
import { SlowQueue } from './ready-queue-twin.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const ORDERS: QueueOrder[] = ['fifo', 'class', 'exact']

type Action =
  | { readonly kind: 'push'; readonly tokens: number; readonly arrival: number; readonly tenant: number }
  | { readonly kind: 'pop' }
  | { readonly kind: 'cancel'; readonly ticket: number }
  | { readonly kind: 'finish'; readonly tenant: number; readonly tokens: number }
  | { readonly kind: 'age'; readonly scale: number; readonly cap: number }

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
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('age' as const),
      scale: fc.constantFrom(0, 0.5, 1, 64),
      cap: fc.constantFrom(0, 10, 500, Number.POSITIVE_INFINITY),
    }),
  },
)
const options: fc.Arbitrary<ReadyQueueOptions> = fc.record({
  capacity: fc.constantFrom(1, 3, 40, 80),
  order: fc.constantFrom(...ORDERS),
  slope: fc.constantFrom(0, 0.5, 7),
  canAge: fc.boolean(),
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
      case 'age':
        if (configuration.canAge) {
          queue.age(step.scale, step.cap)
          slow.age(step.scale, step.cap)
        } else expect(() => queue.age(step.scale, step.cap)).toThrow(/set canAge: true/)
        break
    }
    expect(queue.size).toBe(slow.waiting.length)
    expect(queue.outstanding(1)).toBeCloseTo(slow.outstanding.get(1) ?? 0, 6)
  }
  while (slow.waiting.length > 0) expect(queue.pop()).toBe(slow.pop())
  expect([queue.pop(), queue.peek(), queue.size]).toEqual([-1, -1, 0])
}

describe('a ready queue', () => {
  it('does what a list that is searched from end to end does, whatever is pushed, popped, cancelled, finished and aged', () => {
    fc.assert(
      fc.property(options, fc.array(action, { maxLength: 250 }), (configuration, actions) =>
        follow(configuration, actions),
      ),
      { numRuns: 300 },
    )
  })

  it('serves a class again by its new first request when the first is cancelled and the next came earlier', () => {
    using queue = new ReadyQueue(core, { capacity: 8, order: 'class', slope: 10 })
    const tickets = [queue.push(100, 5), queue.push(400, 50), queue.push(400, -50)]
    queue.cancel(tickets[1]!)
    expect([queue.pop(), queue.pop(), queue.pop()]).toEqual([tickets[2], tickets[0], -1])
  })

  it.each(ORDERS)('%s: keeps its order through thousands of cancellations, and gives the room back', (order) => {
    const capacity = 900
    using queue = new ReadyQueue(core, { capacity, order, slope: 1 })
    const slow = new SlowQueue({ capacity, order, slope: 1 })
    const random = new Random(core, 3)
    for (let i = 0; i < 6000; i++) {
      const tokens = random.integer(2000)
      const ticket = queue.push(tokens, i / 10)
      if (ticket >= 0) slow.push(ticket, tokens, i / 10, 0)
      expect(ticket >= 0).toBe(slow.waiting.length <= capacity && queue.size === slow.waiting.length)
      if (queue.size < capacity) continue
      // Nearly all leave without being served: what is left of them is swept more than once a turn.
      for (const { ticket: old } of [...slow.waiting]) {
        if (random.uniform() < 0.1) continue
        queue.cancel(old)
        slow.cancel(old)
      }
      for (let n = 0; n < 20; n++) expect(queue.pop()).toBe(slow.pop())
    }
    while (slow.waiting.length > 0) expect(queue.pop()).toBe(slow.pop())
  })

  it('is never passed by what came more than the difference in tokens over the slope later', () => {
    const request = fc.record({ tokens: fc.integer({ min: 0, max: 5000 }), gap: fc.integer({ min: 0, max: 40 }) })
    fc.assert(
      fc.property(
        fc.constantFrom<QueueOrder>('class', 'exact'),
        fc.array(request, { minLength: 2, maxLength: 80 }),
        (order, list) => {
          const slope = 20
          using queue = new ReadyQueue(core, { capacity: 80, order, slope })
          const twin = new SlowQueue({ capacity: 80, order })
          const effective = (tokens: number): number =>
            order === 'class' ? twin.middleOf(twin.classOf(tokens)) : tokens
          let time = 0
          const requests = list.map(({ tokens, gap }) => {
            time += gap
            return { tokens, time, ticket: queue.push(tokens, time) }
          })
          const served = requests.map(() => requests.find(({ ticket }) => ticket === queue.peek() && queue.pop() >= 0)!)
          for (const [place, late] of served.entries()) {
            for (const passed of served.slice(place + 1)) {
              const bound = (effective(passed.tokens) - effective(late.tokens)) / slope
              expect(late.time - passed.time).toBeLessThanOrEqual(Math.max(bound, 0))
            }
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('with ageing lets no request wait for ever, however long it is and whatever keeps coming', () => {
    const highest = 1024
    const slope = 4
    using queue = new ReadyQueue(core, { capacity: 100, order: 'class', slope, highest })
    const giant = queue.push(1e12, 0)
    let second = 0
    for (; queue.has(giant); second++) {
      queue.push(1, second)
      queue.push(1, second)
      queue.pop()
      queue.pop()
    }
    expect(second).toBeLessThanOrEqual(highest / slope + 2)
  })

  it('serves a newcomer before the backlog of a tenant that floods it, and the longer the more of it', () => {
    const fairness = 0.25
    using queue = new ReadyQueue(core, { capacity: 2000, order: 'exact', fairness, tenants: 2 })
    for (let i = 0; i < 1000; i++) queue.push(100, 0, 0)
    const newcomer = queue.push(100, 0, 1)
    let before = 0
    while (queue.pop() !== newcomer) before++
    expect(before * 100).toBeLessThanOrEqual(100 / fairness)
    expect(queue.outstanding(0)).toBe(100_000)
    queue.finish(0, 40_000)
    expect(queue.outstanding(0)).toBe(60_000)
    queue.finish(0, 1e9)
    expect(queue.outstanding(0)).toBe(0)
  })

  it.each(ORDERS)('%s: takes a million and gives them back in order', (order) => {
    const n = 1_000_000
    using queue = new ReadyQueue(core, { capacity: n, order, slope: 1 })
    const tokens = new Float64Array(n).map((_, i) => ((i * 7919) % 100_003) % 4001)
    const arrivals = new Float64Array(n).map((_, i) => i / 1000)
    const tickets = new Int32Array(n)
    expect(queue.pushMany(tokens, arrivals, tickets)).toBe(n)
    expect([queue.push(1, 1), queue.size]).toEqual([-1, n])
    const twin = new SlowQueue({ capacity: n, order })
    const middles = Float64Array.from({ length: 4001 }, (_, length) => twin.middleOf(twin.classOf(length)))
    const rowOf = new Int32Array(n).fill(-1)
    for (let row = 0; row < n; row++) rowOf[tickets[row]!] = row
    expect(rowOf.includes(-1)).toBe(false) // every ticket once
    expect(queue.popMany(tickets)).toBe(n)
    const keys = new Float64Array(n).map((_, i) => {
      const row = rowOf[tickets[i]!]!
      if (order === 'fifo') return row
      return arrivals[row]! + (order === 'class' ? middles[tokens[row]!]! : tokens[row]!)
    })
    expect(keys.findIndex((key, i) => i > 0 && key < keys[i - 1]! - 1e-8)).toBe(-1)
    expect(queue.popMany(tickets)).toBe(0)
  })

  it('gives batches the tickets and the order that single calls would', () => {
    const options: ReadyQueueOptions = { capacity: 3000, order: 'class', slope: 1, fairness: 0.1, tenants: 3 }
    using batch = new ReadyQueue(core, options)
    using single = new ReadyQueue(core, options)
    const n = 2500
    const tokens = Float64Array.from({ length: n }, (_, i) => (i * 7919) % 1000)
    const arrivals = Float64Array.from({ length: n }, (_, i) => i / 7)
    const tenants = Int32Array.from({ length: n }, (_, i) => i % 3)
    const tickets = new Int32Array(n)
    expect(batch.pushMany(tokens, arrivals, tickets, tenants)).toBe(n)
    expect([...tickets]).toEqual([...tokens].map((length, i) => single.push(length, arrivals[i]!, tenants[i])))
    expect(batch.popMany(tickets)).toBe(n)
    expect([...tickets]).toEqual([...tokens].map(() => single.pop()))
  })

  it('fills up with the rows of a batch that have room, and says which row it refuses', () => {
    using queue = new ReadyQueue(core, { capacity: 3, order: 'exact' })
    const tickets = new Int32Array(4).fill(-7)
    const row = (...values: number[]): Float64Array => Float64Array.from(values)
    expect(queue.pushMany(row(1, 2, 3, 4), row(0, 0, 0, 0), tickets)).toBe(3)
    expect(tickets[3]).toBe(-7)
    queue.clear()
    expect([queue.size, queue.pop(), queue.has(tickets[0]!)]).toEqual([0, -1, false])
    expect(() => queue.pushMany(row(1, Number.NaN, 3), row(0, 0, 0), tickets.subarray(0, 3))).toThrow(/got NaN tokens/)
    expect(queue.size).toBe(1)
    expect(() => queue.pushMany(row(1, 2), row(0), tickets.subarray(0, 2))).toThrow(/arrivals must hold 2/)
  })

  it.each(ORDERS)('%s: refuses what has no order and stays as it was', (order) => {
    using queue = new ReadyQueue(core, { capacity: 2, order, slope: 2, canAge: true, fairness: 1, tenants: 2 })
    queue.push(5, 1, 1)
    const { NaN: nan, POSITIVE_INFINITY: infinity, MAX_VALUE: largest } = Number
    for (const [tokens, arrival] of [
      [nan, 0],
      [infinity, 0],
      [-1, 0],
      [1, nan],
      [1, infinity],
      [1, -infinity],
      [1, largest],
    ] as const) {
      expect(() => queue.push(tokens, arrival)).toThrow(expect.objectContaining({ code: 'not_finite' }))
    }
    expect(() => queue.push(1, 0, 2)).toThrow(expect.objectContaining({ code: 'tenant_unknown' }))
    for (const tenant of [-1, 0.5, nan, 2 ** 32]) {
      expect(() => queue.push(1, 0, tenant)).toThrow(expect.objectContaining({ code: 'tenant_unknown' }))
      expect(() => queue.finish(tenant, 1)).toThrow(expect.objectContaining({ code: 'tenant_unknown' }))
    }
    expect(() => queue.finish(0, nan)).toThrow(expect.objectContaining({ code: 'not_finite' }))
    queue.age(1, 3)
    expect(() => queue.push(infinity, 0)).toThrow(expect.objectContaining({ code: 'not_finite' }))
    for (const [scale, cap] of [
      [nan, 1],
      [-1, 1],
      [infinity, 1],
      [1, nan],
      [1, -1],
    ] as const)
      expect(() => queue.age(scale, cap)).toThrow(expect.objectContaining({ code: 'not_finite' }))
    expect([queue.size, queue.outstanding(1), queue.outstanding(0)]).toEqual([1, 5, 0])
    for (const ticket of [-1, 2, 0.5, nan, 2 ** 32, 2 ** 40])
      expect(queue.has(ticket) || queue.cancel(ticket)).toBe(false)
  })

  it.each<[QueueOrder, boolean, number]>([
    ['class', false, 25],
    ['class', true, 25],
    ['exact', false, 24],
    ['exact', true, 40],
  ])('%s, keys that may change %s: takes %i bytes a place', (order, canAge, bytes) => {
    const used = core.usedBytes
    using queue = new ReadyQueue(core, { capacity: 100_000, order, canAge })
    const taken = core.usedBytes - used
    expect(taken / queue.options.capacity).toBeLessThan(bytes + 1)
    expect(taken / queue.options.capacity).toBeGreaterThan(bytes - 1)
  })

  it('says everything that is wrong with its options, and gives its memory back', () => {
    const used = core.usedBytes
    const wrong = { capacity: 0, order: 'lifo' as QueueOrder, slope: -1, classesPerOctave: 3, lowest: 0 }
    for (const name of Object.keys(wrong)) {
      expect(() => new ReadyQueue(core, wrong)).toThrow(new RegExp(`${name} must be`))
    }
    expect(() => new ReadyQueue(core, { capacity: 9, order: 'class', lowest: 1e-300, highest: 1e300 })).toThrow(
      /more than 1024 classes/,
    )
    const queue = new ReadyQueue(core, { capacity: 9, order: 'class' })
    queue.dispose()
    queue.dispose()
    expect(core.usedBytes).toBe(used)
    expect(() => queue.push(1, 1)).toThrow(expect.objectContaining({ code: 'object_disposed' }))
  })
})
