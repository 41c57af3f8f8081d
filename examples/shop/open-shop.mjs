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
  /**
   * For `LiveApplication` of `@trimtab/local/microservices`: the front door's process nobody can replace, for customers know its port.
   * @type {import('@trimtab/local/microservices').ControlledService[]}
   */
  services
  /** `(service) => groups` that stressors of each kind join; see `InjectionTarget`. */
  stressorGroups = () => ({})
  #proxies

  constructor(collector, shop, proxies, folder) {
    this.collector = collector
    this.shop = shop
    this.#proxies = proxies
    const waysTo = (name) => proxies.flatMap(({ callee, proxy }) => (callee === name ? [proxy] : []))
    this.services = shop.services.map((one) => ({
      name: one.name,
      instance: instanceOf(one),
      proxies: waysTo(one.name),
      ...(waysTo(one.name).length > 0 && { replace: () => this.#replace(one.name) }),
    }))
    const replicasOf = (name) => [{ pid: shop.process(name).pid, cgroups: this.stressorGroups(name) }]
    this.world = {
      targets: this.services.map(({ name, proxies: ways }) => ({
        service: name,
        get replicas() {
          return replicasOf(name)
        },
        proxies: ways,
        folder,
        surge: {
          url: `http://127.0.0.1:${ways[0]?.port ?? shop.process(name).port}/${Object.keys(SERVICES[name])[0]}`,
          ratePerSecond: SURGE.ofCalls,
        },
      })),
      requests: Object.fromEntries(
        REQUESTS.map((name) => [name, { url: `${shop.url}/${name}`, ratePerSecond: SURGE.ofRequests }]),
      ),
    }
  }

  /**
   * Starts it and warms it up; none of that is traced.
   * `folder`: of the services' logs; `traces`: of the collector's files, default: there are none; `exportMs`: how often services send spans,
   * default 500; `elsewhere`: the address of another collector, then there is none here; the others are the collector's own.
   * @param {{ folder: string, traces?: string, exportMs?: number, elsewhere?: string } & import('@trimtab/local/collect').CollectorOptions} options
   */
  static async open({ folder, traces, exportMs, elsewhere, ...options }) {
    const onError = ({ message }) => console.error(message)
    const collector = elsewhere ? undefined : await Collector.start({ port: 0, folder: traces, onError, ...options })
    const proxies = []
    const connect = async ({ callee }, port) => {
      const proxy = await EdgeProxy.listen({ port })
      proxies.push({ callee, proxy })
      return proxy.port
    }
    const url = elsewhere ?? `http://127.0.0.1:${collector.port}/v1/traces`
    const shop = await launchShop({ collector: url, exportMs, folder, connect })
    const open = new OpenShop(collector, shop, proxies, folder)
    for (let i = 0; i < WARM_UP_REQUESTS; i++) for (const name of REQUESTS) await open.ask(name, 1, NOT_SAMPLED)
    return open
  }

  async #replace(name) {
    const ways = this.#proxies.filter(({ callee }) => callee === name)
    return instanceOf(
      await this.shop.replace(name, {
        warmUp: async ({ port }) => {
          for (let i = 0; i < WARM_UP_REQUESTS; i++)
            for (const operation of Object.keys(SERVICES[name]))
              await send(`http://127.0.0.1:${port}/${operation}`, NOT_SAMPLED)
        },
        lead: (port) => {
          for (const { proxy } of ways) proxy.leadTo(port)
        },
      }),
    )
  }

  /** One request. @returns whether it was answered well */
  async ask(request, size, headers = {}) {
    return send(`${this.shop.url}/${request}?size=${size}`, headers)
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
    await this.collector?.close()
  }
}

/** @returns whether it was answered well */
async function send(url, headers) {
  try {
    const answer = await fetch(url, { method: 'POST', headers })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false // nobody listens, or the way broke
  }
}

const instanceOf = ({ name, replica, pid, gone }) => ({ name: `${name}-${replica}`, replica, pid, gone })
