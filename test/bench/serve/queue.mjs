// The ready queue against the heaps of npm, and the replay. A round is a queue filled and emptied, from nothing to nothing.
// A peer's entry is an object with a key, made as it enters, as a request is. One kind of object and one comparison a peer: its
// code stays as fast as it can be.
import { Random } from '@trimtab/core'
import { ReadyQueue, replayRequests } from '@trimtab/core/internal'
import { createServeCore } from '@trimtab/serve'
import FastPriorityQueue from 'fastpriorityqueue'
import { Heap } from 'heap-js'
import TinyQueue from 'tinyqueue'
import { measure, median } from '../harness.mjs'

const SEED = 1
const SLOPE = 1 // tokens a second
/** Arrivals a second: at once, where keys are as random as lengths, and at a pace at which ageing decides as much as length does. */
const PACES = { 'at once': 1e6, 'at 100 a second': 100 }
const LOAD = 0.9
const SIZES = [
  { n: 1000, targets: { class: { ratio: 2 } } },
  { n: 100_000, targets: {} },
  { n: 1_000_000, targets: { class: { ratio: 10 }, exact: { ratio: 3 } } },
]
const REPLAYED = 1_000_000
const WITHIN_HALF_A_SECOND = { ours: 0.5 } // 2 million a second
const ways = [
  { batching: 'none', servers: 1 },
  { batching: 'dynamic', servers: 1 },
  { batching: 'continuous', servers: 1 },
  { batching: 'none', servers: 8 },
]

/** Lengths as of a language model's answers: log-normal, a median of 180 tokens. */
function lengths(core, n) {
  const random = new Random(core, SEED)
  return Float64Array.from({ length: n }, () => Math.ceil(core.math.exp(5.2 + random.normal())))
}

function workload(core, n, perSecond) {
  const tokens = lengths(core, n)
  const arrivals = Float64Array.from(tokens, (_, i) => i / perSecond)
  return { tokens, arrivals }
}

const compare = (a, b) => a.key - b.key
const isBefore = (a, b) => a.key < b.key

/** name → a function that fills a queue and empties it. Written out for each, so that every call has one target. */
const PEERS = {
  'heap-js': (tokens, arrivals) => () => {
    const queue = new Heap(compare)
    let sum = 0
    for (let i = 0; i < tokens.length; i++) queue.push({ key: tokens[i] + SLOPE * arrivals[i], id: i })
    for (let i = 0; i < tokens.length; i++) sum += queue.pop().id * (i & 7)
    return sum
  },
  tinyqueue: (tokens, arrivals) => () => {
    const queue = new TinyQueue([], compare)
    let sum = 0
    for (let i = 0; i < tokens.length; i++) queue.push({ key: tokens[i] + SLOPE * arrivals[i], id: i })
    for (let i = 0; i < tokens.length; i++) sum += queue.pop().id * (i & 7)
    return sum
  },
  fastpriorityqueue: (tokens, arrivals) => () => {
    const queue = new FastPriorityQueue(isBefore)
    let sum = 0
    for (let i = 0; i < tokens.length; i++) queue.add({ key: tokens[i] + SLOPE * arrivals[i], id: i })
    for (let i = 0; i < tokens.length; i++) sum += queue.poll().id * (i & 7)
    return sum
  },
}

const OURS = {
  class: (queue, tokens, arrivals) => () => {
    let sum = 0
    for (let i = 0; i < tokens.length; i++) queue.push(tokens[i], arrivals[i])
    for (let i = 0; i < tokens.length; i++) sum += queue.pop() * (i & 7)
    return sum
  },
  exact: (queue, tokens, arrivals) => () => {
    let sum = 0
    for (let i = 0; i < tokens.length; i++) queue.push(tokens[i], arrivals[i])
    for (let i = 0; i < tokens.length; i++) sum += queue.pop() * (i & 7)
    return sum
  },
}

async function queueRows(core, { n, targets }, pace) {
  const { tokens, arrivals } = workload(core, n, PACES[pace])
  const queues = Object.keys(OURS).map((order) => new ReadyQueue(core, { capacity: n, order, slope: SLOPE }))
  const candidates = Object.fromEntries([
    ...queues.map((queue) => [queue.options.order, OURS[queue.options.order](queue, tokens, arrivals)]),
    ...Object.entries(PEERS).map(([peer, of]) => [peer, of(tokens, arrivals)]),
  ])
  const times = await measure(candidates, { clock: 'cpu', rounds: n > 100_000 ? 3 : 15, batchMs: 60, warmUpMs: 300 })
  for (const queue of queues) queue.dispose()
  const peers = Object.keys(PEERS)
  const best = peers.reduce((a, b) => (median(times[a]) <= median(times[b]) ? a : b))
  const nanoseconds = (name) => (median(times[name]) / n) * 1e9
  return Object.keys(OURS).map((order) => ({
    name: `${order}: push and pop of ${n.toLocaleString('en')} that come ${pace}, against ${best}`,
    ours: nanoseconds(order),
    peer: nanoseconds(best),
    // Round by round against whichever peer was fastest in it.
    ratio: median(times[order].map((time, round) => Math.min(...peers.map((peer) => times[peer][round])) / time)),
    target: pace === 'at once' ? targets[order] : undefined,
    unit: 'ns',
  }))
}

/** Of all pairs, those in the wrong order. */
function misorderedShare(keys) {
  const n = keys.length
  let wrong = 0
  let from = Float64Array.from(keys)
  let to = new Float64Array(n)
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n)
      const end = Math.min(start + 2 * width, n)
      for (let i = start, j = middle, k = start; k < end; k++) {
        if (i < middle && (j >= end || from[i] <= from[j])) to[k] = from[i++]
        else {
          wrong += middle - i
          to[k] = from[j++]
        }
      }
    }
    ;[from, to] = [to, from]
  }
  return wrong / ((n * (n - 1)) / 2)
}

/** What rounding to classes costs: pairs that leave in the wrong order, and completion times of a replay. */
function orderRows(core) {
  const n = 10_000
  const { tokens, arrivals } = workload(core, n, PACES['at 100 a second'])
  const queue = new ReadyQueue(core, { capacity: n, order: 'class', slope: SLOPE })
  const tickets = new Int32Array(n)
  queue.pushMany(tokens, arrivals, tickets)
  const rowOf = new Int32Array(n)
  for (let row = 0; row < n; row++) rowOf[tickets[row]] = row
  queue.popMany(tickets)
  const wrong = misorderedShare(
    Array.from(tickets, (ticket) => tokens[rowOf[ticket]] + SLOPE * arrivals[rowOf[ticket]]),
  )
  queue.dispose()
  const columns = trace(core, REPLAYED, 1)
  const mean = (order) => {
    const { finish } = replayRequests(core, columns, { order, slope: SLOPE })
    return finish.reduce((sum, time, row) => sum + time - columns.arrival[row], 0) / REPLAYED
  }
  const [inClasses, exactly, fifo] = ['class', 'exact', 'fifo'].map(mean)
  return [
    { name: 'class: pairs of 10,000 that leave in the wrong order', ours: 100 * wrong, unit: '%' },
    { name: 'class: mean JCT of a replay above that of exact', ours: 100 * (inClasses / exactly - 1), unit: '%' },
    { name: '  and exact below first come, first served', ours: 100 * (1 - exactly / fifo), unit: '%' },
  ]
}

/** Requests at 90 % of what the servers can do one at a time. */
function trace(core, n, servers) {
  const tokens = lengths(core, n)
  const random = new Random(core, SEED, 1)
  const service = 0.1 + (0.02 * tokens.reduce((sum, length) => sum + length, 0)) / n
  let time = 0
  const arrival = Float64Array.from(tokens, () => {
    time += random.exponential(service / servers / LOAD)
    return time
  })
  return { arrival, tokens, estimate: tokens }
}

async function replayRows(core) {
  const candidates = {}
  for (const way of ways) {
    const columns = trace(core, REPLAYED, way.servers)
    for (const order of ['class', 'exact']) {
      const servers = way.servers === 1 ? '1 server' : `${way.servers} servers`
      candidates[`replay of 1,000,000 requests: ${order}, batching ${way.batching}, ${servers}`] = () =>
        replayRequests(core, columns, { ...way, order, slope: SLOPE }).finish[REPLAYED - 1]
    }
  }
  const times = await measure(candidates, { clock: 'cpu', rounds: 3, warmUpMs: 100 })
  return Object.entries(times).map(([name, seconds]) => ({
    ...{ name, ours: median(seconds), target: WITHIN_HALF_A_SECOND, unit: 's' },
  }))
}

function memoryRows(core) {
  return ['class', 'exact'].map((order) => {
    const before = core.usedBytes
    const queue = new ReadyQueue(core, { capacity: 1_000_000, order })
    const bytes = (core.usedBytes - before) / 1_000_000
    queue.dispose()
    return { name: `${order}: memory of a place in a queue of 1,000,000`, ours: bytes, unit: 'bytes' }
  })
}

export async function readyQueueRows({ log }) {
  const core = await createServeCore()
  const rows = []
  for (const size of SIZES) {
    log(`serving: queues of ${size.n.toLocaleString('en')}`)
    for (const pace of Object.keys(PACES)) rows.push(...(await queueRows(core, size, pace)))
  }
  log('serving: replays')
  return [...rows, ...orderRows(core), ...memoryRows(core), ...(await replayRows(core))]
}
