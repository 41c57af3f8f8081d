import { type Bytes, ConfigError, type Core, type CoreMath, Random, type Space, type Step } from '@trimtab/core'
import { checkAction } from '../action.js'
import { loadState, saveState } from '../simulator-state.js'
import type { TaskEnvironment } from '../task.js'
import { type Link, LinkSimulator, type MonitorInterval } from './link.js'
import { checkNetwork, type NetworkRanges, type Range } from './networks.js'
import { RateActuator } from './rate-actuator.js'
import { auroraThroughput, congestionReward, type RewardScaling } from './reward.js'
import { CONGESTION_ACTION, CONGESTION_OBSERVATION, FEATURE_HIGH, FEATURE_LOW, HISTORY } from './spaces.js'

/** Rates, reward and view of a link. */
export interface CongestionOptions {
  /** Default `relative`. */
  readonly scaling?: RewardScaling
  /** What the rate may be, packets per second. Default: 1/20 to 4 times the link's bandwidth, within 5 … 20,000. */
  readonly rates?: Range
  /** Packets per second at the start. Default: drawn from 0.3 … 1.5 times the link's bandwidth. */
  readonly startRate?: number
  /** Relative change of the rate at an action of 1. Default 0.025, Aurora's. */
  readonly rateStep?: number
  /**
   * Packets that a full link with a half-full queue has under way in half a round trip, at most; a link with more is
   * simulated in larger units, so that time per step stays bounded. Default 5,000, which only the widest links exceed.
   */
  readonly packetsPerInterval?: number
  /**
   * Packets that an interval has time to send at least. Default 0, as Aurora's, whose intervals end between two packets where
   * a round trip is shorter than their distance, and show nothing.
   */
  readonly leastPackets?: number
}

/** Names of `Step.info`, in packets and seconds. */
export type CongestionInfo = {
  readonly timeSeconds: number
  /** How long the interval was meant to be. */
  readonly intervalSeconds: number
  readonly rate: number
  readonly bandwidth: number
  readonly throughput: number
  readonly latency: number
  readonly loss: number
  readonly latencyInflation: number
  readonly latencyRatio: number
  readonly sendRatio: number
}

const EPISODE_STEPS = 400
const RATES: Range = [5, 20_000] // widened from Aurora's 40 … 1,000 with its bandwidths

// What is remembered besides the link's packets.
const STEP = 0
const INTERVAL_SECONDS = 1
const LEAST_LATENCY = 2 // 0: none yet
const UNIT = 3 // packets in one simulated packet
const LINK = 4 // bandwidth (units per second), delay, queue (units), loss
const RATE_LOW = 8
const RATE_HIGH = 9
const PAST = 10
const NUMBERS = PAST + 3 * HISTORY

/**
 * Aurora's environment (A.6): every half round trip the sender changes its rate by a factor. A link is drawn from the
 * network's ranges at each reset; two intervals pass before the first decision.
 */
export class CongestionEnvironment implements TaskEnvironment {
  readonly observation: Space = CONGESTION_OBSERVATION
  readonly action: Space = CONGESTION_ACTION
  readonly actuator: RateActuator = new RateActuator(this)
  readonly #ranges: NetworkRanges
  readonly #math: CoreMath
  readonly #options: CongestionOptions
  readonly #draws: Random
  readonly #losses: Random
  readonly #simulator: LinkSimulator
  readonly #memory: Float64Array = new Float64Array(NUMBERS)

  /** @throws {ConfigError} `config_invalid` with every problem of the network */
  constructor(core: Core, ranges: NetworkRanges, options: CongestionOptions = {}) {
    checkNetwork(ranges)
    const { rates, startRate = 1, rateStep = 1, packetsPerInterval = 1, leastPackets = 0 } = options
    for (const value of [...(rates ?? [1]), startRate, rateStep, packetsPerInterval]) {
      if (!(value > 0 && value < Infinity)) {
        throw new ConfigError('config_invalid', `rates, steps and packets must be finite and above 0, got ${value}`)
      }
    }
    if (!(leastPackets >= 0 && leastPackets < Infinity)) {
      throw new ConfigError('config_invalid', `leastPackets must be finite and >= 0, got ${leastPackets}`)
    }
    this.#ranges = ranges
    this.#math = core.math
    this.#options = options
    this.#draws = new Random(core, 0, 1)
    this.#losses = new Random(core, 0, 2)
    this.#simulator = new LinkSimulator(this.#losses)
  }

  /** Packets per second. */
  get rate(): number {
    return this.#simulator.rate * this.#memory[UNIT]!
  }

  /** Packets per second that the link lets through. */
  get bandwidth(): number {
    return this.#memory[LINK]! * this.#memory[UNIT]!
  }

  /** What the last interval showed; packets in simulated units. */
  get interval(): Readonly<MonitorInterval> {
    return this.#simulator.interval
  }

  /** Relative change of the rate at an action of 1. */
  get rateStep(): number {
    return this.#options.rateStep ?? 0.025
  }

  /** The rate that an action asks for, inside the bounds of the episode. */
  rateAfter(change: number): number {
    const wanted = change >= 0 ? this.rate * (1 + this.rateStep * change) : this.rate / (1 - this.rateStep * change)
    return Math.min(this.#memory[RATE_HIGH]!, Math.max(this.#memory[RATE_LOW]!, wanted))
  }

  /** Draws the link and the first rate of this seed, and sends until the first interval is over. */
  reset(seed: number): Float32Array {
    this.actuator.reset()
    this.#draws.reseed(seed, 1)
    this.#losses.reseed(seed, 2)
    const { packetsPerSecond, lossRate, ...ranges } = this.#ranges
    const bandwidth = this.#drawLog(packetsPerSecond)
    const delaySeconds = this.#drawLog(ranges.delaySeconds)
    const queue = this.#drawLog(ranges.queuePackets)
    const loss = lossRate[0] + (lossRate[1] - lossRate[0]) * this.#draws.uniform()
    const startShare = 0.3 + 1.2 * this.#draws.uniform()
    const [low, high] = this.#options.rates ?? [
      Math.max(RATES[0], bandwidth / 20),
      Math.min(RATES[1], Math.max(RATES[0], 4 * bandwidth)),
    ]
    const start = Math.min(high, Math.max(low, this.#options.startRate ?? startShare * bandwidth))
    const unit = Math.max(1, (bandwidth * delaySeconds + queue / 2) / (this.#options.packetsPerInterval ?? 5000))
    const m = this.#memory.fill(0)
    m[UNIT] = unit
    // A queue shorter than one unit would let nothing through.
    m.set([bandwidth / unit, delaySeconds, Math.max(Math.min(queue, 1), queue / unit), loss, low, high], LINK)
    m[INTERVAL_SECONDS] = 3 * delaySeconds
    this.#simulator.reset(this.#link(), start / unit)
    for (let i = 0; i < HISTORY; i++) m.set([0, 1, 1], PAST + 3 * i)
    for (let i = 0; i < 2; i++) this.#simulator.run(3 * delaySeconds)
    return this.#observe()
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite` */
  step(action: Float32Array): Step {
    checkAction(action, this.action)
    const m = this.#memory
    const simulator = this.#simulator
    const unit = m[UNIT]!
    simulator.rate = this.actuator.take(action) / unit
    const intervalSeconds = Math.max(m[INTERVAL_SECONDS]!, (this.#options.leastPackets ?? 0) / simulator.rate)
    simulator.run(intervalSeconds)
    m[STEP]!++
    const { seconds, sent, acked, lost, meanLatency } = simulator.interval
    if (acked > 0) m[INTERVAL_SECONDS] = 0.5 * meanLatency
    const loss = lost > 0 ? lost / (lost + acked) : 0
    const outcome = { seconds, acked: unit * acked, latency: meanLatency, loss }
    const throughput = auroraThroughput(outcome)
    const features = this.#remember(throughput, (unit * sent) / seconds)
    const scale = { packetsPerSecond: this.bandwidth, roundTripSeconds: 2 * m[LINK + 1]! + 1 / this.bandwidth }
    const info: CongestionInfo = {
      timeSeconds: simulator.seconds,
      intervalSeconds,
      rate: this.rate,
      bandwidth: scale.packetsPerSecond,
      throughput,
      latency: meanLatency,
      loss,
      ...features,
    }
    return {
      observation: this.#observe(),
      reward: congestionReward(this.#options.scaling ?? 'relative', outcome, scale),
      terminated: false,
      truncated: m[STEP]! >= EPISODE_STEPS,
      info,
    }
  }

  /** The newest features, as they are; they go into the history clipped. */
  #remember(
    throughput: number,
    sendRate: number,
  ): Pick<CongestionInfo, 'latencyInflation' | 'latencyRatio' | 'sendRatio'> {
    const m = this.#memory
    const { seconds, meanLatency, latencyIncrease } = this.#simulator.interval
    if (meanLatency > 0) m[LEAST_LATENCY] = Math.min(m[LEAST_LATENCY]! || meanLatency, meanLatency)
    const latencyInflation = latencyIncrease / seconds
    const latencyRatio = m[LEAST_LATENCY]! > 0 ? meanLatency / m[LEAST_LATENCY]! : 1
    const sendRatio = throughput > 0 && sendRate < 1000 * throughput ? sendRate / throughput : 1
    m.copyWithin(PAST, PAST + 3)
    for (const [i, value] of [latencyInflation, latencyRatio, sendRatio].entries()) {
      m[NUMBERS - 3 + i] = Math.min(FEATURE_HIGH[i]!, Math.max(FEATURE_LOW[i]!, value))
    }
    return { latencyInflation, latencyRatio, sendRatio }
  }

  #observe(): Float32Array {
    return Float32Array.from(this.#memory.subarray(PAST))
  }

  #link(): Link {
    const m = this.#memory
    return {
      packetsPerSecond: m[LINK]!,
      delaySeconds: m[LINK + 1]!,
      queuePackets: m[LINK + 2]!,
      lossRate: m[LINK + 3]!,
    }
  }

  #drawLog([low, high]: Range): number {
    const share = this.#draws.uniform()
    return low === high ? low : low * this.#math.exp(share * this.#math.log(high / low))
  }

  /** All that decides what comes next, packets under way included; `load` goes on from there to the byte. */
  save(): Uint8Array {
    const packets = this.#simulator.toNumbers()
    const numbers = new Float64Array(NUMBERS + packets.length)
    numbers.set(this.#memory)
    numbers.set(packets, NUMBERS)
    return saveState([this.#draws, this.#losses], numbers)
  }

  /** @throws {FormatError} `simulator_state_invalid` */
  load(state: Bytes): void {
    const numbers = loadState(
      state,
      [this.#draws, this.#losses],
      (n) => n.length > NUMBERS && n.every(Number.isFinite) && LinkSimulator.arePossible(n.subarray(NUMBERS)),
    )
    this.#memory.set(numbers.subarray(0, NUMBERS))
    this.#simulator.link = this.#link()
    this.#simulator.fromNumbers(numbers.subarray(NUMBERS))
  }

  dispose(): void {
    this.#draws.dispose()
    this.#losses.dispose()
  }
}
