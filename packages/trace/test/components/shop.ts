import { Random } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { PathFinder, Profile, type Span, traceFromSpans } from '../../src/index.js'

interface Call {
  readonly service: string
  readonly meanUs: number
  /** One stage after the other, the calls of a stage at once. */
  readonly stages: readonly (readonly Call[])[]
}

const call = (service: string, meanUs: number, ...stages: readonly (readonly Call[])[]): Call => ({
  service,
  meanUs,
  stages,
})

/** What a small shop does for its two kinds of requests. */
const ENDPOINTS: Readonly<Record<string, Call>> = {
  browse: call(
    'front',
    800,
    [call('catalogue', 1200, [call('catalogue-db', 4000)]), call('ads', 900, [call('ads-model', 2500)])],
    [call('prices', 1500, [call('prices-cache', 700)])],
  ),
  checkout: call(
    'front',
    800,
    [call('cart', 2000, [call('cart-db', 3000)])],
    [call('payment', 5000), call('stock', 1800, [call('stock-db', 2500)])],
    [call('orders', 2200, [call('orders-db', 3500)])],
  ),
}

/** Everything that a request of some endpoint waits for on its own. */
export const SERVICES_ON_PATH = [
  'catalogue',
  'catalogue-db',
  'prices',
  'cart',
  'cart-db',
  'payment',
  'orders',
  'orders-db',
]

export interface ShopOptions {
  readonly requests: number
  readonly seed: number
  /** How many times as long as usual the services take. */
  readonly slow?: Readonly<Record<string, number>>
}

/** A window of the shop's requests, times scattered as gamma with a coefficient of variation of 0.6. */
export function shopWindow(core: TraceCore, { requests, seed, slow = {} }: ShopOptions): Profile {
  const random = new Random(core, seed)
  const finder = new PathFinder(core)
  const profile = new Profile()
  const names = Object.keys(ENDPOINTS)
  const shape = 1 / 0.6 ** 2
  for (let request = 0; request < requests; request++) {
    const operation = names[random.integer(names.length)]!
    const spans: Span[] = []
    const visit = ({ service, meanUs, stages }: Call, parentId: string | undefined, startUs: number): number => {
      const id = String(spans.length)
      const at = spans.push({ id, service, operation, startUs, durationUs: 0 }) - 1
      const halfUs = Math.round((meanUs * (slow[service] ?? 1) * random.gamma(shape)) / shape / 2) // whole: spans abut
      let nowUs = startUs + halfUs
      for (const stage of stages) nowUs = Math.max(...stage.map((child) => visit(child, id, nowUs)))
      const endUs = nowUs + halfUs
      spans[at] = {
        id,
        parentId,
        traceId: `${seed}-${request}`,
        service,
        instance: `${service}-0`,
        operation,
        startUs,
        durationUs: endUs - startUs,
      }
      return endUs
    }
    visit(ENDPOINTS[operation]!, undefined, 0)
    profile.add(finder.find(traceFromSpans(spans)))
  }
  random.dispose()
  finder.dispose()
  return profile
}
