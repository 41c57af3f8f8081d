// The shop under load, with its injector, and the mitigation loop around it.
import { drawArrivals } from '@trimtab/local'
import { inject } from '@trimtab/local/inject'
import { LoadStream } from '@trimtab/local/live'
import { LiveApplication, openProcessLimiter } from '@trimtab/local/microservices'
import { healthyFrom, Localiser, mitigate, shortResource } from '@trimtab/tasks/microservices'
import { OpenShop } from '../../../examples/shop/open-shop.mjs'
import { REQUESTS, SERVICES } from '../../../examples/shop/services.mjs'

/** Length of a window of the loop. */
export const STEP_SECONDS = 2
const PERIOD_MS = 1000
const RATE = 10 // requests of each type a second
const SLO_FACTOR = 2
/** What each service is deployed with: all together have 1.5 of two cores. */
const GRANT = { cpu: 0.15, diskIo: 2, network: 12.5 }
const COLLECTOR = { exportMs: 200, sweepSeconds: 0.5, window: { seconds: 10 } }
const CALIBRATION_SEED = 1_000_000
const NICENESS = -10 // of the load: what goes out late says nothing of the shop
const NO_SLO_MS = 1e9

const never = new AbortController().signal
/** As its first span is called. */
const rootOf = (request) => `gateway/${request}`

export class LiveWorld {
  limiter
  deployed
  #core
  #shop
  #application
  #loads

  static async open({ core, folder }) {
    const world = new LiveWorld()
    world.#core = core
    world.limiter = openProcessLimiter({ folder, onNotice: (message) => console.error(message) })
    try {
      world.#shop = await OpenShop.open({ folder, ...COLLECTOR })
      const { holds } = world.limiter
      const held = (name) => (holds.includes(name) ? GRANT[name] : Number.POSITIVE_INFINITY)
      const unknown = Number.POSITIVE_INFINITY // nothing here can hold it
      const grant = {
        ...{ cpu: held('cpu'), memoryBandwidth: unknown, llc: unknown, diskIo: held('diskIo'), network: GRANT.network },
      }
      world.deployed = new Map(Object.keys(SERVICES).map((name) => [name, grant]))
      world.#application = await LiveApplication.start({
        ...{ window: world.#shop.collector.window, services: world.#shop.services, limiter: world.limiter },
        ...{ deployed: world.deployed, requests: REQUESTS.map(rootOf), stepSeconds: STEP_SECONDS },
      })
      world.#shop.stressorGroups = (service) => world.#application.stressorGroups(service)
      world.#loads = REQUESTS.map((request) => ({ request, stream: new LoadStream(NICENESS) }))
      return world
    } catch (error) {
      await world.close()
      throw error
    }
  }

  /** The shop when nothing is wrong. */
  async calibrate({ warmUpSeconds, calibrationSeconds }) {
    let traces = []
    const seconds = warmUpSeconds + calibrationSeconds
    this.#begin(seconds, CALIBRATION_SEED, () => NO_SLO_MS)
    const stop = new AbortController()
    const watching = this.#each(stop.signal, async () => {
      traces.push(...(await this.#application.next(stop.signal)).traces)
    })
    for (let second = 0; second < seconds; second++) {
      if (second === warmUpSeconds) traces = []
      await this.#nextSecond()
    }
    stop.abort()
    await watching
    await this.#application.restore()
    return healthyFrom(traces, SLO_FACTOR)
  }

  /** A block. @returns `ticks`: what was seen and done in each window; `truth`: what the injector really did */
  async run({ plan, healthy, seed, policy, judge }) {
    const { slosMs } = healthy
    const localiser = new Localiser(healthy)
    const stop = new AbortController()
    const startedMs = performance.now()
    const truth = inject({
      ...{ campaign: plan.campaign, world: this.#shop.world, core: this.#core, seed, signal: stop.signal },
    })
    truth.catch(() => {}) // told below
    this.#begin(plan.seconds, seed, (request) => slosMs.get(rootOf(request)))
    const ticks = []
    const application = this.#application
    const loop = mitigate({ source: application, actuators: application, policy, signal: stop.signal })
    const acting = this.#each(stop.signal, async () => {
      const { value } = await loop.next()
      ticks.push(digest(value, (performance.now() - startedMs) / 1000, localiser, this.deployed))
    })
    acting.catch(() => {}) // told below
    for (let second = 0; second < plan.seconds; second++) judge.take(await this.#nextSecond())
    stop.abort()
    await acting
    localiser.dispose()
    const { anomalies } = await truth
    await application.restore()
    return { ticks, truth: anomalies.map(({ kind, target, seconds }) => ({ kind, target, seconds })) }
  }

  async close() {
    for (const { stream } of this.#loads ?? []) await stream.stop()
    await this.#application?.dispose()
    await this.#shop?.close()
    this.limiter.dispose()
  }

  #begin(seconds, seed, sloMsOf) {
    const ratesPerSecond = new Array(seconds).fill(RATE)
    const arrivals = drawArrivals(
      this.#core,
      REQUESTS.map((action) => ({ action, parameters: {}, ratesPerSecond })),
      seed,
    )
    const { port } = this.#shop.shop.process('gateway')
    for (const { request, stream } of this.#loads) {
      const own = arrivals.filter(({ action }) => action === request)
      const path = `/${request}?size=1`
      const target = { port, periodMs: PERIOD_MS, periods: seconds, sloMs: sloMsOf(request) }
      stream.begin(
        own.map(({ atMs }) => ({ atMs, path })),
        target,
      )
    }
  }

  /** @returns `{ request, … }` by type: a period of its load */
  #nextSecond() {
    return Promise.all(
      this.#loads.map(async ({ request, stream }) => ({ request: rootOf(request), ...(await stream.next(never)) })),
    )
  }

  async #each(signal, act) {
    try {
      while (!signal.aborted) await act()
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** What is kept of a window: whom traces name, what they seem short of, what was ordered and what became of it, and what is granted. */
function digest({ window, orders, outcomes }, atSecond, localiser, deployed) {
  const { instances, requests } = window.telemetry
  const culprits = localiser.find(window).map((culprit) => {
    const instance = instances.find(({ name }) => name === culprit.instance)
    const { service, edge, addedShare } = culprit
    return { service, edge, addedShare, resource: instance && shortResource(instance, culprit) }
  })
  const count = (list, of) => {
    const counts = {}
    for (const one of list) counts[of(one)] = (counts[of(one)] ?? 0) + 1
    return counts
  }
  const held = instances.filter(({ state }) => state === 'serving')
  const cpu = held.reduce((sum, { service, grant }) => sum + grant.cpu / deployed.get(service).cpu, 0) / held.length
  return {
    ...{ atSecond, traces: window.traces.length, cpu, culprits },
    requests: requests.map(({ name, latenciesMs }) => ({ name, count: latenciesMs.length })),
    orders: count(orders, ({ kind }) => kind),
    outcomes: count(outcomes, ({ order, done }) => `${order.kind}, ${done}`),
  }
}
