// Starts the shop's services as processes, tells each where the others are, and takes them down.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EDGES, SERVICES } from './services.mjs'

const PROGRAM = fileURLToPath(new URL('service.mjs', import.meta.url))

/**
 * @param collector  where spans go: `http://127.0.0.1:4318/v1/traces`
 * @param folder     where services write their logs
 * @param connect    `({ caller, callee }, port) => port`: what stands between two services, a proxy say; default: nothing
 */
export async function launchShop({ collector, folder, connect = (_, port) => port }) {
  const children = new Map(Object.keys(SERVICES).map((name) => [name, fork(PROGRAM, [name])]))
  try {
    const services = await Promise.all(
      [...children].map(async ([name, child]) => ({
        name,
        pid: child.pid,
        port: (await nextMessage(name, child)).port,
      })),
    )
    const portOf = new Map(services.map(({ name, port }) => [name, port]))
    const ports = Object.fromEntries(services.map(({ name }) => [name, {}]))
    for (const edge of EDGES) ports[edge.caller][edge.callee] = await connect(edge, portOf.get(edge.callee))
    await Promise.all(
      [...children].map(([name, child]) => {
        child.send({ ports: ports[name], collector, folder })
        return nextMessage(name, child)
      }),
    )
    return new Shop(services, children)
  } catch (error) {
    for (const child of children.values()) child.kill('SIGKILL')
    throw error
  }
}

/** What a service says next. @throws when it ends instead */
const nextMessage = (name, child) =>
  new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`${name} ended with ${signal ?? code}`)))
  })

class Shop {
  /** `{ name, pid, port }` each. */
  services
  /** `{ caller, callee }` each. */
  edges = EDGES
  #children

  constructor(services, children) {
    this.services = services
    this.#children = children
  }

  /** Where requests go: `${url}/browse?size=1`. */
  get url() {
    return `http://127.0.0.1:${this.services.find(({ name }) => name === 'gateway').port}`
  }

  /** Names of the services that do not answer. */
  async unhealthy() {
    const answers = await Promise.all(
      this.services.map(({ port }) =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    )
    return this.services.filter((_, i) => !answers[i]).map(({ name }) => name)
  }

  /** Lets every service finish its queue and send its spans, callers first, then ends it. */
  async stop() {
    for (const child of this.#children.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.send('stop', () => {}) // one that ended meanwhile hears nothing
      await new Promise((resolve) => child.once('exit', resolve))
    }
  }
}
