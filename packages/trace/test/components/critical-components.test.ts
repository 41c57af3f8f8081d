// A shop in which we know what is slow.
import { Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  CriticalComponentClassifier,
  criticalComponents,
  PathFinder,
  Profile,
  type Span,
  traceFromSpans,
} from '../../src/index.js'
import { SERVICES_ON_PATH, shopWindow } from './shop.js'

let core: TraceCore
let reference: Profile
beforeAll(async () => {
  core = await createTraceCore()
  reference = shopWindow(core, { requests: 600, seed: 1 })
})

describe('with a reference', () => {
  it.each(SERVICES_ON_PATH)('finds %s, five times as slow, before all others', (service) => {
    const window = shopWindow(core, { requests: 400, seed: 2, slow: { [service]: 5 } })
    const { components } = criticalComponents(window, { core, reference })
    expect(components[0]).toMatchObject({ service, verdict: { isCritical: true } })
    expect(components[0]!.verdict!.probability).toBeGreaterThan(0.5)
    expect(components.slice(1).filter(({ verdict }) => verdict?.isCritical).length).toBeLessThanOrEqual(1)
    for (const { verdict } of criticalComponents(window, { core }).components)
      expect(verdict?.probability, 'without a reference').toBeUndefined()
  })

  it('finds two at once', () => {
    const window = shopWindow(core, { requests: 400, seed: 3, slow: { 'cart-db': 6, prices: 6 } })
    const { components } = criticalComponents(window, { core, reference })
    expect(
      components
        .slice(0, 2)
        .map(({ service }) => service)
        .sort(),
    ).toEqual(['cart-db', 'prices'])
  })

  it('finds nothing in a shop that is well', () => {
    for (let seed = 10; seed < 15; seed++) {
      const { components } = criticalComponents(shopWindow(core, { requests: 400, seed }), { core, reference })
      expect(components.filter(({ verdict }) => verdict?.isCritical)).toEqual([])
    }
  })

  it('is not taken in by a slow service that nobody waits for', () => {
    const window = shopWindow(core, { requests: 400, seed: 4, slow: { 'ads-model': 1.5, 'orders-db': 6 } })
    const { components } = criticalComponents(window, { core, reference })
    expect(components[0]!.service).toBe('orders-db')
    expect(components.find(({ service }) => service === 'ads-model')!.verdict!.isCritical).toBe(false)
  })

  it('gives its reasons in words, with counts', () => {
    const window = shopWindow(core, { requests: 400, seed: 2, slow: { 'cart-db': 5 } })
    const [worst] = criticalComponents(window, { core, reference }).components
    expect(worst!.reasons.join(', ')).toMatch(
      /^has \d+ % of the latency that was added, takes [45]\.\d× as long as in the reference \(median, n = \d+ against \d+\), explains \d+ % of the latency's variance, .*takes \d+ % of all latency$/,
    )
  })

  it('says the same of a window that was put together from parts', () => {
    const options = { requests: 200, slow: { payment: 4 } }
    const [first, second] = [7, 8].map((seed) => shopWindow(core, { ...options, seed }))
    const other = shopWindow(core, { ...options, seed: 8 })
    other.merge(first!)
    first!.merge(second!)
    const answer = (window: Profile): unknown => criticalComponents(window, { core, reference })
    expect(answer(first!)).toEqual(answer(other))
  })

  it('does not judge what the reference does not know', () => {
    const window = shopWindow(core, { requests: 200, seed: 2 })
    const before = shopWindow(core, { requests: 600, seed: 1 })
    const without = new Profile()
    const finder = new PathFinder(core)
    without.add(finder.find(traceFromSpans([span('front', undefined, 0, 100)])))
    finder.dispose()
    const { components } = criticalComponents(window, { core, reference: without })
    const cart = components.find(({ service }) => service === 'cart')!
    expect(cart.verdict).toBeUndefined()
    expect(cart.reasons.at(-1)).toBe('is not in the reference, so nothing says what is usual for it')
    expect(criticalComponents(window, { core, reference: before }).components[0]!.verdict).toBeDefined()
  })
})

describe('without a reference', () => {
  it.each(SERVICES_ON_PATH)('has %s, eight times as slow, among the first three', (service) => {
    const window = shopWindow(core, { requests: 400, seed: 2, slow: { [service]: 8 } })
    const { components } = criticalComponents(window, { core })
    expect(components.slice(0, 3).map((component) => component.service)).toContain(service)
  })

  it('says so when a classifier needs one', () => {
    const classifier = new CriticalComponentClassifier(core, { features: 'reference' })
    const ask = (): unknown => criticalComponents(reference, { core, classifier })
    expect(ask).toThrow(expect.objectContaining({ code: 'reference_missing' }))
  })
})

const span = (service: string, parentId: string | undefined, startUs: number, durationUs: number): Span => ({
  id: service,
  parentId,
  service,
  operation: 'work',
  startUs,
  durationUs,
})

describe('a poor window', () => {
  const windowOf = (...traces: readonly (readonly Span[])[]): Profile => {
    const profile = new Profile()
    const finder = new PathFinder(core)
    for (const spans of traces) profile.add(finder.find(traceFromSpans(spans)))
    finder.dispose()
    return profile
  }

  it('of no requests has no components', () => {
    expect(criticalComponents(new Profile(), { core }).components).toEqual([])
  })

  it('of two requests is too poor to judge, and says so', () => {
    const request = [span('front', undefined, 0, 100), span('cart', 'front', 10, 60)]
    const { components } = criticalComponents(windowOf(request, request), { core })
    expect(components).toHaveLength(2)
    for (const { verdict, reasons } of components) {
      expect(verdict).toBeUndefined()
      expect(reasons.at(-1)).toBe('took part in 2 requests only, too few to judge')
    }
  })

  it('leaves what works in the background unjudged, but shows it', () => {
    const request = [
      span('front', undefined, 0, 100),
      { ...span('mail', 'front', 10, 500), reference: 'follows-from' as const },
    ]
    const { components } = criticalComponents(windowOf(...Array(200).fill(request)), { core })
    const mail = components.find(({ service }) => service === 'mail')!
    expect(mail).toMatchObject({ isOnPath: false, verdict: undefined })
    expect(mail.reasons.at(-1)).toMatch(/^no request waited for it/)
  })
})

describe('a queue in front of a service', () => {
  /** front calls cart, then prices, 1 ms of work each; in front of cart a request waits between 0 and 100 ms. */
  function queueWindow(requests: number): Profile {
    const random = new Random(core, 5)
    const finder = new PathFinder(core)
    const profile = new Profile()
    for (let request = 0; request < requests; request++) {
      const spans: Span[] = []
      let nowUs = Math.round(400 + 200 * random.uniform())
      for (const [callee, waitUs] of [
        ['cart', 100_000 * random.uniform() ** 3],
        ['prices', 200 * random.uniform()],
      ] as const) {
        const startUs = nowUs + Math.round(waitUs)
        const endUs = startUs + Math.round(800 + 400 * random.uniform())
        spans.push({ ...span('front', 'root', nowUs, endUs - nowUs), id: `call ${callee}` })
        spans.push({ ...span(callee, `call ${callee}`, startUs, endUs - startUs) })
        nowUs = endUs
      }
      spans.push({ ...span('front', undefined, 0, nowUs), id: 'root' })
      profile.add(finder.find(traceFromSpans(spans)))
    }
    random.dispose()
    finder.dispose()
    return profile
  }

  it('makes the service the component to look at, not its caller', () => {
    const [first] = criticalComponents(queueWindow(300), { core }).components
    expect(first!.service).toBe('cart')
    expect(first!.varianceShare).toBeGreaterThan(0.95)
    expect(first!.relativeImportance.value).toBeGreaterThan(0.95)
  })
})

describe('the shipped classifiers', () => {
  it('say what taught them and how they did', () => {
    expect(criticalComponents(reference, { core }).classifier).toMatch(
      /^SVM of .*, taught with what broke SLOs in \d+ simulated applications .*; of \d+ components it had not seen it found \d+\.\d % of the \d+ critical ones and \d\.\d % of the others$/,
    )
  })
})
