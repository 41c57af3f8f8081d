// What callers of one real pod see at a size and a load: held by this machine's limiter, under an open loop.
import { pathToFileURL } from 'node:url'
import { createCore } from '@trimtab/core'
import { BURN_FUNCTION, measureMachine, quantileOf, whyTooBusy } from '@trimtab/local'
import { drawLiveLoad, LiveCluster, LoadStream, openLimiter } from '@trimtab/local/live'

const MEMORY_MIB = 256
const PERIOD_MS = 2000
const SETTLING_PERIODS = 1
/** Work of a request as `drawLiveLoad` draws it, mean ms: half of it always, half of it exponential. */
const DRAWN_WORK_MS = 2
export const VARIABILITY = 0.25
/** I/O of a request as it draws it: exponential, mean ms. */
export const WAIT_MS = 3
const HTTP_MS = 0.3 // CPU time of a request beside its work, about
const NO_SLO_MS = 1e9 // nothing is late
const AMPLE = { coresPerReplica: 1, memoryMiBPerReplica: MEMORY_MIB, replicas: 1 }
const BOUNDS = { cores: [0.05, 1], memoryMiB: [MEMORY_MIB, MEMORY_MIB], replicas: [1, 1] }

/** Points that are measured: quantiles of latency at a size and a utilisation. */
export async function measurePoints({ cores, utilisations, worksMs, requests, seconds }, progress) {
  const core = await createCore()
  const { signal } = new AbortController()
  const { main: work } = await import(pathToFileURL(BURN_FUNCTION).href)
  const machine = await measureMachine(work, signal)
  const limiter = openLimiter()
  const load = new LoadStream(-10)
  const cluster = new LiveCluster({ limiter, bounds: BOUNDS, niceness: { balancer: -10, pods: 0 } }, AMPLE)
  const points = []
  try {
    await cluster.settled(signal)
    const port = await cluster.port
    const [shortest, longest] = seconds
    let seed = 0

    /** One cell; its rate is what makes the utilisation if a request takes so much CPU time. */
    const measure = async ({ cores, utilisation01: planned01, workMs, requestMs }) => {
      const ratePerSecond = (1000 * planned01 * cores) / requestMs
      const judged = Math.min(longest, Math.max(shortest, requests / ratePerSecond))
      const periods = Math.ceil((1000 * judged) / PERIOD_MS) + SETTLING_PERIODS
      await cluster.bring({ ...AMPLE, coresPerReplica: cores })
      const drawn = drawLiveLoad(core, {
        ...{ seconds: (periods * PERIOD_MS) / 1000, seed: ++seed, peakPerSecond: ratePerSecond, shapeAt: () => 1 },
        roundsPerMs: (machine.roundsPerMs * workMs) / DRAWN_WORK_MS,
      })
      load.begin(drawn, { port, periodMs: PERIOD_MS, periods, sloMs: NO_SLO_MS })
      const [latenciesMs, lagsMs] = [[], []]
      let cpuMs = 0
      for (let period = 0; period < periods; period++) {
        const seen = await load.next(signal)
        const usage = cluster.takeUsage()
        if (period < SETTLING_PERIODS) continue
        latenciesMs.push(...seen.latenciesMs)
        lagsMs.push(...seen.lagsMs)
        cpuMs += usage.cpuMs
      }
      const takenMs = cpuMs / latenciesMs.length
      const utilisation01 = (ratePerSecond * takenMs) / (1000 * cores)
      const point = {
        ...{ cores, utilisation01, workMs, ratePerSecond, requests: latenciesMs.length, requestMs: takenMs },
        p50Ms: quantileOf(latenciesMs, 0.5),
        p90Ms: quantileOf(latenciesMs, 0.9),
        p99Ms: quantileOf(latenciesMs, 0.99),
        lagP99Ms: quantileOf(lagsMs, 0.99),
      }
      progress(
        `${cores} cores at ${utilisation01.toFixed(2)}, ${workMs} ms: p99 ${point.p99Ms.toFixed(0)} ms of ${point.requests} requests`,
      )
      return point
    }

    for (const workMs of worksMs) {
      await measure({ cores: 1, utilisation01: 0.3, workMs, requestMs: workMs }) // code is compiled before it counts
      points.push(await measure({ cores: 1, utilisation01: 0.1, workMs, requestMs: workMs }))
      for (const size of cores)
        for (const utilisation01 of utilisations)
          points.push(await measure({ cores: size, utilisation01, workMs, requestMs: workMs + HTTP_MS }))
    }
    return { limiter: limiter.name, machine, busy: whyTooBusy(machine), points }
  } finally {
    await Promise.all([cluster.dispose(), load.stop()])
    limiter.dispose()
  }
}
