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
  readonly key: number
  readonly limit: number
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
  sequence.forEach((step, place) => {
    if (step !== 'serve') {
      const limit = ageing.allowance(step)
      waiting.push({ place, tokens: step, key: ageing.enter(step), limit, overtaken: 0 })
    } else if (waiting.length > 0) takeSmallest()
  })
  while (waiting.length > 0) takeSmallest()
  return served
}

describe('ageing by work', () => {
  it('lets less work overtake a request than its allowance and the last one of it', () => {
    fc.assert(
      fc.property(steps, fc.double({ min: 0, max: 10, noNaN: true }), (sequence, bypass) => {
        for (const { overtaken, limit } of serve(new WorkAgeing({ bypass }), sequence))
          expect(overtaken).toBeLessThanOrEqual(limit + 2000)
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
          expect(ageing.allowance(step)).toBeLessThanOrEqual(3 * largest + 1e-9)
          ageing.enter(step)
          backlog += step
          largest = Math.max(largest, backlog)
        }
      }),
    )
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
