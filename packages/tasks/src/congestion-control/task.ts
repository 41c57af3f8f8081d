import { type Core, mean } from '@trimtab/core'
import { defineTask } from '../define-task.js'
import { logScale } from '../scale.js'
import type { ControlTask } from '../task.js'
import { AimdRate, DelayRule } from './baselines.js'
import { BANDWIDTH, DELAY_SECONDS, generateNetwork, LOSS, type NetworkRanges, QUEUE, type Range } from './networks.js'
import { CONGESTION_LEARNER } from './preset.js'
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

function defineCongestion(name: string, scaling: RewardScaling): ControlTask<NetworkRanges, CongestionEnvironment> {
  return defineTask({
    kind: 'control',
    name,
    labels: { task: 'Congestion control', spec: 'network' },
    observation: CONGESTION_OBSERVATION,
    action: CONGESTION_ACTION,
    episodeSteps: 400,
    generate: generateNetwork,
    environment: (core, ranges) =>
      new CongestionEnvironment(core, ranges, {
        scaling,
        packetsPerInterval: PACKETS_PER_INTERVAL,
        leastPackets: LEAST_PACKETS,
      }),
    rules: [
      { name: 'delay-rule', create: (_core, world) => new DelayRule(world) },
      { name: 'aimd-rate', create: (_core, world) => new AimdRate(world) },
    ],
    baseLearner: CONGESTION_LEARNER,
    parameters: parametersOf,
  })
}

/** Aurora's task over 625 networks, each weighed by what it offers. */
export const CONGESTION_CONTROL: ControlTask<NetworkRanges, CongestionEnvironment> = defineCongestion(
  'congestion-control',
  'relative',
)

/** The same paid as printed, in packets and seconds. */
export const CONGESTION_CONTROL_AURORA: ControlTask<NetworkRanges, CongestionEnvironment> = defineCongestion(
  'congestion-control-aurora',
  'aurora',
)
