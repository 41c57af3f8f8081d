// The shop with all that belongs to it: its services, proxies on the ways between them, the collector that takes their spans, its customers.
import { setTimeout } from 'node:timers/promises'
import { Collector } from '@trimtab/local/collect'
import { EdgeProxy } from '@trimtab/local/inject'
import { launchShop } from './launch.mjs'
import { REQUESTS, SERVICES } from './services.mjs'

const WARM_UP_REQUESTS = 20 // of each type: engines compile, connections open
const NOT_SAMPLED = { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-00' }
/** Calls a second of a surge at its strongest. */
const SURGE = { ofRequests: 80, ofCalls: 300 }

export class OpenShop {
  collector
  shop
  /** What `inject` of `@trimtab/local/inject` can reach. */
  world
  #proxies

  constructor(collector, shop, proxies, folder) {
    this.collector = collector
    this.shop = shop
    this.#proxies = proxies
    this.world = {
      targets: shop.services.map(({ name, pid, port }) => ({
        service: name,
        replicas: [{ pid }],
        proxies: proxies.flatMap(({ callee, proxy }) => (callee === name ? [proxy] : [])),
        folder,
        surge: {
          url: `http://127.0.0.1:${port}/${Object.keys(SERVICES[name])[0]}`,
          ratePerSecond: SURGE.ofCalls,
        },
      })),
      requests: Object.fromEntries(
        REQUESTS.map((name) => [name, { url: `${shop.url}/${name}`, ratePerSecond: SURGE.ofRequests }]),
      ),
    }
  }

  /** Starts it and warms it up; none of that is traced. @param folder  of the services' logs. @param traces  folder of the collector's files */
  static async open({ folder, traces }) {
    const collector = await Collector.start({
      port: 0,
      folder: traces,
      onError: ({ message }) => console.error(message),
    })
    const proxies = []
    const connect = async ({ callee }, port) => {
      const proxy = await EdgeProxy.listen({ port })
      proxies.push({ callee, proxy })
      return proxy.port
    }
    const shop = await launchShop({ collector: `http://127.0.0.1:${collector.port}/v1/traces`, folder, connect })
    const open = new OpenShop(collector, shop, proxies, folder)
    for (let i = 0; i < WARM_UP_REQUESTS; i++) for (const name of REQUESTS) await open.ask(name, 1, NOT_SAMPLED)
    return open
  }

  /** One request. @returns whether it was answered well */
  async ask(request, size, headers = {}) {
    try {
      const answer = await fetch(`${this.shop.url}/${request}?size=${size}`, { method: 'POST', headers })
      await answer.arrayBuffer()
      return answer.ok
    } catch {
      return false // nobody listens, or the way broke
    }
  }

  /**
   * A steady load of all types of requests, open loop: a request goes out when it is due, whatever became of the others.
   * @returns how many were sent, and how many of these failed
   */
  async serve({ rate, seconds, size, signal }) {
    const started = performance.now()
    const answers = []
    for (let i = 0; i < rate * seconds && !signal.aborted; i++) {
      await setTimeout(Math.max(0, started + (1000 * i) / rate - performance.now()))
      answers.push(this.ask(REQUESTS[i % REQUESTS.length], size))
    }
    const failed = (await Promise.all(answers)).filter((ok) => !ok).length
    return { sent: answers.length, failed }
  }

  /** Lets services finish, takes their last spans, and ends all. */
  async close() {
    await this.shop.stop()
    for (const { proxy } of this.#proxies) await proxy.close()
    await this.collector.close()
  }
}
