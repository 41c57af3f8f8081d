// Handler for the link simulation of the neural vectors: an episode of the congestion-control environment on a fixed link.
import { CongestionEnvironment } from '@trimtab/tasks/congestion-control'
import { compare } from './compare.mjs'

const once = (value) => [value, value]

function checkAuroraLink(vector, file, { core }) {
  const world = new CongestionEnvironment(
    core,
    {
      packetsPerSecond: once(vector.bandwidth_pps),
      delaySeconds: once(vector.one_way_delay_s),
      queuePackets: once(vector.queue_packets),
      lossRate: once(vector.loss_rate),
    },
    { scaling: 'aurora', rates: [40, 1000], startRate: vector.start_rate_pps, rateStep: vector.delta_scale },
  )
  world.reset(0)
  const differences = vector.actions.flatMap((action, i) => {
    const { reward, info } = world.step(Float32Array.of(action))
    const { sent, acked, lost } = world.interval
    const got = {
      run_dur: info.intervalSeconds,
      rate: info.rate,
      time: info.timeSeconds,
      avg_latency: info.latency,
      throughput_bps: 12_000 * info.throughput,
      loss: info.loss,
      reward,
      obs_last: [info.latencyInflation, info.latencyRatio, info.sendRatio],
    }
    const { sent: sentThere, acked: ackedThere, lost: lostThere, ...expected } = vector.expected[i]
    return [
      ...compare(
        { sent, acked, lost },
        { sent: sentThere, acked: ackedThere, lost: lostThere },
        undefined,
        `expected[${i}]`,
      ),
      ...compare(got, expected, file.tol.f64, `expected[${i}]`),
    ]
  })
  world.dispose()
  return differences
}

export const handlers = { 'nn/aurora-link': checkAuroraLink }
