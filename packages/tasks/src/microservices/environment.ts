import { type Bytes, type Controller, type Core, FormatError, type Space, type Step } from '@trimtab/core'
import { checkAction } from '../action.js'
import { fingerprintOf, packNumbers, unpackNumbers } from '../state-file.js'
import type { TaskEnvironment } from '../task.js'
import { generateCampaign } from './generate-campaign.js'
import type { ServiceGraph } from './graph.js'
import type { Because, Window } from './mitigation/application.js'
import type { CulpritAction } from './mitigation/culprit-action.js'
import { byOwnQueue, byTraces, CulpritPolicy, type Named, nameAll } from './mitigation/culprit-policy.js'
import { CULPRIT_OBSERVATION, encodeCulprit } from './mitigation/culprit-state.js'
import { healthyBehaviour } from './mitigation/healthy.js'
import { Localiser } from './mitigation/localiser.js'
import { SimulatedApplication } from './mitigation/simulated-application.js'
import type { Node } from './nodes.js'
import { mitigationReward } from './reward.js'
import { type InstanceTelemetry, latencyMs } from './telemetry.js'

/** Names of `Step.info`. */
export type MitigationInfo = {
  /** 1 where some SLO was broken in the second after the action. */
  readonly violation: number
  /** Simulated seconds since the episode began. */
  readonly second: number
}

/** How an application is mitigated step by step. */
export interface MicroserviceEnvironmentOptions {
  readonly action: CulpritAction
  /** Only culprits of this service are the agent's (one-for-each); all others follow the rule. Default: all are. */
  readonly service?: string
  /** Machines that it runs on. Default: as much as anybody asks for. */
  readonly nodes?: readonly Node[]
}

/** The instance that the agent acts on, and why. */
interface CulpritNow {
  readonly instance: InstanceTelemetry
  readonly because: Because
}

const EPISODE_STEPS = 100
const CAMPAIGN = { seconds: 600, ratePerSecond: 1 } // dense, so that an agent sees much in little time (3.2.6); longer than an episode
const QUIET_SECONDS = 30 // after which a step ends with nobody to act on

/**
 * An application with anomalies, and an agent that sets the limits of one culprit after the other: a step is a second in which
 * somebody is named, by traces or by its own queue; up to half a minute in which nobody is passes by. Who is named beside the agent's culprit
 * follows the rule, and limits are released by it.
 *
 * States are saved as what was done since the beginning, and loaded by doing it again.
 */
export class MicroserviceEnvironment implements TaskEnvironment {
  readonly observation: Space = CULPRIT_OBSERVATION
  readonly action: Space
  readonly graph: ServiceGraph
  readonly #core: Core
  readonly #options: MicroserviceEnvironmentOptions
  readonly #slosMs: ReadonlyMap<string, number>
  readonly #localiser: Localiser
  readonly #given: Controller = { name: 'given', decide: (_, out) => out.set(this.#actions.at(-1)!) }
  #application: SimulatedApplication | undefined
  #policy: CulpritPolicy | undefined
  #seed = 0
  /** All since the beginning. */
  #actions: Float32Array[] = []
  /** Seen last, who is named in it, and which of them is the agent's. */
  #window: Window | undefined
  #named: readonly Named[] = []
  #culprit: CulpritNow | undefined
  #before: ReadonlyMap<string, InstanceTelemetry> = new Map()

  constructor(core: Core, graph: ServiceGraph, options: MicroserviceEnvironmentOptions) {
    this.#core = core
    this.graph = graph
    this.#options = options
    this.action = options.action.space
    const healthy = healthyBehaviour(core, graph)
    this.#slosMs = healthy.slosMs
    this.#localiser = new Localiser(healthy)
  }

  /** A campaign and requests of the seed's own; the first culprit. */
  reset(seed: number): Float32Array {
    this.#application?.dispose()
    this.#seed = seed
    this.#actions = []
    this.#before = new Map()
    const campaign = generateCampaign(this.#core, this.graph, { ...CAMPAIGN, seed })
    const { nodes = [] } = this.#options
    this.#application = new SimulatedApplication(this.#core, this.graph, { campaign, nodes, seed })
    this.#policy = new CulpritPolicy({
      name: 'given',
      math: this.#core.math,
      deployed: new Map(this.graph.services.map(({ name, grant }) => [name, grant])),
      namers: [() => this.#named],
      action: this.#options.action,
      estimatorOf: ({ name }) => (name === this.#culprit?.instance.name ? this.#given : this.#options.action.up),
    })
    this.#seek(this.#application.next())
    return this.#observe()
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  step(action: Float32Array): Step {
    checkAction(action, this.action)
    this.#actions.push(Float32Array.from(action))
    const culprit = this.#culprit
    const window = this.#pass()
    const violation = this.#slowest(window) > 1 ? 1 : 0
    const reward = culprit ? this.#rewardOf(culprit, window) : 0
    this.#seek(window)
    const info: MitigationInfo = { violation, second: this.#second }
    const truncated = this.#actions.length >= EPISODE_STEPS
    return { observation: this.#observe(), reward, terminated: false, truncated, info }
  }

  /** The seed and every action since: what `load` does again. */
  save(): Uint8Array {
    return packNumbers(this.#fingerprint, [[this.#seed], ...this.#actions])
  }

  /** @throws {FormatError} `simulator_state_invalid` */
  load(state: Bytes): void {
    const [head, ...actions] = unpackNumbers(this.#fingerprint, state)
    const isWhole = (numbers: Float64Array, size: number): boolean =>
      numbers.length === size && numbers.every(Number.isFinite)
    const seed = head?.length === 1 ? head[0]! : Number.NaN
    if (!Number.isSafeInteger(seed) || !actions.every((action) => isWhole(action, this.action.names.length)))
      throw new FormatError('simulator_state_invalid', 'not a state of this environment: no seed and finite actions')
    this.reset(seed)
    for (const action of actions) this.step(Float32Array.from(action))
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#application?.dispose()
    this.#localiser.dispose()
  }

  get #fingerprint(): number {
    return fingerprintOf(JSON.stringify([this.graph, this.action.names, this.#options.service]))
  }

  get #second(): number {
    return this.#application!.simulator.nowSeconds
  }

  /** Carries out what is decided for the window seen last, and sees the next one. */
  #pass(): Window {
    this.#application!.apply(this.#policy!.decide(this.#window!))
    return this.#application!.next()
  }

  /** Lets seconds pass until the agent has somebody to act on. */
  #seek(window: Window): void {
    const until = this.#second + QUIET_SECONDS
    for (let seen = window; ; seen = this.#pass()) {
      this.#window = seen
      const instances = new Map(seen.telemetry.instances.map((one) => [one.name, one]))
      this.#named = nameAll([byTraces(this.#localiser), byOwnQueue], seen)
      const { service } = this.#options
      const own = this.#named.find(({ instance }) => !service || instances.get(instance)!.service === service)
      this.#culprit = own && { instance: instances.get(own.instance)!, because: own.because }
      if (own || this.#second >= until) return
      this.#before = instances
    }
  }

  /** Of the culprit; where there is none, that no SLO is broken. */
  #observe(): Float32Array {
    const observation = new Float32Array(this.observation.names.length)
    observation[0] = 1
    if (!this.#culprit) return observation
    const { instance: now, because } = this.#culprit
    const p99OverSlo = typeof because === 'object' ? because.p99OverSlo : 1
    encodeCulprit({ now, before: this.#before.get(now.name), p99OverSlo }, observation)
    return observation
  }

  #rewardOf({ instance, because }: CulpritNow, window: Window): number {
    const request = typeof because === 'object' ? because.request : undefined
    const after = window.telemetry.instances.find(({ name }) => name === instance.name)!
    return mitigationReward(this.#slowest(window, request), after.utilisation01)
  }

  /** The largest p99 over its SLO of a type of requests, or of all. */
  #slowest({ telemetry }: Window, request?: string): number {
    const judged = telemetry.requests.filter(({ name }) => request === undefined || name === request)
    return Math.max(...judged.map((one) => latencyMs(one, 99) / this.#slosMs.get(one.name)!))
  }
}
