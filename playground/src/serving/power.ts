// μ-Serve's other half: clocks that follow the slack of the SLO, on a simulated cluster of GPUs.
import {
  type ClusterTick,
  createWorkload,
  paperModels,
  planCluster,
  type ServeCore,
  simulateCluster,
  V100,
} from 'trimtab/serve'

const DEVICES = 4
const LOAD = { ratePerSecond: 2.5, burstiness: 1 }
const SECONDS = 120
const PLANNING_SEED = 1000 // plans are made for another load than they are judged by

export interface PowerSettings {
  readonly sloScale: number
  readonly seed: number
}

/** Clocks at their maximum beside clocks that are scaled, for the same requests. Power in watts of the whole cluster. */
export interface PowerComparison {
  readonly fixedWatts: number
  readonly scaledWatts: number
  /** Shares of requests within their SLO. */
  readonly fixedAttained: number
  readonly scaledAttained: number
  readonly maximumMhz: number
  /** Mean of the devices, second by second. */
  readonly clocksMhz: readonly number[]
}

export function comparePower(core: ServeCore, { sloScale, seed }: PowerSettings): PowerComparison {
  const base = { law: V100, models: paperModels(V100), devices: DEVICES, sloScale }
  const plans = planCluster(core, { ...base, ...LOAD, scaler: {}, seed: PLANNING_SEED + seed })
  const workload = createWorkload(core, base.models, { ...LOAD, durationSeconds: SECONDS, seed })
  const ticks: ClusterTick[] = []
  const fixed = simulateCluster(workload, { ...base, deployment: plans.alpaServe.deployment, order: 'ssjf' })
  const scaled = simulateCluster(workload, {
    ...{ ...base, deployment: plans.sensitivityAware.deployment, order: 'ssjf', scaler: {} },
    onTick: (tick) => ticks.push(tick),
  })
  const clocksMhz = new Array<number>(Math.max(...ticks.map(({ seconds }) => seconds))).fill(0)
  for (const { seconds, clockMhz } of ticks) clocksMhz[seconds - 1]! += clockMhz / DEVICES
  return {
    ...{ fixedWatts: fixed.watts, scaledWatts: scaled.watts },
    ...{ fixedAttained: fixed.attainment, scaledAttained: scaled.attainment },
    ...{ maximumMhz: V100.clocksMhz.at(-1)!, clocksMhz },
  }
}
