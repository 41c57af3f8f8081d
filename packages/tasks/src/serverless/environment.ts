import {
  type Bytes,
  ConfigError,
  type Core,
  FormatError,
  type ParallelEnvironment,
  type ParallelStep,
  type Space,
} from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { fingerprintOf, packNumbers, unpackNumbers } from '../state-file.js'
import { checkActions } from './action-schemes.js'
import { featureSpace } from './features.js'
import { GlobalState, globalSpace } from './global-state.js'
import {
  cpuUtilisation01,
  heldContainers,
  heldCores,
  isSloViolation,
  memoryUtilisation01,
  tenantPreservation,
  tenantValue,
} from './outcome.js'
import { ServerlessPlatform } from './platform.js'
import type { ServerlessSpec } from './platform-spec.js'
import type { ServerlessPreset } from './preset.js'
import { ownReward } from './reward.js'
import { type MakeRule, siteOf } from './rules/judge.js'
import type { TenantAllocation, TenantRule, TenantTelemetry } from './telemetry.js'
import { writeFeatures } from './tenant-observer.js'
import {
  beginStep,
  type ClusterScale,
  clusterScale,
  createTenantView,
  DEMAND_WINDOW,
  endStep,
  NEVER_CALLED,
  rememberStep,
  type TenantView,
} from './tenant-view.js'

/** Numbers of `ParallelStep.info`, each [N]; 0 of a tenant that is not there. */
const INFO: Readonly<Record<string, (t: Readonly<TenantTelemetry>) => number>> = {
  present: () => 1,
  sloPreservation: tenantPreservation,
  violation: (t) => (isSloViolation(t) ? 1 : 0),
  p99OverSlo: (t) => t.p99Ms / t.sloMs || 0, // NaN without a request
  value: (t) => tenantValue(t),
  cpuUtilisation01,
  memoryUtilisation01,
  arrivals: (t) => t.arrivals,
  dropped: (t) => t.dropped,
  shares: (t) => t.shares,
  containers: heldContainers,
  heldCores,
  usedCores: (t) => t.usedCores,
  coldStarts: (t) => t.coldStarts,
  memoryGiBSeconds: (t) => (heldContainers(t) * t.memoryMiBPerContainer * t.stepSeconds) / 1024,
}
const NO_ACTION = -1

/**
 * A serverless platform whose tenants act at once: what agents see, do and are paid is a preset's, the platform and the tenants the
 * spec's. Of a tenant that is not there, observations are NaN, and what it is asked to do is ignored. N: agents, S: observation,
 * G: global, A: action.
 */
export class ServerlessEnvironment implements ParallelEnvironment {
  readonly platform: ServerlessPlatform
  readonly preset: ServerlessPreset
  readonly observation: Space
  readonly action: Space
  readonly global: Space
  readonly agents: number
  /** What is known of each tenant, [N]. */
  readonly views: readonly TenantView[]
  readonly scale: ClusterScale
  readonly #fingerprint: number
  readonly #globalState: GlobalState
  readonly #allocations: readonly TenantAllocation[]
  readonly #observations: Float32Array // [N, S]
  readonly #globals: Float32Array // [N, G]
  readonly #rewards: Float32Array // [N]
  readonly #info: Readonly<Record<string, Float64Array>>
  // What is remembered between steps beside the platform.
  readonly #demands: Float64Array // [N, DEMAND_WINDOW], a ring
  readonly #lastAction: Float64Array // [N]
  readonly #isPunished: Uint8Array // [N]
  readonly #everybody: readonly number[]
  /** Each tenant's rule, where rules advise, [N]. */
  readonly #advisers: readonly TenantRule[]
  readonly #wasAdvised: Uint8Array // [N]

  /**
   * @param adviser  makes each tenant's rule, where actions correct what that would do
   * @throws {ConfigError} `config_invalid` with every problem of the spec; `adviser_missing`
   */
  constructor(core: Core, spec: ServerlessSpec, preset: ServerlessPreset, adviser?: MakeRule) {
    if (preset.action.isCorrection && !adviser) {
      throw new ConfigError('adviser_missing', 'actions that correct a rule need one for each tenant (give an adviser)')
    }
    this.platform = new ServerlessPlatform(core, spec)
    this.preset = preset
    this.agents = spec.tenants.length
    this.observation = featureSpace(preset.observation)
    this.action = preset.action.space
    this.global = globalSpace(preset.global)
    this.scale = clusterScale(core.math, spec)
    this.views = spec.tenants.map((_, i) => ({ ...createTenantView(), telemetry: this.platform.telemetry[i]! }))
    this.#fingerprint = fingerprintOf(JSON.stringify([spec, this.observation.names, this.action, this.global.names]))
    this.#globalState = new GlobalState(preset.global, this.agents)
    this.#allocations = spec.tenants.map(() => ({ containers: 0, shares: 0, keepAliveSeconds: 0 }))
    this.#observations = new Float32Array(this.agents * preset.observation.length)
    this.#globals = new Float32Array(this.agents * this.global.names.length)
    this.#rewards = new Float32Array(this.agents)
    this.#info = Object.fromEntries(Object.keys(INFO).map((name) => [name, new Float64Array(this.agents)]))
    this.#demands = new Float64Array(this.agents * DEMAND_WINDOW)
    this.#lastAction = new Float64Array(this.agents).fill(NO_ACTION)
    this.#isPunished = new Uint8Array(this.agents)
    this.#everybody = [...spec.tenants.keys()]
    this.#advisers = adviser ? spec.tenants.map((_, i) => adviser(i, siteOf(this.platform, i))) : []
    this.#wasAdvised = new Uint8Array(this.agents)
  }

  reset(seed: number): ParallelStep {
    this.platform.reset(seed)
    this.#demands.fill(0)
    this.#lastAction.fill(NO_ACTION)
    for (const view of this.views) {
      view.arrivalsBefore = view.telemetry.arrivals
      view.sharesChange = 0
      view.containersChange = 0
      Object.assign(view, NEVER_CALLED)
    }
    this.#wasAdvised.fill(0)
    this.#rememberLoad()
    this.#rewards.fill(0)
    return this.#tell()
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite`, `action_unknown`; nothing was changed */
  step(actions: Float32Array): ParallelStep {
    checkActions(actions, this.action, this.agents)
    this.#isPunished.fill(0)
    for (const [i, allocation] of this.#allocations.entries()) this.platform.allocation(i, allocation)
    for (const i of this.#actors()) if (this.platform.isPresent(i)) this.#act(i, actions)
    return this.#advance(this.#allocations)
  }

  /**
   * Takes allocations [N] in the place of actions: how rules act exactly. Nobody is punished.
   * @throws {ConfigError} `size_mismatch`, `not_finite`; nothing was changed
   */
  allocate(allocations: readonly Readonly<TenantAllocation>[]): ParallelStep {
    this.#isPunished.fill(0)
    this.#lastAction.fill(NO_ACTION)
    return this.#advance(allocations)
  }

  /** Who acts: all, or as many as the preset says of those whose SLO is kept least. */
  #actors(): readonly number[] {
    const { actors } = this.preset
    if (actors >= this.agents) return this.#everybody
    return this.#everybody
      .toSorted((a, b) => tenantPreservation(this.views[a]!.telemetry) - tenantPreservation(this.views[b]!.telemetry))
      .slice(0, actors)
  }

  #act(i: number, actions: Float32Array): void {
    const scheme = this.preset.action
    const from = i * this.action.names.length
    const isLegal = scheme.apply(actions, from, this.views[i]!, this.scale, this.#allocations[i]!)
    const isReversal = scheme.isReversal?.(actions[from]!, this.#lastAction[i]!) ?? false
    this.#isPunished[i] = isLegal && !isReversal ? 0 : 1
    this.#lastAction[i] = actions[from]!
  }

  #advance(allocations: readonly Readonly<TenantAllocation>[]): ParallelStep {
    this.views.forEach(beginStep)
    this.platform.step(allocations)
    this.views.forEach(endStep)
    this.#rememberLoad()
    this.#pay()
    return this.#tell()
  }

  #rememberLoad(): void {
    const at = this.platform.steps % DEMAND_WINDOW
    for (const [i, view] of this.views.entries()) {
      if (this.platform.isPresent(i)) rememberStep(view)
      else {
        this.#demands.fill(0, i * DEMAND_WINDOW, (i + 1) * DEMAND_WINDOW)
        Object.assign(view, NEVER_CALLED)
      }
      this.#demands[i * DEMAND_WINDOW + at] = view.telemetry.demandContainers
      view.largestDemand = this.#largestDemand(i)
    }
    for (const [i, rule] of this.#advisers.entries()) this.#advise(i, rule)
  }

  #advise(i: number, rule: TenantRule): void {
    const isPresent = this.platform.isPresent(i)
    if (isPresent && this.#wasAdvised[i] === 0) rule.beginEpisode()
    this.#wasAdvised[i] = isPresent ? 1 : 0
    const { telemetry, advice } = this.views[i]!
    if (isPresent) rule.decide(telemetry, advice)
  }

  #largestDemand(i: number): number {
    let largest = 0
    for (let k = 0; k < DEMAND_WINDOW; k++) largest = Math.max(largest, this.#demands[i * DEMAND_WINDOW + k]!)
    return largest
  }

  #pay(): void {
    const { reward } = this.preset
    let [sum, present] = [0, 0]
    for (const [i, { telemetry }] of this.views.entries()) {
      const isPresent = this.platform.isPresent(i)
      this.#rewards[i] = isPresent ? ownReward(reward, telemetry, this.#isPunished[i] === 1) : 0
      sum += this.#rewards[i]!
      if (isPresent) present++
    }
    if (reward.of === 'own' || present === 0) return
    for (const i of this.views.keys()) this.#rewards[i] = this.platform.isPresent(i) ? sum / present : 0
  }

  #tell(): ParallelStep {
    const { observation: features } = this.preset
    for (const [i, view] of this.views.entries()) {
      const isPresent = this.platform.isPresent(i)
      const at = i * features.length
      if (isPresent) writeFeatures(features, view, this.scale, this.#observations, at)
      else this.#observations.fill(Number.NaN, at, at + features.length)
      for (const [name, of] of Object.entries(INFO)) this.#info[name]![i] = isPresent ? of(view.telemetry) : 0
    }
    this.#globalState.fill(this.views, (i) => this.platform.isPresent(i), this.scale, this.#globals)
    return {
      observations: this.#observations,
      globals: this.#globals,
      rewards: this.#rewards,
      truncated: this.platform.steps > this.platform.spec.episodeSteps,
      info: this.#info,
    }
  }

  /** @throws {ConfigError} `not_savable`: what an adviser remembers is its own */
  save(): Uint8Array {
    if (this.#advisers.length > 0) {
      throw new ConfigError('not_savable', 'an environment with advisers cannot be saved: rules keep their memory')
    }
    const own = packNumbers(this.#fingerprint, [
      this.#demands,
      this.#lastAction,
      ...CHANGES.map((name) => this.views.map((view) => view[name])),
    ])
    const platform = this.platform.save()
    const bytes = new Uint8Array(8 + own.length + platform.length)
    new Float64Array(bytes.buffer, 0, 1)[0] = own.length
    bytes.set(own, 8)
    bytes.set(platform, 8 + own.length)
    return bytes
  }

  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a simulator state')
    const length = bytes.byteLength >= 8 ? new Float64Array(bytes.buffer, 0, 1)[0]! : Number.NaN
    const isWhole = Number.isInteger(length) && length >= 0 && 8 + length <= bytes.byteLength
    const lists = isWhole ? unpackNumbers(this.#fingerprint, bytes.subarray(8, 8 + length)) : []
    const [demands, lastAction, ...changes] = lists
    const isPossible =
      demands?.length === this.#demands.length &&
      changes.length === CHANGES.length &&
      [lastAction!, ...changes].every((list) => list.length === this.agents) &&
      lists.every((list) => list.every(Number.isFinite)) &&
      demands.every((demand) => demand >= 0)
    if (!isPossible) {
      throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this environment`)
    }
    this.platform.load(bytes.subarray(8 + length))
    this.#demands.set(demands)
    this.#lastAction.set(lastAction!)
    for (const [i, view] of this.views.entries()) {
      for (const [k, name] of CHANGES.entries()) view[name] = changes[k]![i]!
      view.largestDemand = this.#largestDemand(i)
    }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.platform.dispose()
  }
}

/** What of a view no telemetry and no demand tells again. */
const CHANGES = [
  'arrivalsBefore',
  'sharesChange',
  'containersChange',
  'idleSeconds',
  'meanIdleSeconds',
  'idleDeviationSeconds',
  'meanDemand',
] as const
