import { type AnyCore, ConfigError, Problems, Random } from '@trimtab/core'
import type { Trace } from '@trimtab/trace'
import type { ServiceGraph } from '../graph.js'
import { RESOURCES, vectorOf } from '../resources.js'
import { COLD_START_SECONDS, MicroserviceSimulator, type SimulatorOptions } from '../simulator.js'
import type { GraphTelemetry, InstanceTelemetry } from '../telemetry.js'
import type { Actuators, Order, OrderOutcome, Window, WindowSource } from './application.js'
import { fitGrant, limitsOutcome } from './fit-grant.js'

/** How fast and how well a simulated application is seen and moved. */
export interface SimulatedApplicationOptions extends SimulatorOptions {
  /** Length of a window. Default 1. */
  readonly stepSeconds?: number
  /** How old a window is when it is seen: whole steps. Default 0. */
  readonly lagSeconds?: number
  /** Relative deviation of busy shares, queues and utilisations. Default 0. */
  readonly noise?: number
  /** From an order to its effect, less than a step. Default 0. */
  readonly actuationSeconds?: number
  /** From an order to a new replica that serves. Default `COLD_START_SECONDS`. */
  readonly startSeconds?: number
}

const WARM_UP_SECONDS = 5
const NOISE_STREAM = 4

/** A simulated application as the mitigation loop sees and moves it: late, with noise, within what machines have. */
export class SimulatedApplication implements WindowSource, Actuators {
  readonly simulator: MicroserviceSimulator
  readonly #options: Required<Omit<SimulatedApplicationOptions, keyof SimulatorOptions>>
  readonly #random: Random
  /** Not seen yet, oldest first. */
  #unseen: Window[] = []
  #ordered: readonly Order[] = []
  #outcomes: OrderOutcome[] = []
  #latest: GraphTelemetry

  /** @throws {ConfigError} `config_invalid`, `nodes_full` */
  constructor(core: AnyCore, graph: ServiceGraph, options: SimulatedApplicationOptions = {}) {
    const { stepSeconds = 1, lagSeconds = 0, noise = 0, actuationSeconds = 0, seed = 0 } = options
    const { startSeconds = COLD_START_SECONDS } = options
    const problems = new Problems()
    problems.check(stepSeconds > 0, `stepSeconds must be above 0, got ${stepSeconds}`)
    const isWhole = Number.isInteger(lagSeconds / stepSeconds) && lagSeconds >= 0
    problems.check(isWhole, `lagSeconds must be a multiple of stepSeconds, got ${lagSeconds}`)
    problems.check(noise >= 0, `noise must be >= 0, got ${noise}`)
    const isPrompt = actuationSeconds >= 0 && actuationSeconds < stepSeconds
    problems.check(isPrompt, `actuationSeconds must be >= 0 and less than a step, got ${actuationSeconds}`)
    problems.throwIfAny('application')
    this.#options = { stepSeconds, lagSeconds, noise, actuationSeconds, startSeconds }
    this.simulator = new MicroserviceSimulator(core, graph, options)
    this.#random = new Random(core, seed, NOISE_STREAM)
    this.simulator.run(WARM_UP_SECONDS)
    this.#latest = this.simulator.collect()
    for (let late = 0; late < lagSeconds; late += stepSeconds) this.#unseen.push(this.#live())
  }

  /** What really happened in the window lived last, for whoever judges. */
  get latest(): GraphTelemetry {
    return this.#latest
  }

  /** What became of the orders that the window lived last carried out. */
  get outcomes(): readonly OrderOutcome[] {
    return this.#outcomes
  }

  /** Lives a step on; what is then seen is `lagSeconds` old. */
  next(): Window {
    this.#unseen.push(this.#live())
    return this.#unseen.shift()!
  }

  /** Takes orders that the next window carries out after `actuationSeconds`. @returns what became of those before */
  apply(orders: readonly Order[]): readonly OrderOutcome[] {
    this.#ordered = orders
    return this.#outcomes
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.simulator.dispose()
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #live(): Window {
    const { stepSeconds, actuationSeconds } = this.#options
    const from = this.simulator.nowSeconds
    const traces: Trace[] = []
    const keep = (trace: Trace): number => traces.push(trace)
    this.simulator.run(from + actuationSeconds, keep)
    this.#outcomes = this.#ordered.map((order) => this.#carryOut(order))
    this.#ordered = []
    this.simulator.run(from + stepSeconds, keep)
    this.#latest = this.simulator.collect()
    const instances = this.#latest.instances.map((instance) => this.#measured(instance))
    return { traces, telemetry: { ...this.#latest, instances } }
  }

  #measured(instance: InstanceTelemetry): InstanceTelemetry {
    const { noise } = this.#options
    if (noise === 0) return instance
    const blurred = (value: number): number => value * Math.max(0, 1 + noise * this.#random.normal())
    const { busy01, meanWaiting, utilisation01 } = instance
    return {
      ...instance,
      busy01: Math.min(1, blurred(busy01)),
      meanWaiting: blurred(meanWaiting),
      utilisation01: vectorOf(RESOURCES.map((resource) => Math.min(1, blurred(utilisation01[resource])))),
    }
  }

  #carryOut(order: Order): OrderOutcome {
    try {
      if (order.kind === 'scale') this.simulator.scale(order.service, order.replicas, this.#options.startSeconds)
      else if (order.kind === 'replace')
        this.simulator.replace(this.#number(order.instance), this.#options.startSeconds)
      else return this.#limit(order)
      return { order, done: 'whole' }
    } catch (refusal) {
      if (!(refusal instanceof ConfigError) || !REFUSALS.includes(refusal.code)) throw refusal
      return { order, done: 'nothing', reason: refusal.message }
    }
  }

  #limit(order: Order & { readonly kind: 'limits' }): OrderOutcome {
    const number = this.#number(order.instance)
    const most = this.simulator.mostGrant(number)
    const { grant: current, workers } = this.#latest.instances[number]!
    const fitted = fitGrant(order.grant, { most, workers, current })
    this.simulator.setGrant(number, fitted.grant)
    return limitsOutcome(order, fitted)
  }

  #number(instance: string): number {
    return this.simulator.instances.findIndex(({ name }) => name === instance)
  }
}

/** What a world may refuse without anybody being wrong: it went on since the order was given, or it is full. */
const REFUSALS: readonly string[] = ['instance_not_serving', 'nodes_full', 'instance_unknown']
