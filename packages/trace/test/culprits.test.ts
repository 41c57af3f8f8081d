import { Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  baselineRankings,
  type CulpritRanking,
  CulpritWindow,
  EVIDENCE,
  ownerName,
  PathFinder,
  rankCulprits,
  type Span,
  scoreGuessing,
  scoreRankings,
  traceFromSpans,
} from '../src/index.js'

let core: TraceCore
let finder: PathFinder
beforeAll(async () => {
  core = await createTraceCore()
  finder = new PathFinder(core)
})

interface Fault {
  /** 5 ms are added to the way to these services, there and back. */
  readonly delayTo?: readonly string[]
  /** Own work of this service takes this many times as long. */
  readonly slow?: { readonly service: string; readonly factor: number }
  /** This service returns at once, without calling anyone. */
  readonly returnsEarly?: string
  /** What calls this service gives up after its answer. */
  readonly answersNonsense?: string
  /** Is called a second time. */
  readonly isCalledAgain?: string
  /** Its span is an error, and so is that of the call to it. */
  readonly fails?: string
}

/** shop → cart → database, then shop → price; each call is a client span and a server span with work before and after. */
function request(random: Random, id: string, fault: Fault = {}): Span[] {
  const spans: Span[] = []
  let now = 0
  const work = (service: string): void => {
    now += Math.round(random.gamma(4) * 250 * (fault.slow?.service === service ? fault.slow.factor : 1))
  }
  const network = (service: string): void => {
    now += Math.round(random.gamma(4) * 50) + (fault.delayTo?.includes(service) ? 5000 : 0)
  }
  const span = (
    parentId: string | undefined,
    { service, operation, isError }: { service: string; operation: string; isError: boolean },
    body: (id: string) => void,
  ): void => {
    const spanId = `${spans.length}`
    const startUs = now
    const at = spans.length
    spans.push({ id: spanId, traceId: id, parentId, service, operation, isError, startUs, durationUs: 0 })
    body(spanId)
    spans[at] = { ...spans[at]!, durationUs: now - startUs }
  }
  const serve = (parentId: string | undefined, service: string, callees: readonly string[]): void => {
    const isError = fault.fails === service
    span(parentId, { service, operation: `${service} handler`, isError }, (own) => {
      work(service)
      if (fault.returnsEarly === service) return
      for (const callee of callees.flatMap((name) => (fault.isCalledAgain === name ? [name, name] : name))) {
        span(own, { service, operation: `call ${callee}`, isError: fault.fails === callee }, (client) => {
          network(callee)
          serve(client, callee, callee === 'cart' ? ['database'] : [])
          network(callee)
        })
        if (fault.answersNonsense === callee) return
      }
      work(service)
    })
  }
  serve(undefined, 'shop', ['cart', 'price'])
  return spans
}

function windowOf(count: number, seed: number, fault?: Fault, window = new CulpritWindow()): CulpritWindow {
  const random = new Random(core, seed)
  for (let i = 0; i < count; i++) {
    const trace = traceFromSpans(request(random, `${seed}-${i}`, fault))
    window.add(finder.find(trace))
  }
  random.dispose()
  return window
}

const rank = (fault: Fault): CulpritRanking => rankCulprits(core, windowOf(24, 1, fault), windowOf(80, 2))

describe('rankCulprits', () => {
  it.each(['cart', 'price', 'database'])('blames %s when the way to it takes 10 ms longer', (service) => {
    const { culprits, owners } = rank({ delayTo: [service] })
    const [first] = culprits
    expect(first?.service).toBe(service)
    expect(first?.probability).toBeGreaterThan(0.5)
    expect(first?.reasons.join('; ')).toMatch(new RegExp(`the way from \\w+ to ${service}`))
    expect(ownerName(owners[0]!.owner)).toBe(`${service === 'database' ? 'cart' : 'shop'} → ${service}`)
  })

  it.each(['shop', 'cart', 'price', 'database'])('blames %s when its own work takes three times as long', (service) => {
    const { culprits, owners } = rank({ slow: { service, factor: 3 } })
    expect(culprits[0]?.service).toBe(service)
    expect(culprits[0]?.evidence.work).toBeGreaterThan(3)
    expect(owners[0]?.owner).toEqual({ service })
  })

  it('blames the service that stops calling others, and says what changed', () => {
    const [first] = rank({ returnsEarly: 'cart' }).culprits
    expect(first?.service).toBe('cart')
    expect(first?.reasons.join('; ')).toContain('in 24 of 24 requests cart handler called nothing, before in 0 of 80')
  })

  it.each([
    [
      'that callers give up after',
      { answersNonsense: 'cart' },
      'shop handler of shop did nothing more after calling it',
    ],
    ['that is called again', { isCalledAgain: 'cart' }, 'shop handler of shop called it more than once'],
    ['whose requests fail', { fails: 'cart' }, 'cart handler failed'],
  ] as const)('blames the service %s', (_, fault, words) => {
    const [first] = rank(fault).culprits
    expect(first?.service).toBe('cart')
    expect(first?.reasons.join('; ')).toContain(`in 24 of 24 requests ${words}, before in 0 of 80`)
  })

  it('suspects the caller only where its ways to two services got slower', () => {
    const waysFromShop = (fault: Fault): number | undefined =>
      rank(fault).culprits.find(({ service }) => service === 'shop')?.evidence.waysFrom
    expect(waysFromShop({ delayTo: ['cart'] })).toBeLessThan(1)
    expect(waysFromShop({ delayTo: ['cart', 'price'] })).toBeGreaterThan(10)
  })

  it('adds what speaks against a service: ln(1 + z²) of each kind, and makes odds of the sums', () => {
    const { culprits } = rank({ delayTo: ['price'] })
    const odds = culprits.map(({ evidence }) =>
      EVIDENCE.reduce((product, name) => product * (1 + evidence[name] ** 2), 1),
    )
    const all = odds.reduce((sum, one) => sum + one, 0)
    for (const [i, { score, probability }] of culprits.entries()) {
      expect(score).toBeCloseTo(Math.log(odds[i]!), 9)
      expect(probability).toBeCloseTo(odds[i]! / all, 9)
    }
  })

  it('finds nothing remarkable where nothing is wrong', () => {
    for (const { evidence } of rank({}).culprits) for (const name of EVIDENCE) expect(evidence[name]).toBeLessThan(3)
  })

  it('does not depend on the order of the traces, and merges to what all at once gives', () => {
    const fault = { delayTo: ['cart'] }
    const traces = Array.from({ length: 30 }, (_, i) => {
      const random = new Random(core, 100 + i)
      const trace = traceFromSpans(request(random, `t${i}`, fault))
      random.dispose()
      return finder.find(trace)
    })
    const fill = (list: typeof traces): CulpritWindow => {
      const window = new CulpritWindow({ maxTraces: 20 })
      for (const trace of list) window.add(trace)
      return window
    }
    const reference = windowOf(40, 2)
    const expected = rankCulprits(core, fill(traces), reference)
    expect(rankCulprits(core, fill(traces.toReversed()), reference)).toEqual(expected)
    const merged = fill(traces.slice(0, 11))
    merged.merge(fill(traces.slice(11)))
    expect(merged.traces).toBe(30)
    expect(rankCulprits(core, merged, reference)).toEqual(expected)
  })

  it('refuses a reference that cannot say what noise is', () => {
    expect(() => rankCulprits(core, windowOf(5, 1), windowOf(7, 2))).toThrow(/holds 7 traces, at least 8/)
    expect(() => rankCulprits(core, new CulpritWindow(), windowOf(9, 2))).toThrow(/holds no trace/)
  })
})

describe('CulpritWindow', () => {
  it('keeps a bounded, fair sample: the same for the same traces', () => {
    const window = windowOf(500, 3, undefined, new CulpritWindow({ maxTraces: 50 }))
    expect(window.traces).toBe(500)
    const kept = window.observations().map(({ traceId }) => Number(traceId.split('-')[1]))
    expect(kept).toHaveLength(50)
    const early = kept.filter((index) => index < 250).length // binomial(50, ½): 10 … 40 is beyond five deviations
    expect(early).toBeGreaterThan(10)
    expect(early).toBeLessThan(40)
  })

  it('refuses a size that is no size', () => {
    expect(() => new CulpritWindow({ maxTraces: 0 })).toThrow(/maxTraces must be a whole number above 0, got 0/)
  })
})

describe('baselineRankings', () => {
  const against = (fault: Fault) => baselineRankings(windowOf(24, 1, fault), windowOf(80, 2))

  it('knows the ways between services', () => {
    const { selfTime, callGrowth, callP99Growth, addedTime } = against({ delayTo: ['price'] })
    expect([callGrowth[0], callP99Growth[0], addedTime[0]]).toEqual(['price', 'price', 'price'])
    expect(selfTime[0]).toBe('shop') // which holds the spans of its calls
  })

  it('knows the work of services', () => {
    const { p99Growth, addedTime, variance } = against({ slow: { service: 'database', factor: 20 } })
    expect([p99Growth[0], addedTime[0], variance[0]]).toEqual(['database', 'database', 'database'])
  })
})

describe('scoreRankings and scoreGuessing', () => {
  it('counts what came first, within three, and one over the rank', () => {
    const results = [
      { ranking: ['a', 'b', 'c', 'd'], culprit: 'a' },
      { ranking: ['a', 'b', 'c', 'd'], culprit: 'd' },
      { ranking: ['a'], culprit: 'elsewhere' },
    ]
    expect(scoreRankings(results)).toEqual({ incidents: 3, top1: 1 / 3, top3: 1 / 3, meanReciprocalRank: 1.25 / 3 })
    const harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    expect(scoreGuessing(results).meanReciprocalRank).toBeCloseTo((2 * harmonic) / 4 / 3, 12)
  })
})
