// Starts the shop's services as processes, tells each where the others are, puts others in their place, and takes them down.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { EDGES, SERVICES } from './services.mjs'

const PROGRAM = fileURLToPath(new URL('service.mjs', import.meta.url))

/**
 * @param collector  where spans go: `http://127.0.0.1:4318/v1/traces`
 * @param exportMs   how often services send theirs; default 500
 * @param folder     where services write their logs
 * @param connect    `({ caller, callee }, port) => port`: what stands between two services, a proxy say; default: nothing
 */
export async function launchShop({ collector, exportMs, folder, connect = (_, port) => port }) {
  const processes = new Map(Object.keys(SERVICES).map((name) => [name, new ServiceProcess(name, 0)]))
  try {
    const ports = Object.fromEntries([...processes.keys()].map((name) => [name, {}]))
    const portOf = new Map(await Promise.all([...processes].map(async ([name, one]) => [name, await one.listens()])))
    for (const edge of EDGES) ports[edge.caller][edge.callee] = await connect(edge, portOf.get(edge.callee))
    const worldOf = (name) => ({ ports: ports[name], collector, exportMs, folder })
    await Promise.all([...processes].map(([name, one]) => one.begin(worldOf(name))))
    return new Shop(processes, worldOf)
  } catch (error) {
    for (const one of processes.values()) one.kill()
    throw error
  }
}

/** One process of a service. */
class ServiceProcess {
  name
  replica
  port
  /** Resolves when it is gone. */
  gone
  #child

  constructor(name, replica) {
    this.name = name
    this.replica = replica
    this.#child = fork(PROGRAM, [name, replica])
    this.gone = new Promise((resolve) => this.#child.once('exit', resolve))
  }

  get pid() {
    return this.#child.pid
  }

  /** @returns its port. @throws when it ends instead */
  async listens() {
    this.port = (await this.#nextMessage()).port
    return this.port
  }

  /** Tells it where the others are; from then on it serves. */
  async begin(world) {
    this.#child.send(world)
    await this.#nextMessage()
  }

  /** Lets it finish its queue and send its spans, then ends it. */
  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.send('stop', () => {}) // one that ended meanwhile hears nothing
    await this.gone
  }

  kill() {
    this.#child.kill('SIGKILL')
  }

  #nextMessage() {
    return new Promise((resolve, reject) => {
      this.#child.once('message', resolve)
      this.#child.once('error', reject)
      this.#child.once('exit', (code, signal) => reject(new Error(`${this.name} ended with ${signal ?? code}`)))
    })
  }
}

class Shop {
  /** `{ caller, callee }` each. */
  edges = EDGES
  #processes
  #worldOf
  #leaving = new Set()

  constructor(processes, worldOf) {
    this.#processes = processes
    this.#worldOf = worldOf
  }

  /** Those that serve, `{ name, replica, pid, port, gone }` each. */
  get services() {
    return [...this.#processes.values()]
  }

  /** The process of a service that serves now. */
  process(name) {
    return this.#processes.get(name)
  }

  /** Where requests go: `${url}/browse?size=1`. */
  get url() {
    return `http://127.0.0.1:${this.process('gateway').port}`
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

  /**
   * Another process takes the place of a service's: it is started, warmed up, and led to; then the old one finishes.
   * @param warmUp  `(process) => Promise`, before anybody is led there
   * @param lead    `(port) => void`: callers go there from now on
   * @returns the new process
   */
  async replace(name, { warmUp, lead }) {
    const old = this.process(name)
    const next = new ServiceProcess(name, old.replica + 1)
    try {
      await next.listens()
      await next.begin(this.#worldOf(name))
      await warmUp(next)
    } catch (error) {
      next.kill()
      throw error
    }
    this.#processes.set(name, next)
    lead(next.port)
    const left = old.stop().then(() => this.#leaving.delete(left))
    this.#leaving.add(left)
    return next
  }

  /** Lets every service finish its queue and send its spans, callers first, then ends it. */
  async stop() {
    await Promise.all(this.#leaving)
    for (const one of this.#processes.values()) await one.stop()
  }
}
