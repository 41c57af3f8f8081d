// Many small traces, as a service graph makes them: a few types of request, each with its own tree of calls; what differs
// from request to request is how long everything takes, which replica answers and what fails.
import { Random } from '@trimtab/core'
import { schedule } from './schedule.mjs'

const ORIGIN_US = 1_700_000_000_000_000
const MEAN_GAP_US = 20_000 // between requests
const REPLICAS = 3
const ERROR_RATE = 0.01

/** service → what it offers, what it may call, and the store it asks. An edge leads to a later line only. */
const GRAPH = {
  gateway: {
    offers: ['GET /', 'GET /bicycles/{id}', 'GET /search', 'POST /basket', 'POST /orders', 'GET /orders/{id}'],
    calls: ['sessions', 'storefront', 'finder', 'checkout', 'accounts'],
  },
  storefront: {
    offers: ['RenderHome', 'RenderBicycle', 'RenderBasket'],
    calls: ['catalogue', 'adviser', 'pricing', 'reviews'],
  },
  finder: { offers: ['Search', 'Complete'], calls: ['catalogue', 'pricing', 'stock'] },
  checkout: {
    offers: ['PlaceOrder', 'PreviewOrder'],
    calls: ['basket', 'pricing', 'stock', 'payments', 'dispatch', 'letters'],
  },
  accounts: { offers: ['ShowOrders', 'ShowOrder'], calls: ['sessions', 'dispatch', 'payments', 'letters'] },
  adviser: { offers: ['SuggestAlike', 'SuggestForRider'], calls: ['catalogue', 'reviews'] },
  basket: {
    offers: ['LoadBasket', 'AddToBasket', 'EmptyBasket'],
    calls: ['pricing', 'stock'],
    store: 'redis HGETALL basket',
  },
  dispatch: {
    offers: ['QuoteDelivery', 'BookDelivery', 'TrackDelivery'],
    calls: ['stock'],
    store: 'SELECT dispatch.parcels',
  },
  payments: {
    offers: ['AuthoriseCard', 'CaptureCard', 'ListPayments'],
    calls: ['fraud'],
    store: 'INSERT payments.ledger',
  },
  reviews: { offers: ['ListReviews', 'SummariseReviews'], calls: ['sessions'], store: 'SELECT reviews.notes' },
  pricing: { offers: ['PriceOf', 'PricesOf', 'ConvertCurrency'], calls: ['vouchers'], store: 'redis MGET prices' },
  catalogue: {
    offers: ['FindBicycle', 'ListBicycles', 'ListParts'],
    calls: ['media'],
    store: 'SELECT catalogue.bicycles',
  },
  stock: { offers: ['CountStock', 'ReserveStock', 'ReleaseStock'], calls: [], store: 'UPDATE stock.shelves' },
  fraud: { offers: ['ScorePayment'], calls: [], store: 'SELECT fraud.features' },
  vouchers: { offers: ['CheckVoucher', 'ListVouchers'], calls: [], store: 'SELECT vouchers.issued' },
  sessions: { offers: ['Authenticate', 'RefreshSession'], calls: [], store: 'redis GET session' },
  media: { offers: ['SignImage', 'SignImages'], calls: [], store: 'redis GET image' },
  letters: { offers: ['SendConfirmation', 'SendReceipt'], calls: [], store: 'INSERT letters.outbox' },
}
const BACKGROUND = new Set(['letters']) // nobody waits for these

const pick = (random, list) => list[random.integer(list.length)]
const packageOf = (service) => `velo.${service}.v1.${service[0].toUpperCase()}${service.slice(1)}`

const WORK_US = { server: 900, client: 120, internal: 400, producer: 60, consumer: 1500 }

function newCall(random, parent, stage, service, operation, kind) {
  return { parent, stage, service, operation, kind, workUs: Math.ceil(WORK_US[kind] * (0.5 + random.uniform())) }
}

/** The tree of calls of one type of request: grown breadth first from the gateway until it has `size` calls. */
function growTemplate(random, operation, size) {
  const calls = [newCall(random, -1, 0, 'gateway', operation, 'server')]
  for (let at = 0; calls.length < size; at = (at + 1) % calls.length) {
    const { service, kind } = calls[at]
    if (kind !== 'server' && kind !== 'consumer') continue
    const { calls: callees, store } = GRAPH[service]
    const children = calls.filter(({ parent }) => parent === at).length
    const first = calls.findLast(({ parent }) => parent === at)?.stage + 1 || 0
    const wanted = children > 0 ? 1 : 1 + random.integer(3)
    for (let i = 0, stage = first; i < wanted && calls.length < size; i++) {
      if (i > 0 && random.integer(3) > 0) stage++
      const callee = callees.length > 0 && size - calls.length > 1 ? pick(random, callees) : undefined
      if (callee === undefined) {
        const leaf = store && i === 0 ? store : `${packageOf(service)}.assembleReply`
        calls.push(newCall(random, at, stage, service, leaf, store && i === 0 ? 'client' : 'internal'))
        continue
      }
      const offered = `${packageOf(callee)}/${pick(random, GRAPH[callee].offers)}`
      const [caller, called] = BACKGROUND.has(callee) ? ['producer', 'consumer'] : ['client', 'server']
      calls.push(newCall(random, at, stage, service, offered, caller))
      calls.push(newCall(random, calls.length - 1, 0, callee, offered, called))
    }
  }
  return parentsFirst(calls)
}

/** Siblings in the order of their stages, which growing in rounds has mixed. */
function parentsFirst(calls) {
  const order = calls
    .map((_, i) => i)
    .sort((a, b) => calls[a].parent - calls[b].parent || calls[a].stage - calls[b].stage || a - b)
  const place = new Int32Array(calls.length)
  order.forEach((old, now) => {
    place[old] = now
  })
  return order.map((old) => ({ ...calls[old], parent: calls[old].parent < 0 ? -1 : place[calls[old].parent] }))
}

/** This request's calls: the template with replicas, durations and errors drawn anew. */
function drawRequest(random, template, { slow }) {
  const replica = {}
  return template.map((call) => {
    const { parent, stage, service, operation, kind, workUs } = call
    if (replica[service] === undefined) replica[service] = random.integer(REPLICAS)
    const factor = slow?.service === service ? slow.factor : 1
    return {
      parent,
      stage,
      gapUs: 1 + Math.floor((factor * workUs * random.gamma(4)) / 4),
      delayUs: random.integer(40),
      isBackground: kind === 'producer',
      service,
      operation,
      kind,
      instance: `${service}-${replica[service]}`,
      isError: random.uniform() < ERROR_RATE,
    }
  })
}

/**
 * @param traces  how many
 * @param spans   how many each has
 * @param types   how many types of request there are
 * @param slow    { service, factor }: this service takes `factor` times as long
 * @yields the spans of one trace, in the order in which they end; the same for the same seed on every engine
 */
export function* requestTraces(core, { traces, spans = 50, types = 8, seed, slow }) {
  const random = new Random(core, seed)
  try {
    const { offers } = GRAPH.gateway
    const templates = Array.from({ length: types }, (_, i) => growTemplate(random, offers[i % offers.length], spans))
    let originUs = ORIGIN_US
    for (let i = 0; i < traces; i++) {
      originUs += 1 + Math.floor(random.exponential(MEAN_GAP_US))
      const calls = drawRequest(random, pick(random, templates), { slow })
      yield schedule(random, calls, originUs).sort((a, b) => a.startUs + a.durationUs - b.startUs - b.durationUs)
    }
  } finally {
    random.dispose()
  }
}
