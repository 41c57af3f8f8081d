// The scheduler as a queue of promises, against p-queue with random priorities in the same process; and what its promises
// cost over the bare ready queue. Functions end at once: what is timed is the queues. In CPU time: collecting what a hundred
// thousand promises leave behind is part of their price.
import { Random } from '@trimtab/core'
import { ReadyQueue } from '@trimtab/core/internal'
import { createServeCore, Scheduler, SemanticCache, shortestFirst } from '@trimtab/serve'
import PQueue from 'p-queue'
import { measure, median, speedUp } from '../harness.mjs'

const DEEP = 100_000
const SHALLOW = 1_000
const ROUNDS = 3

function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

let done = 0
const work = () => {
  done++
}
const toScheduler = (queue, tokens) => queue.add(work, { tokens })
const toPQueue = (queue, tokens) => queue.add(work, { priority: -tokens })
const toShortestFirst = (queue, tokens) => queue.add(work, { tokens })

/** Seconds a request: adding `DEEP` to a paused queue, adding some more to those, and the way to the end of all. */
async function timeDepth([queue, add], lengths) {
  queue.pause()
  const start = cpuSeconds()
  for (let i = 0; i < DEEP; i++) add(queue, lengths[i])
  const full = cpuSeconds()
  for (let i = DEEP; i < lengths.length; i++) add(queue, lengths[i])
  const added = cpuSeconds()
  queue.start()
  await queue.onIdle()
  const end = cpuSeconds()
  queue.dispose?.()
  return {
    fill: (full - start) / DEEP,
    add: (added - full) / (lengths.length - DEEP),
    drain: (end - added) / lengths.length,
  }
}

async function depthRows(core, lengths, log) {
  const capacity = lengths.length
  const makers = {
    ours: () => [new Scheduler({ core, concurrency: 1, capacity }), toScheduler],
    peer: () => [new PQueue({ concurrency: 1 }), toPQueue],
    mixed: () => [new PQueue({ concurrency: 1, queueClass: shortestFirst({ core, capacity }) }), toShortestFirst],
  }
  const times = { ours: [], peer: [], mixed: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, make] of Object.entries(makers)) {
      log(`serve: ${DEEP} requests waiting, round ${round + 1} of ${ROUNDS}, ${name}`)
      times[name].push(await timeDepth(make(), lengths))
    }
  }
  const of = (name, part) => times[name].map((time) => time[part])
  const row = (name, ours, part, target) => ({
    name,
    ours: median(of(ours, part)) * 1e6,
    peer: median(of('peer', part)) * 1e6,
    ratio: speedUp(of(ours, part), of('peer', part)),
    unit: 'µs',
    ...(target && { target }),
  })
  return [
    row('Scheduler.add where 100,000 wait, random lengths; p-queue.add, random priorities', 'ours', 'add', {
      ratio: 50,
    }),
    row('Scheduler.add from none to 100,000, each; p-queue.add', 'ours', 'fill'),
    row('Scheduler, then to the end of all, each; p-queue', 'ours', 'drain'),
    row('p-queue.add where 100,000 wait with our queueClass; with its own', 'mixed', 'add'),
  ]
}

async function promiseRow(core, lengths) {
  const queue = new ReadyQueue(core, { capacity: SHALLOW, order: 'class', slope: 1 })
  const scheduler = new Scheduler({ core, concurrency: 1, capacity: SHALLOW })
  const candidates = {
    raw: () => {
      for (let i = 0; i < SHALLOW; i++) queue.push(lengths[i], i)
      let sum = 0
      for (let i = 0; i < SHALLOW; i++) sum += queue.pop()
      return sum
    },
    promised: async () => {
      scheduler.pause()
      for (let i = 0; i < SHALLOW; i++) toScheduler(scheduler, lengths[i])
      scheduler.start()
      await scheduler.onIdle()
      return done
    },
  }
  const times = await measure(candidates, { clock: 'cpu', batchMs: 60, warmUpMs: 500 })
  queue.dispose()
  scheduler.dispose()
  const over = times.promised.map((time, round) => time - times.raw[round])
  return {
    name: 'a promise: Scheduler.add, start and settle, less push and pop; 1,000 waiting',
    ours: (median(over) / SHALLOW) * 1e6,
    unit: 'µs',
    target: { ours: 0.5 },
  }
}

/** Looking up among a full cache of prompts of 320 characters that are all different. */
async function cacheRow(core, random) {
  const prompt = () => {
    let text = ''
    while (text.length < 320) text += `${random.integer(20_000).toString(36)} `
    return text
  }
  const cache = new SemanticCache(core)
  for (let i = 0; i < cache.capacity; i++) cache.learn('model', prompt(), i)
  const prompts = Array.from({ length: 100 }, prompt)
  const { ours } = await measure(
    { ours: (i) => (cache.find('model', prompts[i % prompts.length]) === undefined ? 0 : 1) },
    { clock: 'cpu', batchMs: 60, warmUpMs: 300 },
  )
  cache.dispose()
  return { name: 'SemanticCache.find among 1,024 prompts', ours: median(ours) * 1e6, unit: 'µs' }
}

/** Rows of `npm run bench serve`. */
export async function schedulerRows({ log }) {
  const core = await createServeCore()
  const random = new Random(core, 1)
  const lengths = Float64Array.from({ length: DEEP + SHALLOW }, () => Math.round(random.exponential(300)))
  return [await promiseRow(core, lengths), ...(await depthRows(core, lengths, log)), await cacheRow(core, random)]
}
