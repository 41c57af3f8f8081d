import { type Bytes, type Core, type CoreMath, mg1ProcessorSharing, Random, type Space, type Step } from '@trimtab/core'
import { checkAction } from '../action.js'
import { logScale } from '../scale.js'
import { loadState, saveState } from '../simulator-state.js'
import type { TaskEnvironment } from '../task.js'
import { checkFrequencyPair, type FrequencyPair, MAX_LOAD, type Phase } from './application.js'
import { dynamicPower, frequencyGhz, LEVELS, PROCESSORS, type Processor, relativeTime } from './processors.js'
import { FREQUENCY_REWARDS, type FrequencyReward, frequencyReward } from './reward.js'
import { FREQUENCY_ACTION, FREQUENCY_OBSERVATION } from './spaces.js'

/** Names of `Step.info`. The phase is the truth that the observation does not tell. */
export type FrequencyInfo = {
  readonly ghz: number
  readonly relativePower: number
  readonly latencyMs: number
  /** 1 where the second's latency or throughput broke its SLO and turbo would have kept it: idle phases do little work at any frequency. */
  readonly violation: number
  readonly phase: number
}

const STEP_SECONDS = 1
const EPISODE_STEPS = 100
const IPS_NOISE = 0.01 // relative deviations
const LATENCY_NOISE = 0.03
const LOAD_MEMORY = 0.9 // of the AR(1) that the load of requests follows
const LOAD_NOISE = 0.15
const BILLION_IPS = [0.1, 10] as const

// What is remembered between steps.
const STEP = 0
const PHASE = 1
const LEVEL = 2
const LOAD_SWING = 3
const IPS = 4
const NUMBERS = 5

/**
 * A VM whose cores' frequency is set every second (A.4). Phases change as a Markov chain and each has its own share of time
 * that frequency shortens; which phase it is can only be guessed.
 *
 *     instructions per second = use · IPC · f · (what waits for memory does not get faster)
 *     latency                 = mean of M/G/1 with processor sharing, requests before batch work
 *     power                   = static + dynamic · use · (f / f nominal)^2.4
 *
 * A simulation in closed form, one step a second.
 */
export class FrequencyEnvironment implements TaskEnvironment {
  readonly observation: Space = FREQUENCY_OBSERVATION
  readonly action: Space = FREQUENCY_ACTION
  readonly pair: FrequencyPair
  readonly processor: Processor
  readonly latencySloMs: number
  /** Billions of instructions a second and core. */
  readonly throughputSlo: number
  readonly #math: CoreMath
  readonly #reward: FrequencyReward
  readonly #phases: Random
  readonly #noise: Random
  readonly #powers: Float64Array // dynamic power of each level
  readonly #memory: Float64Array = new Float64Array(NUMBERS)

  /** @throws {ConfigError} `config_invalid` with every problem of the pair */
  constructor(core: Core, pair: FrequencyPair, reward: FrequencyReward = FREQUENCY_REWARDS['smartoverclock-power']) {
    checkFrequencyPair(pair)
    this.pair = pair
    this.processor = PROCESSORS[pair.processor]
    this.#math = core.math
    this.#reward = reward
    this.#powers = Float64Array.from({ length: LEVELS }, (_, level) =>
      dynamicPower(core.math, this.processor, frequencyGhz(this.processor, level)),
    )
    const seconds = pair.phases.reduce((sum, { meanSeconds }) => sum + meanSeconds, 0)
    const meanAtTurbo = (of: (phase: Phase) => number): number =>
      pair.phases.reduce((sum, phase) => sum + (phase.meanSeconds / seconds) * of(phase), 0)
    const turbo = LEVELS - 1
    this.latencySloMs = pair.latencyFactor * meanAtTurbo((p) => this.#latencyMs(p, turbo, p.requestLoad01))
    this.throughputSlo = pair.throughputShare * meanAtTurbo((p) => this.#billionIps(p, turbo))
    this.#phases = new Random(core, 0, 1)
    this.#noise = new Random(core, 0, 2)
  }

  /** Starts at nominal frequency in a phase that the seed chooses, with one second lived already. */
  reset(seed: number): Float32Array {
    this.#phases.reseed(seed, 1)
    this.#noise.reseed(seed, 2)
    this.#memory.fill(0)
    this.#memory[PHASE] = this.#phases.integer(this.pair.phases.length)
    return this.#live().observation
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite`, `action_unknown` */
  step(action: Float32Array): Step {
    checkAction(action, this.action)
    const memory = this.#memory
    const [before, ipsBefore] = [memory[LEVEL]!, memory[IPS]!]
    memory[LEVEL] = action[0]!
    memory[STEP]!++
    this.#changePhase()
    const { observation, preservation, atTurbo, latencyMs } = this.#live()
    const relativePower = this.#relativePower()
    const reward = frequencyReward(this.#reward, {
      ips: memory[IPS]!,
      ipsBefore,
      ipsAtNominal: this.#billionIps(this.#phase, 0),
      frequencyChange: memory[LEVEL]! - before,
      preservation,
      relativePower,
    })
    const info: FrequencyInfo = {
      ghz: frequencyGhz(this.processor, memory[LEVEL]!),
      relativePower,
      latencyMs,
      violation: preservation < 1 && atTurbo === 1 ? 1 : 0,
      phase: memory[PHASE]!,
    }
    return { observation, reward, terminated: false, truncated: memory[STEP]! >= EPISODE_STEPS, info }
  }

  get #phase(): Phase {
    return this.pair.phases[this.#memory[PHASE]!]!
  }

  #changePhase(): void {
    const count = this.pair.phases.length
    const isOver = this.#phases.uniform() < STEP_SECONDS / this.#phase.meanSeconds
    if (isOver && count > 1) {
      this.#memory[PHASE] = (this.#memory[PHASE]! + 1 + this.#phases.integer(count - 1)) % count
    }
  }

  /** One second in the phase at the frequency: what is measured of it, and how far turbo would have kept the SLOs in it. */
  #live(): { observation: Float32Array; preservation: number; atTurbo: number; latencyMs: number } {
    const memory = this.#memory
    const phase = this.#phase
    const level = memory[LEVEL]!
    memory[LOAD_SWING] = LOAD_MEMORY * memory[LOAD_SWING]! + (1 - LOAD_MEMORY) * 2 * LOAD_NOISE * this.#noise.normal()
    const ipsNoise = Math.max(0.5, 1 + IPS_NOISE * this.#noise.normal())
    const load = Math.min(MAX_LOAD, phase.requestLoad01 * Math.max(0.5, 1 + memory[LOAD_SWING]!))
    const latencyNoise = Math.max(0.5, 1 + LATENCY_NOISE * this.#noise.normal())
    const ipsAt = (l: number): number => this.#billionIps(phase, l) * ipsNoise
    const latencyAt = (l: number): number => this.#latencyMs(phase, l, load) * latencyNoise
    const latencyKept = (ms: number): number => Math.min(1, this.latencySloMs / ms)
    const throughputKept = (ips: number): number => Math.min(1, ips / this.throughputSlo)
    memory[IPS] = ipsAt(level)
    const latencyMs = latencyAt(level)
    const latencyPreservation = latencyKept(latencyMs)
    const throughputPreservation = throughputKept(memory[IPS]!)
    const observation = Float32Array.of(
      logScale(this.#math, memory[IPS]!, BILLION_IPS),
      phase.utilisation01,
      level / (LEVELS - 1),
      latencyPreservation,
      throughputPreservation,
    )
    const turbo = LEVELS - 1
    const atTurbo = Math.min(latencyKept(latencyAt(turbo)), throughputKept(ipsAt(turbo)))
    return { observation, preservation: Math.min(latencyPreservation, throughputPreservation), atTurbo, latencyMs }
  }

  #billionIps(phase: Phase, level: number): number {
    const { utilisation01, instructionsPerCycle, sensitivity } = phase
    const atNominal = utilisation01 * instructionsPerCycle * this.processor.nominalGhz
    return atNominal / this.#relativeTime(level, sensitivity)
  }

  /** @param load  share of time that requests need at nominal frequency */
  #latencyMs(phase: Phase, level: number, load: number): number {
    const { requestMs } = this.pair
    const capacity = 1 / this.#relativeTime(level, phase.sensitivity)
    return mg1ProcessorSharing({ arrivalRate: load / requestMs, meanWork: requestMs, capacity }).meanSojourn
  }

  #relativeTime(level: number, sensitivity: number): number {
    return relativeTime(this.processor, frequencyGhz(this.processor, level), sensitivity)
  }

  /** Power over that at nominal frequency in the same phase. */
  #relativePower(): number {
    const { staticShare } = this.processor
    const dynamic = (1 - staticShare) * this.#phase.utilisation01
    return (staticShare + dynamic * this.#powers[this.#memory[LEVEL]!]!) / (staticShare + dynamic)
  }

  /** All that decides what comes next; `load` goes on from there to the byte. */
  save(): Uint8Array {
    return saveState([this.#phases, this.#noise], this.#memory)
  }

  /** @throws {FormatError} `simulator_state_invalid` */
  load(state: Bytes): void {
    const isOneOf = (value: number, count: number): boolean => Number.isInteger(value) && value >= 0 && value < count
    const numbers = loadState(
      state,
      [this.#phases, this.#noise],
      (n) =>
        n.length === NUMBERS &&
        n.every(Number.isFinite) &&
        isOneOf(n[PHASE]!, this.pair.phases.length) &&
        isOneOf(n[LEVEL]!, LEVELS),
    )
    this.#memory.set(numbers)
  }

  dispose(): void {
    this.#phases.dispose()
    this.#noise.dispose()
  }
}
