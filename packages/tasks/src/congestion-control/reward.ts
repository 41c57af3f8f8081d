/** One interval in packets and seconds. */
export interface CongestionOutcome {
  readonly seconds: number
  readonly acked: number
  /** Mean round trip, seconds. */
  readonly latency: number
  /** Share of packets lost. */
  readonly loss: number
}

/** What a link offers: the scale of `relative`. */
export interface LinkScale {
  readonly packetsPerSecond: number
  /** Round trip of a packet that finds no queue, with its own transmission, which a narrow link's latency is dwarfed by. */
  readonly roundTripSeconds: number
}

/**
 * How the reward is scaled.
 *
 * `aurora` (A.6) is 0.001 · (10 · throughput − 1000 · latency − 2000 · loss). Wide links earn a thousand times as much as
 * narrow ones in it, and on a narrow far link latency outweighs all the throughput there is: sending nothing is best.
 *
 * `relative` weighs each link by what it offers, in the proportions that `aurora` has on a middling link of its own (300
 * packets a second, half a second): throughput / bandwidth − (latency / round trip) / 6 − 2/3 · loss, latency counted up to
 * six round trips. Between −5/3 and about 1.
 */
export type RewardScaling = 'aurora' | 'relative'

const MOST_ROUND_TRIPS = 6

/** Aurora's throughput leaves the first packet out: it only starts the clock. Without any packet it is below zero. */
export const auroraThroughput = ({ acked, seconds }: Pick<CongestionOutcome, 'acked' | 'seconds'>): number =>
  (acked - 1) / seconds

/**
 * What one monitor interval was worth, under Aurora's weights or relative to the link.
 * @param scale  the link's own bandwidth and round trip; not used by `aurora`
 */
export function congestionReward(scaling: RewardScaling, outcome: CongestionOutcome, scale: LinkScale): number {
  const { seconds, acked, latency, loss } = outcome
  switch (scaling) {
    case 'aurora':
      return 0.001 * (10 * auroraThroughput(outcome) - 1000 * latency - 2000 * loss)
    case 'relative': {
      const roundTrips = Math.min(MOST_ROUND_TRIPS, latency / scale.roundTripSeconds)
      return acked / seconds / scale.packetsPerSecond - roundTrips / 6 - (2 / 3) * loss
    }
  }
}
