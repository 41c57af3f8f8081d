// Timing for all benchmarks: candidates run in alternation in one process, so that whatever the machine does to one it
// does to the other; medians and paired ratios, never best-of.

/** Keeps results alive: V8 may not drop a call whose result ends up here. */
let sink = 0
const swallow = (value) => {
  if (typeof value === 'number') sink += value
  else if (value !== undefined) sink += 1
}
/** Read by `run.mjs` at the end, which makes every swallowed result observable. */
export const drain = () => sink

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const CLOCKS = {
  wall: () => performance.now() / 1e3,
  /** All threads of this process: collecting garbage beside the work is work. */
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
}

async function seconds(call, count, now) {
  const start = now()
  const first = call(0)
  if (typeof first?.then === 'function') {
    swallow(await first)
    for (let i = 1; i < count; i++) swallow(await call(i))
  } else {
    swallow(first)
    for (let i = 1; i < count; i++) swallow(call(i))
  }
  return now() - start
}

/** Grows the batch until it lasts `batchMs`; the growing is the warm-up, which lasts at least `warmUpMs`. */
async function calibrate(call, batchMs, warmUpMs, now) {
  let count = 1
  let spent = 0
  for (;;) {
    const time = await seconds(call, count, now)
    spent += time
    if (time * 1e3 < batchMs / 2) count *= 2
    else if (spent * 1e3 >= warmUpMs) return Math.max(1, Math.round((count * batchMs) / 1e3 / time))
  }
}

/**
 * Times every candidate in alternation: round 1 in the order given, round 2 reversed, and so on.
 *
 * @param candidates  name → function, sync or async, called with the index of the call. It must return something that
 *                    depends on its work (a number is best), or the engine may leave the work out.
 * @param rounds      batches of each candidate
 * @param batchMs     how long a batch lasts
 * @param warmUpMs    how long each candidate runs before the first batch counts
 * @param clock       `wall`, or `cpu` for calls that last many milliseconds: what others run on the machine counts less
 * @returns name → seconds per call of each round
 */
export async function measure(candidates, { rounds = 15, batchMs = 20, warmUpMs = 150, clock = 'wall' } = {}) {
  const now = CLOCKS[clock]
  const names = Object.keys(candidates)
  const counts = {}
  for (const name of names) counts[name] = await calibrate(candidates[name], batchMs, warmUpMs, now)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse())
      times[name].push((await seconds(candidates[name], counts[name], now)) / counts[name])
  }
  return times
}

/** The median over rounds of `peer / ours`: above 1 means ours is faster. Paired, so that slow phases cancel. */
export const speedUp = (ours, peer) => median(ours.map((time, round) => peer[round] / time))

/**
 * One row of a report: ours against one peer, both in µs a call.
 *
 * @param target  what the row must show: `{ ratio: 5 }` (at least) and/or `{ ours: 2 }` (at most, in `unit`)
 * @example
 * await compare('actor 8-40-40-5, one state', {
 *   ours: () => { actor.forward(x, y); return y[0] },
 *   peer: async () => (await session.run(feeds)).y.data[0],
 *   target: { ratio: 5, ours: 2 },
 * })
 */
export async function compare(name, { ours, peer, target = {}, ...options }) {
  const times = await measure({ ours, peer }, options)
  return {
    name,
    ours: median(times.ours) * 1e6,
    peer: median(times.peer) * 1e6,
    ratio: speedUp(times.ours, times.peer),
    target,
    unit: 'µs',
  }
}
