// One point of the grid: plans made once, judged with the loads of every seed.
import { createWorkload, planCluster, simulateCluster, V100 } from '@trimtab/serve'

const PLAN_SEED = 1000

export function runPoint(core, models, { slo, rate, devices }, { seconds, seeds, planSeconds }) {
  const load = { ratePerSecond: rate, sloScale: slo }
  const plans = planCluster(core, {
    ...{ law: V100, models, devices, seed: PLAN_SEED, durationSeconds: planSeconds, ...load },
    // Groups of one are left out of the larger clusters to save time: pairs do as well everywhere they were tried.
    ...(devices > 8 && { groupSizes: [2, 4, 8, 16].filter((size) => devices % size === 0) }),
  })
  const runs = seeds.map((seed) => {
    const workload = createWorkload(core, models, { ...load, seed, durationSeconds: seconds })
    const simulate = ({ deployment }, more) => {
      const { latencyMs, modelP99, deviceWatts, deviceUtilisation, deviceClockMhz, ...figures } = simulateCluster(
        workload,
        {
          ...{ law: V100, models, devices, deployment, sloScale: slo, order: 'ssjf', ...more },
        },
      )
      return { ...figures, meanClockMhz: mean(deviceClockMhz), meanUtilisation: mean(deviceUtilisation) }
    }
    const still = simulate(plans.alpaServe, { order: 'fcfs' })
    const scheduled = simulate(plans.alpaServe)
    const scaled = simulate(plans.alpaServe, { scaler: {} })
    const aware = simulate(plans.sensitivityAware, { scaler: {} })
    const awareFcfs = simulate(plans.sensitivityAware, { scaler: {}, order: 'fcfs' })
    return { seed, still, scheduled, scaled, aware, awareFcfs, ratio: still.watts / aware.watts }
  })
  return { slo, rate, devices, plans, runs }
}

const TRACE_SECONDS = 210

/** Fig. 6.13: the load rises four-fold for a while; the clock of each device, second by second. */
export function traceMiad(core, models, deployment, { slo, rate, cluster }) {
  const surge = { from: 60, to: 90, factor: 4 }
  const workload = createWorkload(core, models, {
    ...{ ratePerSecond: rate, seed: 7, durationSeconds: TRACE_SECONDS },
    rateAt: (seconds) => (seconds >= surge.from && seconds < surge.to ? surge.factor : 1),
  })
  const ticks = []
  simulateCluster(workload, {
    ...{ law: V100, models, devices: cluster, deployment, sloScale: slo, order: 'ssjf', scaler: {} },
    onTick: (tick) => ticks.push(tick),
  })
  const byDevice = Array.from({ length: cluster }, (_, device) => ticks.filter((tick) => tick.device === device))
  const ups = (device) =>
    device.filter(({ action }, i) => action === 'up' && device[i].clockMhz > (device[i - 1]?.clockMhz ?? Infinity))
  // The device whose clock the surge moves most.
  const chosen = byDevice.reduce((most, device) => (ups(device).length > ups(most).length ? device : most))
  const arrivals = Array.from(
    { length: TRACE_SECONDS },
    (_, second) => workload.arrival.filter((at) => Math.floor(at) === second).length,
  )
  return {
    surge,
    device: chosen[0].device,
    ticks: chosen.filter(({ seconds }) => seconds <= TRACE_SECONDS),
    arrivals,
    largestUp: largestFactor(chosen),
    steps: steps(chosen),
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const largestFactor = (ticks) =>
  Math.max(...ticks.map(({ clockMhz }, i) => clockMhz / (ticks[i - 1]?.clockMhz ?? clockMhz)))
/** Sizes of the steps down, MHz. */
const steps = (ticks) => {
  const down = ticks.map(({ clockMhz }, i) => (ticks[i - 1]?.clockMhz ?? clockMhz) - clockMhz).filter((mhz) => mhz > 0)
  return { count: down.length, largest: Math.max(0, ...down) }
}
