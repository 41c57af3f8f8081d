import { ConfigError, type LiveEnvironment, type Space, type Step } from '@trimtab/core'
import {
  type Allocation,
  AllocationActuator,
  createTelemetry,
  isMeasuredViolation,
  type Telemetry,
  telemetryReward,
  type View,
} from '@trimtab/tasks/autoscaling'
import { quantileOf } from '../quantile.js'
import type { ClusterUsage, LiveCluster } from './live-cluster.js'
import type { LoadPeriod, LoadStream } from './load-stream.js'

/** A live cluster under a load, as the autoscaling task's controllers meet it. */
export interface LiveClusterEnvironmentOptions {
  readonly cluster: Pick<
    LiveCluster,
    'options' | 'allocation' | 'readyReplicas' | 'startingReplicas' | 'bring' | 'takeUsage'
  >
  readonly load: Pick<LoadStream, 'next'>
  /** How controllers see telemetry and what their actions mean: `RelativeView` as the task `autoscaling` has it, or another. */
  readonly view: View
  readonly sloMs: number
  readonly periodSeconds: number
  /** Begins the load of an episode. */
  readonly begin: (signal?: AbortSignal) => Promise<void>
  /** Told of each period, judged by nobody yet. */
  readonly onPeriod?: (period: LivePeriod) => void
}

/** One period as it was: what was in force, what callers saw, and how far it may be believed. */
export interface LivePeriod {
  readonly allocation: Readonly<Allocation>
  readonly load: LoadPeriod
  readonly usage: ClusterUsage
  readonly readyReplicas: number
  readonly startingReplicas: number
  readonly p99Ms: number
  readonly lagP99Ms: number
  /** Why it says nothing of whoever controls; `undefined`: it does. */
  readonly flaw: PeriodFlaw | undefined
}

/** The host was late; the period was longer or shorter than it should be; requests failed although no pod was killed. */
export type PeriodFlaw = 'lag' | 'length' | 'failures'

/** Beyond these a period says more of the machine than of who controls. */
const MOST_LAG_MS = 15
const MOST_LENGTH_ERROR = 0.01

/** Rules and learners were made for steps of so long, HPA's windows among them: a period is told as one of these. */
const STEP_SECONDS = 15

const INITIAL_SIGNAL = new AbortController().signal // never aborted

/**
 * The `autoscaling` task's environment made of real processes: the same telemetry, view, actions and reward, a period of so many seconds a
 * step. What was in force is what was asked for in the step before; p99 counts from when requests were meant to go out, and who has waited
 * longer than the SLO counts before there is an answer.
 *
 * In a period with a flaw p99 counts as not measured, and so does the reward: nobody decides or learns by what the host did.
 */
export class LiveClusterEnvironment implements LiveEnvironment {
  readonly actuator: AllocationActuator
  readonly view: View
  readonly telemetry: Telemetry
  readonly #options: LiveClusterEnvironmentOptions
  readonly #wanted: Allocation

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: LiveClusterEnvironmentOptions) {
    const { cluster, view, sloMs, periodSeconds } = options
    if (!(sloMs > 0 && periodSeconds > 0))
      throw new ConfigError(
        'config_invalid',
        `live environment: sloMs and periodSeconds must be > 0, got ${sloMs} and ${periodSeconds}`,
      )
    this.#options = options
    this.view = view
    this.actuator = new AllocationActuator(cluster, view)
    this.telemetry = { ...createTelemetry(), sloMs }
    this.#wanted = { ...cluster.allocation }
  }

  /** The view's [S]. */
  get observation(): Space {
    return this.view.observation
  }

  /** The view's [A]. */
  get action(): Space {
    return this.view.action
  }

  /** Begins an episode's load, and observes its first period under what is in force. */
  async reset(signal: AbortSignal = INITIAL_SIGNAL): Promise<Float32Array> {
    this.actuator.reset()
    this.view.reset()
    await this.#options.begin(signal)
    this.#options.cluster.takeUsage()
    await this.#observePeriod(signal)
    return this.#observe()
  }

  async step(action: Float32Array, signal: AbortSignal = INITIAL_SIGNAL): Promise<Step> {
    this.actuator.take(action, this.#wanted)
    await this.#options.cluster.bring(this.#wanted)
    const { flaw } = await this.#observePeriod(signal)
    const { telemetry } = this
    return {
      observation: this.#observe(),
      reward: flaw ? Number.NaN : telemetryReward(telemetry),
      terminated: false,
      truncated: false,
      info: {
        measuredViolation: isMeasuredViolation(telemetry) ? 1 : 0,
        requestedCores: telemetry.coresPerReplica * (telemetry.readyReplicas + telemetry.startingReplicas),
      },
    }
  }

  async #observePeriod(signal: AbortSignal): Promise<LivePeriod> {
    const { cluster, onPeriod } = this.#options
    const load = await this.#options.load.next(signal)
    const { readyReplicas, startingReplicas } = cluster
    const period = this.#judge({
      allocation: { ...cluster.allocation },
      load,
      usage: cluster.takeUsage(),
      readyReplicas,
      startingReplicas,
    })
    this.#take(period)
    this.view.update(this.telemetry)
    onPeriod?.(period)
    return period
  }

  #judge(period: Omit<LivePeriod, 'p99Ms' | 'lagP99Ms' | 'flaw'>): LivePeriod {
    const { load, usage } = period
    const lagP99Ms = load.lagsMs.length > 0 ? quantileOf(load.lagsMs, 0.99) : 0
    const lengthError = Math.abs(load.lengthMs / (1000 * this.#options.periodSeconds) - 1)
    const flaws: readonly (readonly [PeriodFlaw, boolean])[] = [
      ['lag', lagP99Ms >= MOST_LAG_MS],
      ['length', lengthError > MOST_LENGTH_ERROR],
      ['failures', load.failures > 0 && usage.kills === 0],
    ]
    const flaw = flaws.find(([, holds]) => holds)?.[0]
    return { ...period, p99Ms: quantileOf(load.latenciesMs, 0.99), lagP99Ms, flaw }
  }

  #take({ allocation, load, usage, readyReplicas, startingReplicas, p99Ms, flaw }: LivePeriod): void {
    const seconds = load.lengthMs / 1000
    const { timeSeconds } = this.telemetry
    Object.assign(this.telemetry, {
      timeSeconds: timeSeconds + STEP_SECONDS,
      requests: load.latenciesMs.length,
      ratePerSecond: load.arrivals / seconds,
      p99Ms: flaw ? Number.NaN : p99Ms,
      usedCores: usage.cpuMs / load.lengthMs,
      usedMemoryMiB: usage.memoryMiB,
      readyReplicas,
      startingReplicas,
      coresPerReplica: allocation.coresPerReplica,
      memoryMiBPerReplica: allocation.memoryMiBPerReplica,
      oomKills: usage.kills,
      droppedRequests: load.failures,
    })
  }

  #observe(): Float32Array {
    const out = new Float32Array(this.view.observation.names.length)
    this.view.observe(out)
    return out
  }
}
