import { type Core, mean } from '@trimtab/core'
import { logScale, type TaskDefinition } from '../task.js'
import { DelayRule } from './baselines.js'
import { BANDWIDTH, createNetworks, DELAY_SECONDS, LOSS, type NetworkRanges, QUEUE, type Range } from './networks.js'
import type { RewardScaling } from './reward.js'
import { CongestionEnvironment } from './simulator.js'
import { CONGESTION_ACTION, CONGESTION_OBSERVATION } from './spaces.js'

// Widest links need 10,581 packets an interval; in units of up to 53 packets the pool stays fast (see CongestionOptions).
const PACKETS_PER_INTERVAL = 200
const LEAST_PACKETS = 10

/** The middle of each range, on the scale of all. */
function parametersOf(core: Core, network: NetworkRanges): Float32Array {
  const middle = ([low, high]: Range, all: Range): number => logScale(core.math, Math.sqrt(low * high), all)
  return Float32Array.of(
    middle(network.packetsPerSecond, BANDWIDTH),
    middle(network.delaySeconds, DELAY_SECONDS),
    middle(network.queuePackets, QUEUE),
    (2 * mean(network.lossRate)) / LOSS[1] - 1,
  )
}

function defineCongestion(name: string, scaling: RewardScaling): TaskDefinition<NetworkRanges, CongestionEnvironment> {
  return {
    name,
    observation: CONGESTION_OBSERVATION,
    action: CONGESTION_ACTION,
    episodeSteps: 400,
    pool: createNetworks,
    environment: (core, ranges) =>
      new CongestionEnvironment(core, ranges, {
        scaling,
        packetsPerInterval: PACKETS_PER_INTERVAL,
        leastPackets: LEAST_PACKETS,
      }),
    parameters: parametersOf,
    baseLearner: { algorithm: 'ppo', preset: 'aurora', options: { rewardScale: 1 } }, // rewards come scaled from here
    heuristic: (_core, world) => new DelayRule(world),
  }
}

/** Aurora's task over 625 networks, each weighed by what it offers. */
export const CONGESTION_CONTROL: TaskDefinition<NetworkRanges, CongestionEnvironment> = defineCongestion(
  'congestion-control',
  'relative',
)

/** The same paid as printed, in packets and seconds. */
export const CONGESTION_CONTROL_AURORA: TaskDefinition<NetworkRanges, CongestionEnvironment> = defineCongestion(
  'congestion-control-aurora',
  'aurora',
)
