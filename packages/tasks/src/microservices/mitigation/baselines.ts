import type { ResourceVector } from '../resources.js'
import { latencyMs } from '../telemetry.js'
import type { MitigationPolicy, Order, Window } from './application.js'
import { RaisedLimits } from './raised-limits.js'

type Deployed = ReadonlyMap<string, ResourceVector>

/** Does nothing. */
export const NO_MITIGATION: MitigationPolicy = { name: 'none', decide: () => [] }

/** Everything has so many times what it was deployed with, from the first window on. */
export class FixedLimits implements MitigationPolicy {
  readonly name: string
  readonly #factors: readonly number[]
  readonly #limits: RaisedLimits
  readonly #done = new Set<string>()

  constructor(deployed: Deployed, factor: number) {
    this.name = `fixed ×${factor}`
    this.#factors = [1, factor, factor, factor, factor] // CPU is deployed at its cap
    this.#limits = new RaisedLimits(deployed)
  }

  decide({ telemetry }: Window): Order[] {
    const fresh = telemetry.instances.filter(({ name }) => !this.#done.has(name))
    return fresh.map((instance) => {
      this.#done.add(instance.name)
      const grant = this.#limits.set(instance, this.#factors, telemetry.toSecond)
      return { kind: 'limits', instance: instance.name, grant, because: 'start' }
    })
  }
}

/** Additive increase of every limit while an SLO is broken, multiplicative decrease to what was deployed. */
export interface AimdOptions {
  readonly slosMs: ReadonlyMap<string, number>
  /** Of what was deployed, in each window. */
  readonly increase: number
  /** Part of a limit that is left in each window without a broken SLO. */
  readonly decrease: number
}

/** AIMD on the limits of all instances at once, as FIRM's baseline. */
export class AimdEverywhere implements MitigationPolicy {
  readonly name = 'aimd'
  readonly #deployed: Deployed
  readonly #options: AimdOptions
  #factor = 1

  constructor(deployed: Deployed, options: AimdOptions) {
    this.#deployed = deployed
    this.#options = options
  }

  decide({ telemetry }: Window): Order[] {
    const { slosMs, increase, decrease } = this.#options
    const before = this.#factor
    const isBroken = telemetry.requests.some((request) => latencyMs(request, 99) > slosMs.get(request.name)!)
    this.#factor = isBroken ? Math.min(MOST, before + increase) : Math.max(1, before * decrease)
    if (this.#factor === before) return []
    const limits = new RaisedLimits(this.#deployed)
    return telemetry.instances
      .filter(({ state }) => state === 'serving')
      .map((instance) => {
        const grant = limits.set(instance, new Array(5).fill(this.#factor), telemetry.toSecond)
        return { kind: 'limits', instance: instance.name, grant, because: isBroken ? 'slo' : 'calm' }
      })
  }
}

const MOST = 8

/** What the autoscaler of Kubernetes scales by. */
export interface ReplicaAutoscalerOptions {
  /** CPU of what is requested, 0 … 1. */
  readonly target01: number
  /** By service. */
  readonly least: ReadonlyMap<string, number>
}

const SYNC_SECONDS = 15
const TOLERANCE = 0.1
const STABILISATION_SECONDS = 300
const MOST_REPLICAS = 10

/** Horizontal Pod Autoscaler in short: ⌈n · use / target⌉ replicas every 15 s, fewer after five minutes of needing fewer. */
export class ReplicaAutoscaler implements MitigationPolicy {
  readonly name = 'hpa'
  readonly #options: ReplicaAutoscalerOptions
  readonly #wished = new Map<string, { readonly second: number; readonly replicas: number }[]>()
  /** Sum and count of the use of each service's replicas since the last sync. */
  #used = new Map<string, [sum: number, count: number]>()
  #syncedAt = Number.NEGATIVE_INFINITY

  constructor(options: ReplicaAutoscalerOptions) {
    this.#options = options
  }

  decide({ telemetry }: Window): Order[] {
    const replicas = new Map<string, number>()
    for (const { service, state, utilisation01 } of telemetry.instances) {
      if (state !== 'leaving') replicas.set(service, 1 + (replicas.get(service) ?? 0))
      if (state !== 'serving') continue
      const [sum, count] = this.#used.get(service) ?? [0, 0]
      this.#used.set(service, [sum + utilisation01.cpu, count + 1])
    }
    if (telemetry.toSecond - this.#syncedAt < SYNC_SECONDS) return []
    this.#syncedAt = telemetry.toSecond
    const orders = [...replicas].flatMap(([service, now]): Order[] => {
      const wanted = this.#wantedOf(service, now, telemetry.toSecond)
      return wanted === now ? [] : [{ kind: 'scale', service, replicas: wanted, because: 'utilisation' }]
    })
    this.#used = new Map()
    return orders
  }

  #wantedOf(service: string, now: number, second: number): number {
    const { target01, least } = this.#options
    const [sum, count] = this.#used.get(service) ?? [0, 0]
    const ratio = count > 0 ? sum / count / target01 : 1
    const desired = Math.abs(ratio - 1) <= TOLERANCE ? now : Math.ceil(now * ratio)
    const bounded = Math.min(MOST_REPLICAS, Math.max(least.get(service) ?? 1, desired))
    const recent = (this.#wished.get(service) ?? []).filter((wish) => second - wish.second < STABILISATION_SECONDS)
    recent.push({ second, replicas: bounded })
    this.#wished.set(service, recent)
    return bounded > now ? bounded : Math.min(now, Math.max(...recent.map((wish) => wish.replicas)))
  }
}
