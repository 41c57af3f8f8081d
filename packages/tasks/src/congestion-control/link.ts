import type { RandomSource } from '@trimtab/core'
import { PacketRing } from './packet-ring.js'

/** A bottleneck: what it lets through, how far away the receiver is, what it can hold. */
export interface Link {
  readonly packetsPerSecond: number
  /** One way, without queueing. */
  readonly delaySeconds: number
  readonly queuePackets: number
  /** Share of packets lost by chance, before the queue. */
  readonly lossRate: number
}

/** What a sender sees of one monitor interval. */
export interface MonitorInterval {
  seconds: number
  sent: number
  acked: number
  lost: number
  /** Mean round trip of the packets acknowledged, seconds; 0 without any. */
  meanLatency: number
  /** Mean of the later half of these round trips less that of the earlier half. */
  latencyIncrease: number
}

/** Numbers of `LinkSimulator.toNumbers` before the packets. */
const HEAD = 13

/**
 * One sender at a fixed pace over a link and back, packet by packet: Aurora's model of a network (A.6), event for event.
 *
 *     a packet sent at t   finds a queue of q(t) seconds, q falling by one a second; it is dropped by chance or where q and its own
 *                          1 / bandwidth do not fit, and adds 1 / bandwidth otherwise
 *     it arrives           at t + delay + q(t), its acknowledgement `delay` later; so do the marks of the dropped
 *     an interval ends     with the first event at or after its end
 *
 * The queue is first in, first out and the way back has one length, so both ways are rings and no heap is needed.
 */
export class LinkSimulator {
  link: Link = { packetsPerSecond: 1, delaySeconds: 1, queuePackets: 1, lossRate: 0 }
  /** Packets per second. */
  rate = 1
  readonly interval: MonitorInterval = { seconds: 0, sent: 0, acked: 0, lost: 0, meanLatency: 0, latencyIncrease: 0 }
  readonly #losses: RandomSource
  // A dropped packet's latency is stored negative: there is none at or below zero.
  readonly #forward: PacketRing = new PacketRing()
  readonly #back: PacketRing = new PacketRing()
  #now = 0
  #nextSend = 0
  #queueSeconds = 0
  #queueAt = 0
  #latencies: Float64Array = new Float64Array(256)

  /** @param losses  asked once a packet where the link loses any by chance */
  constructor(losses: RandomSource) {
    this.#losses = losses
  }

  /** Simulated time since `reset`. */
  get seconds(): number {
    return this.#now
  }

  /**
   * An empty link at time 0.
   * @param rate  packets per second that are sent
   */
  reset(link: Link, rate: number): void {
    this.link = link
    this.rate = rate
    this.#forward.clear()
    this.#back.clear()
    this.#now = 0
    this.#nextSend = 1 / rate
    this.#queueSeconds = 0
    this.#queueAt = 0
  }

  /** Lives until the first event at or after `seconds` from now; `interval` tells what happened. */
  run(seconds: number): void {
    const { interval, link } = this
    const start = this.#now
    const end = start + seconds
    interval.sent = 0
    interval.acked = 0
    interval.lost = 0
    while (this.#now < end) {
      const arrival = this.#forward.nextTime
      const acknowledgement = this.#back.nextTime
      // At equal times arrivals go first, then acknowledgements, then sends.
      if (arrival <= acknowledgement && arrival <= this.#nextSend) {
        this.#now = arrival
        const latency = this.#forward.nextLatency
        this.#back.push(
          arrival + link.delaySeconds,
          latency < 0 ? latency - link.delaySeconds : latency + link.delaySeconds,
        )
        this.#forward.shift()
      } else if (acknowledgement <= this.#nextSend) {
        this.#now = acknowledgement
        this.#acknowledge(this.#back.nextLatency)
        this.#back.shift()
      } else {
        this.#now = this.#nextSend
        interval.sent++
        this.#send()
        this.#nextSend = this.#now + 1 / this.rate
      }
    }
    interval.seconds = this.#now - start
    this.#summarise()
  }

  #acknowledge(latency: number): void {
    if (latency < 0) {
      this.interval.lost++
      return
    }
    if (this.interval.acked === this.#latencies.length) {
      const grown = new Float64Array(2 * this.#latencies.length)
      grown.set(this.#latencies)
      this.#latencies = grown
    }
    this.#latencies[this.interval.acked++] = latency
  }

  #send(): void {
    const { packetsPerSecond, delaySeconds, queuePackets, lossRate } = this.link
    const queue = Math.max(0, this.#queueSeconds - (this.#now - this.#queueAt))
    const latency = delaySeconds + queue
    let isDropped = lossRate > 0 && this.#losses.uniform() < lossRate
    if (!isDropped) {
      const own = 1 / packetsPerSecond
      isDropped = own + queue > queuePackets / packetsPerSecond
      this.#queueSeconds = isDropped ? queue : queue + own
      this.#queueAt = this.#now
    }
    this.#forward.push(this.#now + latency, isDropped ? -latency : latency)
  }

  #summarise(): void {
    const { acked } = this.interval
    const half = acked >> 1
    let early = 0
    for (let i = 0; i < half; i++) early += this.#latencies[i]!
    let late = 0
    for (let i = half; i < acked; i++) late += this.#latencies[i]!
    this.interval.meanLatency = acked > 0 ? (early + late) / acked : 0
    this.interval.latencyIncrease = half > 0 ? late / (acked - half) - early / half : 0
  }

  /** Everything that the next interval depends on, link and losses apart. */
  toNumbers(): Float64Array {
    const { interval } = this
    return Float64Array.of(
      this.rate,
      this.#now,
      this.#nextSend,
      this.#queueSeconds,
      this.#queueAt,
      this.#forward.length,
      this.#back.length,
      interval.seconds,
      interval.sent,
      interval.acked,
      interval.lost,
      interval.meanLatency,
      interval.latencyIncrease,
      ...this.#forward.toNumbers(),
      ...this.#back.toNumbers(),
    )
  }

  /** What `toNumbers` gave; see `arePossible`. */
  fromNumbers(numbers: Float64Array): void {
    const { interval } = this
    const [forward, back] = [numbers[5]!, numbers[6]!]
    this.rate = numbers[0]!
    this.#now = numbers[1]!
    this.#nextSend = numbers[2]!
    this.#queueSeconds = numbers[3]!
    this.#queueAt = numbers[4]!
    interval.seconds = numbers[7]!
    interval.sent = numbers[8]!
    interval.acked = numbers[9]!
    interval.lost = numbers[10]!
    interval.meanLatency = numbers[11]!
    interval.latencyIncrease = numbers[12]!
    this.#forward.fromNumbers(numbers.subarray(HEAD, HEAD + 2 * forward))
    this.#back.fromNumbers(numbers.subarray(HEAD + 2 * forward, HEAD + 2 * (forward + back)))
  }

  /** Whether `numbers` can have come from `toNumbers`. */
  static arePossible(numbers: Float64Array): boolean {
    const [rate, , , , , forward, back] = numbers
    return numbers.every(Number.isFinite) && rate! > 0 && numbers.length === HEAD + 2 * (forward! + back!)
  }
}
