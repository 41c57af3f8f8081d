import type { ServeCore } from '@trimtab/serve'
import {
  type ClusterPlan,
  type ClusterTick,
  createWorkload,
  type GpuLaw,
  planCluster,
  type ServedModel,
  simulateCluster,
} from '@trimtab/serve'

export interface SimulationOptions {
  readonly law: GpuLaw
  readonly models: readonly ServedModel[]
  readonly devices: number
  readonly ratePerSecond: number
  readonly sloScale: number
  readonly durationSeconds: number
  readonly burstiness: number
  readonly seed: number
  readonly stepMhz?: number
}

export interface SimulatedPolicy {
  readonly name: string
  readonly watts: number
  readonly attainment: number
  /** 99th percentile of latency / SLO. */
  readonly normalisedP99: number
  readonly deviceWatts: readonly number[]
  readonly deviceClockMhz: readonly number[]
  readonly deviceUtilisation: readonly number[]
  readonly scaleOutSignals: number
}

export interface Simulation {
  readonly format: 'trimtab-gpu-simulation'
  readonly gpu: string
  readonly devices: number
  readonly models: readonly string[]
  readonly sloScale: number
  readonly ratePerSecond: number
  readonly durationSeconds: number
  readonly seed: number
  readonly requests: number
  readonly maximumMhz: number
  /** Fixed clocks; scaling on the same plan; scaling on the plan by sensitivity. */
  readonly policies: readonly SimulatedPolicy[]
  /** What lies on each device in the last policy: model and sensitivity score. */
  readonly deployment: readonly (readonly {
    readonly model: string
    readonly stage: number
    readonly score: number
  }[])[]
  /** Of the last policy. */
  readonly ticks: readonly ClusterTick[]
}

/** Plans a cluster and runs it under the three policies of 6.4.2, with the same requests. */
export function simulatePolicies(core: ServeCore, options: SimulationOptions): Simulation {
  const { law, models, devices, ratePerSecond, sloScale, durationSeconds, burstiness, seed, stepMhz } = options
  const scaler = stepMhz === undefined ? {} : { stepMhz }
  const load = { ratePerSecond, burstiness }
  // Plans are made for another load than they are judged by.
  const plans = planCluster(core, { ...load, law, models, devices, sloScale, scaler, seed: seed + 1000 })
  const workload = createWorkload(core, models, { ...load, durationSeconds, seed })
  const ticks: ClusterTick[] = []
  const simulate = (
    name: string,
    { deployment }: ClusterPlan,
    isScaled: boolean,
  ): SimulatedPolicy & { requests: number } => {
    const base = { law, models, devices, deployment, sloScale, order: 'ssjf' as const }
    ticks.length = 0
    const { latencyMs, modelP99, meanLatencyMs, ...figures } = simulateCluster(
      workload,
      isScaled ? { ...base, scaler, onTick: (tick) => ticks.push(tick) } : base,
    )
    return { name, ...figures }
  }
  const policies = [
    simulate('fixed clocks', plans.alpaServe, false),
    simulate('scaling', plans.alpaServe, true),
    simulate('scaling, placed by sensitivity', plans.sensitivityAware, true),
  ]
  const deployment = Array.from({ length: devices }, (_, device) =>
    plans.sensitivityAware.deployment.flatMap(({ model, stages }) =>
      stages.flatMap((stage, index) =>
        stage.device === device ? [{ model: models[model]!.name, stage: index, score: stage.score }] : [],
      ),
    ),
  )
  return {
    format: 'trimtab-gpu-simulation',
    gpu: law.name,
    models: models.map(({ name }) => name),
    ...{ devices, sloScale, ratePerSecond, durationSeconds, seed },
    requests: policies[0]!.requests,
    maximumMhz: law.clocksMhz.at(-1)!,
    policies: policies.map(({ requests, ...policy }) => policy),
    deployment,
    ticks,
  }
}

const LEAST_ATTAINMENT = 0.99

/** Whether the last policy, which would be used, breaks an SLO that fixed clocks keep. */
export const missesSlo = ({ policies }: Simulation): boolean =>
  policies[0]!.attainment >= LEAST_ATTAINMENT && policies.at(-1)!.attainment < LEAST_ATTAINMENT

const percent = (share01: number): string => `${(100 * share01).toFixed(2)} %`

export function formatSimulation(simulation: Simulation): string {
  const { gpu, devices, models, sloScale, ratePerSecond, requests, policies, deployment } = simulation
  const still = policies[0]!
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const width = Math.max(...policies.map(({ name }) => name.length))
  const rows = policies.map(({ name, watts, attainment, normalisedP99, deviceClockMhz }) =>
    [
      name.padEnd(width),
      `${watts.toFixed(0)} W`.padStart(8),
      `${(still.watts / watts).toFixed(2)}×`.padStart(7),
      percent(attainment).padStart(9),
      normalisedP99.toFixed(2).padStart(9),
      `${mean(deviceClockMhz).toFixed(0)} MHz`.padStart(10),
    ].join('  '),
  )
  const signals = policies.at(-1)!.scaleOutSignals
  const placed = deployment.map((partitions, device) => {
    const names = [...new Set(partitions.map(({ model }) => model))]
    const clock = policies.at(-1)!.deviceClockMhz[device]!
    return `GPU ${String(device).padStart(2)}  ${clock.toFixed(0).padStart(4)} MHz  ${names.join(', ') || 'empty'}`
  })
  return [
    `simulation: ${models.length} models on ${devices} ${gpu}, ${ratePerSecond} requests/s, SLO scale ${sloScale}, ${requests} requests; power of all GPUs`,
    '',
    `${'policy'.padEnd(width)}  ${'power'.padStart(8)}  ${'saves'.padStart(7)}  ${'in SLO'.padStart(9)}  ${'p99 / SLO'.padStart(9)}  ${'mean clock'.padStart(10)}`,
    ...rows,
    '',
    ...placed,
    ...(signals > 0 ? ['', `${signals} times a clock at its maximum was not enough: more instances would help`] : []),
    ...(missesSlo(simulation)
      ? [
          '',
          `✗ ${policies.at(-1)!.name} meets the SLO of ${percent(policies.at(-1)!.attainment)} of the requests; fixed clocks reach ${percent(LEAST_ATTAINMENT)}`,
        ]
      : []),
    '',
  ].join('\n')
}
