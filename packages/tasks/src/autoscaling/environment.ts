import {
  type Bytes,
  ConfigError,
  type Core,
  type Environment,
  FormatError,
  Random,
  type Space,
  type Step,
  type Transition,
} from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { checkAction } from '../action.js'
import { AllocationActuator } from './allocation-actuator.js'
import type { Application } from './application.js'
import type { LoadSeries } from './load.js'
import { LogarithmicView } from './logarithmic-view.js'
import { autoscalingReward, SLO_WEIGHT, sloPreservation, telemetryReward } from './reward.js'
import { type ClusterOptions, ClusterSimulator } from './simulator.js'
import { type Allocation, type AllocationBounds, isMeasuredViolation, type Telemetry } from './telemetry.js'
import { AbsoluteView, RelativeView, type View } from './views.js'

/** How the cluster, the view of it and the reward differ from the usual. */
export interface AutoscalingOptions {
  readonly cluster?: Partial<ClusterOptions>
  /** `relative` (default), the papers' `absolute` limits, or these on `logarithmic` scales. */
  readonly view?: 'relative' | 'absolute' | 'logarithmic'
  /** Weight of the SLO in the reward, in [0, 1]. Default 0.7. */
  readonly sloWeight?: number
  /** CPU's share of the utilisation's weight; the papers' 1/2 unless told. */
  readonly cpuShare?: number
  /** Subtracted from the learner's reward in steps whose measured p99 broke the SLO or that had kills; 0 = as printed. */
  readonly violationPenalty?: number
  readonly stepsPerEpisode?: number
  /** The part of the load that episodes start in, as shares of its length. */
  readonly part?: readonly [from: number, to: number]
}

/** Names of `Step.info`. `true…` is what happened, `measured…` what controllers could know. */
export type AutoscalingInfo = {
  readonly trueReward: number
  readonly trueP99OverSlo: number
  readonly trueViolation: number
  readonly measuredViolation: number
  readonly cpuUtilisation01: number
  readonly memoryUtilisation01: number
  readonly requestedCores: number
}

/**
 * One workload to scale, as AWARE's agent meets it (5.3): 15-second steps, episodes of 100 that start at random moments.
 * The reward is made of measured values, as in production; `info` tells the truth beside it.
 */
export class AutoscalingEnvironment implements Environment {
  readonly simulator: ClusterSimulator
  readonly view: View
  readonly actuator: AllocationActuator
  readonly stepsPerEpisode: number
  readonly #random: Random
  /** The part of the load that episodes start in, as shares of its length: learn on one, judge on another. */
  part: readonly [from: number, to: number]
  readonly #penalty: number
  readonly #sloWeight: number
  readonly #cpuShare: number
  #viewBefore: Float64Array // the view's memory before the step just taken
  readonly #wanted: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  #stepInEpisode = 0

  constructor(core: Core, application: Application, load: LoadSeries, options: AutoscalingOptions = {}) {
    this.simulator = new ClusterSimulator(core, application, load, options.cluster)
    const { bounds } = this.simulator.options
    this.view = createView(core, options.view ?? 'relative', bounds)
    this.actuator = new AllocationActuator(this.simulator, this.view)
    this.#sloWeight = options.sloWeight ?? SLO_WEIGHT
    this.#cpuShare = options.cpuShare ?? 0.5
    if (!(this.#sloWeight >= 0 && this.#sloWeight <= 1)) {
      throw new ConfigError('config_invalid', `sloWeight must lie in [0, 1], got ${this.#sloWeight}`)
    }
    if (!(this.#cpuShare >= 0 && this.#cpuShare <= 1)) {
      throw new ConfigError('config_invalid', `cpuShare must lie in [0, 1], got ${this.#cpuShare}`)
    }
    this.stepsPerEpisode = options.stepsPerEpisode ?? 100
    this.part = options.part ?? [0, 1]
    this.#penalty = options.violationPenalty ?? 0
    this.#viewBefore = this.view.save()
    this.#random = new Random(core, 0, 4)
  }

  /** The view's observation: names and ranges of [S]. */
  get observation(): Space {
    return this.view.observation
  }

  /** The view's action: names and ranges of [A]. */
  get action(): Space {
    return this.view.action
  }

  /** What was measured of the last step; filled anew by each. */
  get telemetry(): Telemetry {
    return this.simulator.telemetry
  }

  /** The seed decides where in the load the episode starts and every chance event in it. */
  reset(seed: number): Float32Array {
    this.#random.reseed(seed, 4)
    const seconds = this.simulator.series.shape.length * 60
    const length = (this.stepsPerEpisode + 2) * this.simulator.options.stepSeconds
    const first = this.part[0] * seconds
    const last = Math.max(first, this.part[1] * seconds - length)
    this.#stepInEpisode = 0
    this.actuator.reset()
    this.simulator.reset(first + this.#random.uniform() * (last - first), seed)
    this.view.reset()
    this.view.update(this.simulator.telemetry)
    return this.#observe()
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  step(action: Float32Array): Step {
    checkAction(action, this.action)
    this.#viewBefore = this.view.save()
    this.actuator.take(action, this.#wanted)
    this.simulator.step(this.#wanted)
    const { telemetry, truth } = this.simulator
    this.view.update(telemetry)
    this.#stepInEpisode++
    const info: AutoscalingInfo = {
      trueReward: autoscalingReward(
        sloPreservation(telemetry.sloMs, truth.p99Ms),
        truth.cpuUtilisation01,
        truth.memoryUtilisation01,
        this.#sloWeight,
        this.#cpuShare,
      ),
      trueP99OverSlo: truth.p99Ms / telemetry.sloMs,
      trueViolation: truth.violated ? 1 : 0,
      measuredViolation: isMeasuredViolation(telemetry) ? 1 : 0,
      cpuUtilisation01: truth.cpuUtilisation01,
      memoryUtilisation01: truth.memoryUtilisation01,
      requestedCores: truth.requestedCores,
    }
    return {
      observation: this.#observe(),
      reward: this.#reward(telemetry),
      terminated: false,
      truncated: this.#stepInEpisode >= this.stepsPerEpisode,
      info,
    }
  }

  /** From what was measured; the penalty is the learner's own price on broken SLOs. */
  #reward(t: Telemetry): number {
    const measured = telemetryReward(t, this.#sloWeight, this.#cpuShare)
    return isMeasuredViolation(t) ? measured - this.#penalty : measured
  }

  /**
   * What the step just taken would have been under another memory limit. How much memory was used is known, so utilisation,
   * kill and reward follow for any limit without trying it; of the queue after a kill only the restart is imagined. Above a
   * limit that killed, the true need is unknown and there is no answer. Relative view only.
   * @param action        the action that was applied [3]
   * @param memoryAction  the memory coordinate to imagine, in [−1, 1]
   */
  hindsight(action: Float32Array, memoryAction: number): Transition | undefined {
    const { telemetry, options } = this.simulator
    const now = this.view.save()
    this.view.load(this.#viewBefore)
    const observation = this.#observe()
    const imaginedAction = Float32Array.of(action[0]!, memoryAction, action[2]!)
    const allocation = { ...this.#wanted }
    this.view.toAllocation(imaginedAction, allocation)
    const limit = allocation.memoryMiBPerReplica
    const wasKilled = telemetry.oomKills > 0
    // What did not kill cannot have: the sensor's noise may put the use above a limit that held.
    const isKilled = wasKilled || (limit < telemetry.memoryMiBPerReplica && telemetry.usedMemoryMiB > limit)
    const imagined: Telemetry = {
      ...telemetry,
      memoryMiBPerReplica: limit,
      usedMemoryMiB: Math.min(limit, telemetry.usedMemoryMiB),
      oomKills: isKilled ? telemetry.readyReplicas : 0,
      p99Ms: telemetry.p99Ms + (isKilled && !wasKilled ? 1000 * options.restartSeconds : 0),
    }
    this.view.update(imagined)
    const nextObservation = this.#observe()
    this.view.load(now)
    if (wasKilled && limit > telemetry.memoryMiBPerReplica) return undefined
    return { observation, action: imaginedAction, reward: this.#reward(imagined), nextObservation, terminated: false }
  }

  #observe(): Float32Array {
    const out = new Float32Array(this.view.observation.names.length)
    this.view.observe(out)
    return out
  }

  /** All that decides what comes next; `load` goes on from there to the byte. */
  save(): Uint8Array {
    const simulator = this.simulator.save()
    const view = this.view.save()
    const bytes = new Uint8Array(8 + 8 * view.length + simulator.length)
    new Uint32Array(bytes.buffer, 0, 2).set([this.#stepInEpisode, view.length])
    new Float64Array(bytes.buffer, 8, view.length).set(view)
    bytes.set(simulator, 8 + 8 * view.length)
    return bytes
  }

  /** @throws {FormatError} `simulator_state_invalid` */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a simulator state')
    const [step = 0, viewLength = -1] = bytes.byteLength >= 8 ? new Uint32Array(bytes.buffer, 0, 2) : []
    if (viewLength !== this.view.save().length || bytes.byteLength < 8 + 8 * viewLength) {
      throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this environment`)
    }
    this.simulator.load(bytes.subarray(8 + 8 * viewLength))
    this.view.load(new Float64Array(bytes.buffer, 8, viewLength))
    this.#stepInEpisode = step
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.simulator.dispose()
    this.#random.dispose()
  }
}

function createView(core: Core, kind: 'relative' | 'absolute' | 'logarithmic', bounds: AllocationBounds): View {
  switch (kind) {
    case 'relative':
      return new RelativeView(core.math, bounds)
    case 'absolute':
      return new AbsoluteView(bounds)
    case 'logarithmic':
      return new LogarithmicView(core.math, bounds)
  }
}
