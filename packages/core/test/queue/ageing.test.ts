import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WorkAgeing } from '../../src/queue/ageing.js'

/** A run of one queue: requests of these lengths come, and now and then the one of the smallest key is served. */
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 2000 }) }, fc.constant('serve')), {
  minLength: 1,
  maxLength: 300,
})

interface Waiting {
  readonly place: number
  readonly tokens: number
  readonly arrived: number
  key: number
  /** The most that was ever allowed to overtake it. */
  limit: number
  overtaken: number
}

function serve(ageing: WorkAgeing, sequence: readonly (number | 'serve')[]): Waiting[] {
  const waiting: Waiting[] = []
  const served: Waiting[] = []
  const takeSmallest = () => {
    const next = waiting.reduce((a, b) => (b.key < a.key ? b : a))
    waiting.splice(waiting.indexOf(next), 1)
    for (const other of waiting) if (other.place < next.place) other.overtaken += next.tokens
    ageing.leave(next.tokens)
    served.push(next)
  }
  const allow = (one: Waiting) => {
    const allowance = ageing.allowance(one.tokens)
    one.key = one.arrived + allowance
    one.limit = Math.max(one.limit, allowance)
  }
  sequence.forEach((step, place) => {
    if (step !== 'serve') {
      const hasGrown = ageing.enter(step)
      waiting.push({ place, tokens: step, arrived: ageing.arrivedTokens, key: 0, limit: 0, overtaken: 0 })
      for (const one of hasGrown ? waiting : waiting.slice(-1)) allow(one)
    } else if (waiting.length > 0) takeSmallest()
  })
  while (waiting.length > 0) takeSmallest()
  return served
}

describe('ageing by work', () => {
  it('lets no more work overtake a request than its allowance', () => {
    fc.assert(
      fc.property(steps, fc.double({ min: 0, max: 10, noNaN: true }), (sequence, bypass) => {
        for (const { overtaken, limit } of serve(new WorkAgeing({ bypass }), sequence))
          expect(overtaken).toBeLessThanOrEqual(limit * (1 + 1e-9))
      }),
    )
  })

  it('never allows more than bypass times the largest backlog', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        let [backlog, largest] = [0, 0]
        const ageing = new WorkAgeing({ bypass: 3 })
        for (const step of sequence) {
          if (step === 'serve') continue
          ageing.enter(step)
          backlog += step
          largest = Math.max(largest, backlog)
          expect(ageing.allowance(step)).toBeLessThanOrEqual(3 * largest + 1e-9)
        }
      }),
    )
  })

  it('lets a thousand short requests pass a long one that came first, to a queue that has seen nothing yet', () => {
    for (const [long, short] of [
      [1000, 10],
      [2000, 100],
      [500, 1],
    ] as const) {
      const served = serve(new WorkAgeing(), [long, ...Array.from({ length: 1000 }, () => short)])
      const ahead = served.findIndex(({ place }) => place === 0)
      expect(ahead).toBeGreaterThan(900)
    }
  })

  it('lets a burst pass a long request that came in a calm after an earlier burst was forgotten', () => {
    const ageing = new WorkAgeing()
    const burst = Array.from({ length: 1000 }, () => 10)
    const calm = Array.from({ length: 40_000 }, (): (number | 'serve')[] => [10, 'serve', 20, 'serve']).flat()
    const served = serve(ageing, [...burst, ...burst.map(() => 'serve' as const), ...calm, 1000, ...burst])
    expect(served.findIndex(({ tokens }) => tokens === 1000)).toBeGreaterThan(served.length - 100)
  })

  it('serves in order of arrival at bypass 0', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const served = serve(new WorkAgeing({ bypass: 0 }), sequence)
        expect(served.map(({ place }) => place)).toEqual(served.map(({ place }) => place).sort((a, b) => a - b))
      }),
    )
  })

  it('is free of units: lengths in another unit give the same order', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom(0.125, 4, 1024), (sequence, unit) => {
        const order = (scale: number) =>
          serve(
            new WorkAgeing(),
            sequence.map((step) => (step === 'serve' ? step : step * scale)),
          ).map(({ place }) => place)
        expect(order(unit)).toEqual(order(1))
      }),
    )
  })

  it('forgets a peak once a hundred times its work has come and gone', () => {
    const ageing = new WorkAgeing({ bypass: 1, longFactor: 1 })
    for (let i = 0; i < 50; i++) ageing.enter(100)
    expect(ageing.allowance(100)).toBeGreaterThan(4000)
    for (let i = 0; i < 50; i++) ageing.leave(100)
    for (let i = 0; i < 5000; i++) {
      ageing.enter(100)
      ageing.leave(100)
    }
    expect(ageing.allowance(100)).toBeLessThan(200)
  })

  it.each([[{ bypass: -1 }], [{ bypass: Number.NaN }], [{ longFactor: 0 }]])('refuses %o', (options) => {
    expect(() => new WorkAgeing(options)).toThrow(/must be/)
  })
})
