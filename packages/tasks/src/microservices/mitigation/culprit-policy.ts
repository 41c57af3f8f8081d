import type { Controller, CoreMath } from '@trimtab/core'
import type { ResourceVector } from '../resources.js'
import type { InstanceTelemetry } from '../telemetry.js'
import type { Because, MitigationPolicy, Order, Window } from './application.js'
import { CONTINUOUS_ACTION, type CulpritAction } from './culprit-action.js'
import { CULPRIT_OBSERVATION, encodeCulprit } from './culprit-state.js'
import type { Localiser } from './localiser.js'
import { RaisedLimits, type ReleaseOptions } from './raised-limits.js'
import { UsualLoad } from './usual-load.js'

/** An instance to act on, and why. */
export interface Named {
  readonly instance: string
  readonly because: Because
}

/** Names whom to act on, from what a window shows; may know more. */
export type Namer = (window: Window) => readonly Named[]

/** Those that traces name. */
export const byTraces =
  (localiser: Localiser): Namer =>
  (window) =>
    localiser.find(window).map((culprit) => ({ instance: culprit.instance, because: culprit }))

/** Those whose workers hardly rest or whose queue is long. */
export const byOwnQueue: Namer = ({ telemetry }) =>
  telemetry.instances
    .filter(({ state, busy01, meanWaiting }) => state === 'serving' && (busy01 > BUSY || meanWaiting > WAITING))
    .map(({ name }) => ({ instance: name, because: 'queue' }))

const BUSY = 0.8
const WAITING = 2

/** Everybody that somebody names and that serves, once each, by whoever names it first. */
export function nameAll(namers: readonly Namer[], window: Window): Named[] {
  const serving = new Set(window.telemetry.instances.flatMap(({ name, state }) => (state === 'serving' ? [name] : [])))
  const named = new Map<string, Named>()
  for (const namer of namers)
    for (const one of namer(window))
      if (serving.has(one.instance) && !named.has(one.instance)) named.set(one.instance, one)
  return [...named.values()]
}

/** An estimator for each service, made when its first replica is named; from a policy learned elsewhere, it is FIRM's transferred one. */
export function oneForEach(make: (service: string) => Controller): (instance: InstanceTelemetry) => Controller {
  const made = new Map<string, Controller>()
  return ({ service }) => {
    const known = made.get(service) ?? make(service)
    made.set(service, known)
    return known
  }
}

/** Whom a culprit policy acts on, how it sets their limits and when it gives up on them. */
export interface CulpritPolicyOptions extends ReleaseOptions {
  readonly name: string
  readonly math: CoreMath
  /** Grants by service. */
  readonly deployed: ReadonlyMap<string, ResourceVector>
  /** An instance that several name is named by the first. */
  readonly namers: readonly Namer[]
  /** Sets the limits of an instance: one for all, `oneForEach`, or one that was transferred. Default: the action's `up`, the rule. */
  readonly estimatorOf?: (instance: InstanceTelemetry) => Controller
  /** Default `CONTINUOUS_ACTION`. */
  readonly action?: CulpritAction
  /** An instance still named so long after its limits were raised is replaced, but where its load is what grew. Default: never. */
  readonly replaceAfterSeconds?: number
}

/** Raises the limits of whoever is named, releases them slowly, and replaces those whom that does not help. */
export class CulpritPolicy implements MitigationPolicy {
  readonly name: string
  readonly #options: Required<Omit<CulpritPolicyOptions, keyof ReleaseOptions>>
  readonly #limits: RaisedLimits
  /** When an instance was named first of late, and last. */
  readonly #spells = new Map<string, { from: number; to: number }>()
  readonly #usualLoad = new UsualLoad()
  #before: ReadonlyMap<string, InstanceTelemetry> = new Map()

  constructor(options: CulpritPolicyOptions) {
    const { action = CONTINUOUS_ACTION, estimatorOf = () => action.up } = options
    const { replaceAfterSeconds = Number.POSITIVE_INFINITY } = options
    this.name = options.name
    this.#options = { ...options, estimatorOf, action, replaceAfterSeconds }
    this.#limits = new RaisedLimits(options.deployed, options)
  }

  decide(window: Window): Order[] {
    const { telemetry } = window
    const second = telemetry.toSecond
    const serving = new Map(telemetry.instances.flatMap((one) => (one.state === 'serving' ? [[one.name, one]] : [])))
    this.#limits.forget(serving)
    for (const name of this.#spells.keys()) if (!serving.has(name)) this.#spells.delete(name)
    const orders: Order[] = []
    const seconds = second - telemetry.fromSecond
    const named = nameAll(this.#options.namers, window)
    for (const { instance: name, because } of named) {
      const instance = serving.get(name)!
      orders.push({ kind: 'limits', instance: name, grant: this.#raise(instance, because, second), because })
      const isHopeless = this.#isHopeless(name, second)
      if (isHopeless && !this.#usualLoad.isExceeded(instance, seconds))
        orders.push({ kind: 'replace', instance: name, because })
    }
    for (const released of this.#limits.release(second)) orders.push({ kind: 'limits', ...released, because: 'calm' })
    this.#usualLoad.learn(serving.values(), new Set(named.map(({ instance }) => instance)), seconds)
    this.#before = serving
    return orders
  }

  #raise(now: InstanceTelemetry, because: Because, second: number): ResourceVector {
    const { action, estimatorOf, math } = this.#options
    const observation = new Float32Array(CULPRIT_OBSERVATION.names.length)
    const p99OverSlo = typeof because === 'object' ? because.p99OverSlo : 1
    encodeCulprit({ now, before: this.#before.get(now.name), p99OverSlo }, observation)
    const out = new Float32Array(action.space.names.length)
    estimatorOf(now).decide(observation, out)
    if (!out.every(Number.isFinite)) action.up.decide(observation, out) // the rule, where an estimator has no answer
    return this.#limits.set(now, action.factors(math, out, this.#limits.factors(now.name)), second)
  }

  /** Whether it has been named again and again for too long; once, for it is replaced then. */
  #isHopeless(instance: string, second: number): boolean {
    const spell = this.#spells.get(instance)
    if (!spell || second - spell.to > FORGIVEN_SECONDS) {
      this.#spells.set(instance, { from: second, to: second })
      return false
    }
    spell.to = second
    if (second - spell.from < this.#options.replaceAfterSeconds) return false
    spell.from = second // telemetry shows it for a while yet: it is given as long again before it is asked for once more
    return true
  }
}

const FORGIVEN_SECONDS = 3 // unnamed: what comes then is another story
