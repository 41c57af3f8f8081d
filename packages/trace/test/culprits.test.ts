import { Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Culprit,
  CulpritWindow,
  EQUAL_WEIGHTS,
  EVIDENCE,
  fitCulpritModel,
  loadCulpritModel,
  PathFinder,
  rankCulprits,
  type Span,
  saveCulpritModel,
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
  /** Added to the way to this service, µs. */
  readonly delayTo?: string
  /** Own work of this service takes this many times as long. */
  readonly slow?: { readonly service: string; readonly factor: number }
  /** This service returns at once, without calling anyone. */
  readonly returnsEarly?: string
}

/** shop → cart → database, then shop → price; each call is a client span and a server span with work before and after. */
function request(random: Random, id: string, fault: Fault = {}): Span[] {
  const spans: Span[] = []
  let now = 0
  const work = (service: string): void => {
    now += Math.round(random.gamma(4) * 250 * (fault.slow?.service === service ? fault.slow.factor : 1))
  }
  const network = (service: string): void => {
    now += Math.round(random.gamma(4) * 50) + (fault.delayTo === service ? 5000 : 0)
  }
  const span = (parentId: string | undefined, service: string, operation: string, body: (id: string) => void): void => {
    const spanId = `${spans.length}`
    const startUs = now
    const at = spans.length
    spans.push({ id: spanId, traceId: id, parentId, service, operation, startUs, durationUs: 0 })
    body(spanId)
    spans[at] = { ...spans[at]!, durationUs: now - startUs }
  }
  const serve = (parentId: string | undefined, service: string, callees: readonly string[]): void => {
    span(parentId, service, `${service} handler`, (own) => {
      work(service)
      if (fault.returnsEarly === service) return
      for (const callee of callees) {
        span(own, service, `call ${callee}`, (client) => {
          network(callee)
          serve(client, callee, callee === 'cart' ? ['database'] : [])
          network(callee)
        })
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

const rank = (fault: Fault): readonly Culprit[] => rankCulprits(core, windowOf(24, 1, fault), windowOf(80, 2)).culprits

describe('rankCulprits', () => {
  it.each(['cart', 'price', 'database'])('blames %s when the way to it takes 10 ms longer', (service) => {
    const [first] = rank({ delayTo: service })
    expect(first?.service).toBe(service)
    expect(first?.probability).toBeGreaterThan(0.5)
    expect(first?.reasons.join('; ')).toMatch(new RegExp(`the way from \\w+ to ${service}`))
  })

  it.each(['shop', 'cart', 'price', 'database'])('blames %s when its own work takes three times as long', (service) => {
    const [first] = rank({ slow: { service, factor: 3 } })
    expect(first?.service).toBe(service)
    expect(first?.evidence.ownDelay).toBeGreaterThan(1)
  })

  it('blames the service that stops calling others, and says what changed', () => {
    const [first] = rank({ returnsEarly: 'cart' })
    expect(first?.service).toBe('cart')
    expect(first?.reasons.join('; ')).toContain('24 of 24 calls of cart handler called nothing, before 0 of 80')
  })

  it('finds nothing remarkable where nothing is wrong', () => {
    for (const { evidence } of rank({})) {
      // ln(1 + z): 1.6 is four standard deviations of the noise
      for (const name of EVIDENCE) expect(evidence[name]).toBeLessThan(1.6)
    }
  })

  it('does not depend on the order of the traces, and merges to what all at once gives', () => {
    const fault = { delayTo: 'cart' }
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

describe('fitCulpritModel', () => {
  const example = (culprit: number, telling: number): { evidence: Float64Array; culprit: number } => {
    const evidence = new Float64Array(3 * EVIDENCE.length)
    evidence[culprit * EVIDENCE.length + telling] = 2
    evidence[((culprit + 1) % 3) * EVIDENCE.length + 1] = 2 // ownDelay always accuses the neighbour
    return { evidence, culprit }
  }

  it('trusts the evidence that told the truth and not the one that lied', () => {
    const { weights } = fitCulpritModel(core, [example(0, 0), example(1, 0), example(2, 0)], { fittedOn: 'a test' })
    expect(weights.callDelay).toBeGreaterThan(1)
    expect(weights.ownDelay).toBeLessThan(0.8)
    expect(weights.behaviour).toBe(1) // never seen: stays where it was
  })

  it('stays at equal weights without examples', () => {
    expect(fitCulpritModel(core, [], { fittedOn: 'nothing' }).weights).toEqual(EQUAL_WEIGHTS.weights)
  })

  it('reads what it wrote and refuses what it did not', () => {
    const model = fitCulpritModel(core, [example(1, 3)], { fittedOn: 'a test' })
    expect(loadCulpritModel(saveCulpritModel(model))).toEqual(model)
    expect(() => loadCulpritModel('{')).toThrow(/is no JSON/)
    const strange = saveCulpritModel(model).replace(/"fittedOn": "[^"]*"/, '"fittedOn": {"toString": 1}')
    expect(() => loadCulpritModel(strange)).toThrow(/fittedOn must be a text, got an object/)
    expect(() => loadCulpritModel('{"format":"trimtab-culprits","version":9}')).toThrow(/version 1, got .* 9/)
    const broken = saveCulpritModel(model).replace(/"ownDelay": [\d.]+/, '"ownDelay": -1')
    expect(() => loadCulpritModel(broken)).toThrow(/weights.ownDelay must be a finite number of at least 0/)
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
