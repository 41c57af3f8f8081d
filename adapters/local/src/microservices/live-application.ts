import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { Problems } from '@trimtab/core'
import {
  type Actuators,
  byRequest,
  fitGrant,
  limitsOutcome,
  type Order,
  type OrderOutcome,
  RESOURCES,
  type ResourceVector,
  vectorOf,
  type Window,
  type WindowSource,
} from '@trimtab/tasks/microservices'
import type { Trace } from '@trimtab/trace'
import type { CollectedWindow } from '../collect/collected-window.js'
import { UnseenTraces } from '../collect/unseen-traces.js'
import { HeldInstance, WORKERS } from './held-instance.js'
import { KnownAnswers } from './known-answers.js'
import type { ProcessHold, ProcessLimiter } from './process-limiter.js'
import type { ControlledService, ServiceInstance } from './service.js'
import { requestTelemetry, tallyVisits } from './trace-tally.js'

/** What a live application is made of, how it is seen and how it is held. */
export interface LiveApplicationOptions {
  /** Where its traces come to: a collector's. It must keep them for longer than a window. */
  readonly window: Pick<CollectedWindow, 'traces' | 'recent'>
  readonly services: readonly ControlledService[]
  readonly limiter: ProcessLimiter
  /** Grants by service; what the limiter does not hold is Infinity. */
  readonly deployed: ReadonlyMap<string, ResourceVector>
  /** Types of requests, by what their first span does. */
  readonly requests: readonly string[]
  /** Length of a window. Default 2. */
  readonly stepSeconds?: number
  /** Cores that all grants together stay within. Default: those of this machine. */
  readonly cores?: number
}

/**
 * An application of real processes on this machine as the mitigation loop sees and moves it. Windows hold the traces that became complete in
 * them, so they are as late as exporters and the collector are. What nobody counts here (memory bandwidth, cache, what was turned away) is
 * NaN; `meanWaiting` are visits on their way to an instance or in front of it, which spans do not tell apart.
 */
export class LiveApplication implements WindowSource, Actuators {
  readonly #options: Required<LiveApplicationOptions>
  readonly #instances: HeldInstance[] = []
  /** Services whose process is being replaced. */
  readonly #replacing = new Map<string, Promise<void>>()
  readonly #unseen: UnseenTraces
  readonly #answers = new KnownAnswers()
  /** What became of orders that took longer. */
  #late: OrderOutcome[] = []
  readonly #startedMs = performance.now()
  #fromMs = this.#startedMs
  #dueMs: number

  private constructor(options: LiveApplicationOptions) {
    const { stepSeconds = 2, cores = availableParallelism() } = options
    const problems = new Problems()
    problems.check(stepSeconds > 0, `stepSeconds must be above 0, got ${stepSeconds}`)
    for (const { name } of options.services)
      problems.check(options.deployed.has(name), `deployed must say what ${name} is granted`)
    problems.throwIfAny('live application')
    this.#options = { ...options, stepSeconds, cores }
    this.#dueMs = this.#startedMs + 1000 * stepSeconds
    this.#unseen = new UnseenTraces(options.window)
  }

  /**
   * Holds every process to what it is deployed with; the first window begins.
   * @throws {ConfigError} `config_invalid`; {AdapterError} as the limiter says
   */
  static async start(options: LiveApplicationOptions): Promise<LiveApplication> {
    const application = new LiveApplication(options)
    for (const service of options.services) await application.#take(service, service.instance)
    return application
  }

  /** What stressors join so that they count against the limits of the process of a service; see `InjectionTarget`. */
  stressorGroups(service: string): ProcessHold['stressorGroups'] {
    return this.#serving(service)?.hold.stressorGroups ?? {}
  }

  /** The next window, when it is over. @throws the signal's reason */
  async next(signal?: AbortSignal): Promise<Window> {
    signal?.throwIfAborted()
    const waitMs = Math.max(0, this.#dueMs - performance.now())
    await setTimeout(waitMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
    const { requests, stepSeconds } = this.#options
    const [fromMs, toMs] = [this.#fromMs, performance.now()]
    this.#fromMs = toMs
    this.#dueMs = Math.max(toMs, this.#dueMs + 1000 * stepSeconds)
    const seen = this.#unseen.take()
    const visits = tallyVisits(seen, requests)
    const traces = this.#complete(seen)
    const seconds = (toMs - fromMs) / 1000
    const instances = this.#instances.map((one) => one.take(seconds, visits.get(one.instance.name)))
    const times = { fromSecond: (fromMs - this.#startedMs) / 1000, toSecond: (toMs - this.#startedMs) / 1000 }
    return { traces, telemetry: { ...times, requests: requestTelemetry(requests, byRequest(traces)), instances } }
  }

  /** Sets limits at once; a replacement goes on, and a later call says what became of it. */
  async apply(orders: readonly Order[]): Promise<readonly OrderOutcome[]> {
    const outcomes = this.#late
    this.#late = []
    for (const order of orders) {
      const outcome = await this.#carryOut(order)
      if (outcome) outcomes.push(outcome)
    }
    return outcomes
  }

  /** Lets replacements end; everybody has again what it was deployed with, and the next window begins. */
  async restore(): Promise<void> {
    await Promise.all(this.#replacing.values())
    this.#late = []
    const { deployed, stepSeconds } = this.#options
    for (const one of this.#instances)
      if (one.state === 'serving') await one.set(deployed.get(one.service.name)!).catch(ignoreEnded)
    this.#fromMs = performance.now()
    this.#dueMs = this.#fromMs + 1000 * stepSeconds
    this.#unseen.take()
    for (const one of this.#instances) one.take(1, undefined)
  }

  /** Lets everybody go; processes run on without limits. May be called twice. */
  async dispose(): Promise<void> {
    await Promise.all(this.#replacing.values())
    for (const { hold } of this.#instances.splice(0)) hold.release()
  }

  /** Requests, whole: without what came later of those before, and with an answer to each call. */
  #complete(seen: readonly Trace[]): Trace[] {
    const groups = byRequest(seen)
    for (const trace of seen) this.#answers.learn(trace)
    return this.#options.requests
      .flatMap((name) => groups.get(name) ?? [])
      .map((trace) => this.#answers.complete(trace, (service) => this.#serving(service)?.instance.name))
  }

  #serving(service: string): HeldInstance | undefined {
    return this.#instances.find((one) => one.service.name === service && one.state === 'serving')
  }

  async #take(service: ControlledService, instance: ServiceInstance): Promise<void> {
    const grant = this.#options.deployed.get(service.name)!
    const hold = await this.#options.limiter.hold(instance.pid, grant)
    const held = new HeldInstance(service, { instance, hold, grant })
    await held.set(grant) // and the ways to it
    this.#instances.push(held)
    instance.gone.then(() => {
      const at = this.#instances.indexOf(held)
      if (at < 0) return // let go before
      this.#instances.splice(at, 1)
      hold.release()
    })
  }

  async #carryOut(order: Order): Promise<OrderOutcome | undefined> {
    if (order.kind === 'scale')
      return { order, done: 'nothing', reason: `${order.service} is one process here: its limits can be raised` }
    const held = this.#instances.find(({ instance, state }) => instance.name === order.instance && state === 'serving')
    if (!held) return { order, done: 'nothing', reason: `${order.instance} does not serve, or no more` }
    return order.kind === 'limits' ? this.#limit(order, held) : this.#replace(order, held)
  }

  async #limit(order: Order & { readonly kind: 'limits' }, held: HeldInstance): Promise<OrderOutcome> {
    const others = this.#instances.filter((one) => one !== held).reduce((sum, { grant }) => sum + grant.cpu, 0)
    const most = vectorOf(RESOURCES.map((name) => (name === 'cpu' ? this.#options.cores - others : Infinity)))
    const fitted = fitGrant(order.grant, { most, workers: WORKERS, current: held.grant })
    try {
      await held.set(fitted.grant)
    } catch (error) {
      ignoreEnded(error)
      return { order, done: 'nothing', reason: `${order.instance} has ended` }
    }
    return limitsOutcome(order, fitted)
  }

  #replace(order: Order & { readonly kind: 'replace' }, held: HeldInstance): OrderOutcome | undefined {
    const { service } = held
    if (!service.replace) return { order, done: 'nothing', reason: `nothing can take the place of ${service.name}` }
    if (this.#replacing.has(service.name)) return { order, done: 'nothing', reason: 'another one starts already' }
    const replaced = this.#swap(held, service.replace).then(
      () => this.#late.push({ order, done: 'whole' }),
      (error: Error) => this.#late.push({ order, done: 'nothing', reason: error.message }),
    )
    this.#replacing.set(
      service.name,
      replaced.then(() => void this.#replacing.delete(service.name)),
    )
    return undefined
  }

  async #swap(held: HeldInstance, start: () => Promise<ServiceInstance>): Promise<void> {
    const instance = await start()
    held.state = 'leaving'
    await this.#take(held.service, instance)
  }
}

/** What could not be done to a process that has ended, its end says; all else is an error. */
function ignoreEnded(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== 'linux_gone') throw error
}
