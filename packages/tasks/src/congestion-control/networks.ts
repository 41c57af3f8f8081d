import { ConfigError, type Core, Problems } from '@trimtab/core'

/** From – to; each episode draws its link inside, evenly in the logarithm but for loss. */
export type Range = readonly [low: number, high: number]

/** One of the 625 network environments: a fifth of each range (A.6). Plain JSON. */
export interface NetworkRanges {
  readonly name: string
  /** Bandwidth in packets of 1,500 bytes. */
  readonly packetsPerSecond: Range
  /** One way. */
  readonly delaySeconds: Range
  readonly queuePackets: Range
  readonly lossRate: Range
}

const FIFTHS = 5
const COUNT = FIFTHS ** 4
const STRIDE = 389 // prime to 625: successive environments differ in all four

// A.6, widened from Aurora's 1.2–6 Mbit/s, 50–500 ms, 2–2,981 packets and 0–5 %.
/** Bits of a packet: 1500 bytes. */
export const PACKET_BITS: number = 8 * 1500
export const BANDWIDTH: Range = [0.1e6 / PACKET_BITS, 128e6 / PACKET_BITS]
export const DELAY_SECONDS: Range = [0.001, 0.512]
export const QUEUE: Range = [1, 10_240]
export const LOSS: Range = [0, 0.1]

/** The fifth number `n`, by logarithm: an even cut would put four fifths of all environments above 26 Mbit/s and 103 ms. */
function logFifth(core: Core, [low, high]: Range, n: number): Range {
  const at = (share: number): number => low * core.math.exp(share * core.math.log(high / low))
  return [at(n / FIFTHS), at((n + 1) / FIFTHS)]
}

/**
 * Environment number `number` of 625.
 * @throws {ConfigError} `config_invalid` beyond the 625th
 */
export function generateNetwork(core: Core, number: number): NetworkRanges {
  if (number >= COUNT) {
    throw new ConfigError('config_invalid', `there are ${COUNT} network environments, got number ${number}`)
  }
  let rest = (number * STRIDE) % COUNT
  const next = (): number => {
    const fifth = rest % FIFTHS
    rest = Math.floor(rest / FIFTHS)
    return fifth
  }
  const [bandwidth, delay, queue, loss] = [next(), next(), next(), next()]
  const lossStep = (LOSS[1] - LOSS[0]) / FIFTHS
  return {
    name: `network-${number}`,
    packetsPerSecond: logFifth(core, BANDWIDTH, bandwidth),
    delaySeconds: logFifth(core, DELAY_SECONDS, delay),
    queuePackets: logFifth(core, QUEUE, queue),
    lossRate: [loss * lossStep, (loss + 1) * lossStep],
  }
}

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkNetwork(ranges: NetworkRanges): void {
  const problems = new Problems()
  const check = (name: string, range: Range | undefined, holds: (low: number, high: number) => boolean): void => {
    const [low, high] = range ?? []
    const isRange = low !== undefined && high !== undefined && low <= high && high < Infinity && holds(low, high)
    problems.check(
      isRange,
      `${name} must be low … high, ${name === 'lossRate' ? 'in [0, 1)' : 'above 0'}; got ${range}`,
    )
  }
  const { packetsPerSecond, delaySeconds, queuePackets, lossRate } = ranges ?? {}
  check('packetsPerSecond', packetsPerSecond, (low) => low > 0)
  check('delaySeconds', delaySeconds, (low) => low > 0)
  check('queuePackets', queuePackets, (low) => low > 0)
  check('lossRate', lossRate, (low, high) => low >= 0 && high < 1)
  problems.throwIfAny('network')
}
