// Discrete-event simulation of a GPU cluster that serves models in pipelines of partitions.
//
// - A model's requests wait at its first partition in the order of the policy; each partition works on one request at a time, and
//   passes it on to the next partition, which is free for another request meanwhile (as AlpaServe's pipelines).
// - Partitions of different models on one GPU share its time evenly (time slicing), so a short model never waits for a long one to end.
// - A request generates its tokens partition by partition; in truth every token passes all of them, which takes the same time alone.
// - Time and energy follow the clock by `gpu-law`; a new clock holds at once, for the work under way too.
// - There are no batches, and no loading of models.
import { ConfigError } from '@trimtab/core'
import { FrequencyScaler, type FrequencyScalerOptions, type PartitionLatency } from '../frequency-scaler.js'
import { LatencyMonitor, type LatencyMonitorOptions } from '../latency-monitor.js'
import { PROPORTIONAL_SCORE } from '../sensitivity.js'
import { type GpuLaw, idleWatts } from './gpu-law.js'
import type { ServedModel } from './served-model.js'
import { type StageTable, stageTable } from './stage-table.js'
import type { Workload } from './workload.js'

/** One partition where it lies. */
export interface DeployedStage {
  readonly device: number
  /** Operators [begin, end). */
  readonly begin: number
  readonly end: number
  readonly score: number
}

/** A model in full on some devices; a model may be deployed more than once. */
export interface DeployedModel {
  /** Index of the model. */
  readonly model: number
  readonly stages: readonly DeployedStage[]
}

/** What a simulated cluster serves, on what, and how its clocks are set. */
export interface GpuClusterOptions {
  readonly law: GpuLaw
  readonly models: readonly ServedModel[]
  readonly devices: number
  readonly deployment: readonly DeployedModel[]
  /** SLO of a model, of its latency alone at full length: 1 is the paper's SLO scale 1. */
  readonly sloScale: number
  /** `fcfs`, or shortest predicted job first with ageing, for models whose requests differ in length. */
  readonly order: 'fcfs' | 'ssjf'
  /** Absent: every clock stays at its maximum. */
  readonly scaler?: Partial<FrequencyScalerOptions>
  /** How the scalers look at latency. */
  readonly monitor?: LatencyMonitorOptions
  /** Power and requests before this are not counted; 20 s by default. */
  readonly warmUpSeconds?: number
  /** Called after each device's decision, once a second. */
  readonly onTick?: (tick: ClusterTick) => void
}

/** One decision of one device's scaler. */
export interface ClusterTick {
  readonly seconds: number
  readonly device: number
  readonly clockMhz: number
  readonly action: 'up' | 'down' | 'same'
  readonly slack: number
  readonly isScaleOutNeeded: boolean
}

/** What a simulated run did: latency relative to the SLO, power, and what the scalers decided. */
export interface ClusterResult {
  readonly requests: number
  /** Share of requests within their model's SLO. */
  readonly attainment: number
  /** [model] 99th percentile of its latency / SLO; 0 without requests. */
  readonly modelP99: readonly number[]
  /** 99th percentile of latency / SLO over all requests: below 1 where attainment is above 99 %. */
  readonly normalisedP99: number
  readonly meanLatencyMs: number
  /** Mean power of each device, watts. */
  readonly deviceWatts: readonly number[]
  /** Of all devices together. */
  readonly watts: number
  readonly deviceUtilisation: readonly number[]
  /** Averaged over time. */
  readonly deviceClockMhz: readonly number[]
  /** Decisions that asked for more instances. */
  readonly scaleOutSignals: number
  /** [request] ms, arrival to answer, in the workload's order; NaN for models that are not deployed. */
  readonly latencyMs: Float64Array
}

/** Ageing of SSJF: a second of waiting is worth this many of predicted time. */
const AGEING = 0.5
const ACT_EVERY_MS = 1000 // 6.3.4

interface Stage {
  readonly table: StageTable
  readonly device: Device
  readonly next: Stage | undefined
  /** Requests that wait here, and their keys: the smallest goes first. */
  readonly waiting: number[]
  readonly keys: number[]
  /** The request it works on, and how much of it is left: 0…1. */
  request: number
  remaining: number
  /** Of the request, at the device's clock. */
  serviceMs: number
  serviceMillijoules: number
}

interface Device {
  clock: number
  readonly stages: Stage[]
  readonly active: Stage[]
  readonly partitions: { readonly model: number; readonly weight: number; readonly name: string }[]
  readonly scaler: FrequencyScaler | undefined
  updatedMs: number
  nextMs: number
  millijoules: number
  busyMs: number
  clockTimesMs: number
}

interface Instance {
  readonly first: Stage
  /** Where its time goes: what of its latency follows which device's clock. */
  readonly weights: readonly { readonly device: Device; readonly weight: number }[]
  underWay: number
}

/** @throws {ConfigError} `config_invalid` */
export function simulateCluster(workload: Workload, options: GpuClusterOptions): ClusterResult {
  checkOptions(options)
  return new Cluster(workload, options).run()
}

class Cluster {
  readonly #workload: Workload
  readonly #options: GpuClusterOptions
  readonly #devices: Device[]
  /** [model] */
  readonly #instances: Instance[][]
  readonly #monitors: LatencyMonitor[]
  readonly #tickets: Int32Array
  readonly #instanceOf: (Instance | undefined)[]
  readonly #latencyMs: Float64Array
  readonly #idleWatts: Float64Array
  readonly #countFromMs: number
  readonly #countToMs: number
  #scaleOutSignals = 0

  constructor(workload: Workload, options: GpuClusterOptions) {
    const { law, models, devices, scaler, warmUpSeconds = 20 } = options
    this.#workload = workload
    this.#options = options
    this.#idleWatts = Float64Array.from(law.clocksMhz, (clock) => idleWatts(law, clock))
    this.#countFromMs = 1000 * warmUpSeconds
    this.#countToMs = 1000 * workload.durationSeconds
    this.#devices = Array.from({ length: devices }, () => newDevice(law, scaler))
    this.#instances = models.map(() => [])
    for (const deployed of options.deployment) this.#deploy(deployed)
    this.#monitors = models.map(() => new LatencyMonitor(options.monitor))
    this.#tickets = new Int32Array(workload.arrival.length)
    this.#instanceOf = new Array(workload.arrival.length)
    this.#latencyMs = new Float64Array(workload.arrival.length).fill(NaN)
  }

  run(): ClusterResult {
    const { arrival } = this.#workload
    const isScaled = this.#options.scaler !== undefined
    let next = 0
    let tickMs = isScaled ? ACT_EVERY_MS : Infinity
    for (;;) {
      const arrivalMs = next < arrival.length ? 1000 * arrival[next]! : Infinity
      let nowMs = Math.min(arrivalMs, tickMs)
      let finishing: Device | undefined
      for (const device of this.#devices) {
        if (device.nextMs <= nowMs) {
          nowMs = device.nextMs
          finishing = device
        }
      }
      if (nowMs === Infinity || (nowMs > this.#countToMs && next === arrival.length && this.#isIdle())) break
      if (finishing) this.#finish(finishing, nowMs)
      else if (nowMs === arrivalMs) this.#arrive(next++, nowMs)
      else {
        this.#tick(nowMs)
        tickMs += ACT_EVERY_MS
      }
    }
    for (const device of this.#devices) this.#advance(device, Math.max(device.updatedMs, this.#countToMs))
    return this.#result()
  }

  #isIdle(): boolean {
    return this.#devices.every(({ active }) => active.length === 0)
  }

  #deploy({ model, stages }: DeployedModel): void {
    const { law, models } = this.#options
    const served = models[model]!
    const last = law.clocksMhz.length - 1
    const tables = stages.map(({ device, begin, end }, i) =>
      stageTable(law, served, begin, end, i > 0 && stages[i - 1]!.device !== device),
    )
    const times = tables.map(({ promptMs, lengthMs }) => promptMs[last]! + lengthMs[last]!)
    const totalMs = times.reduce((sum, ms) => sum + ms, 0)
    const weights: { device: Device; weight: number }[] = []
    let next: Stage | undefined
    for (let i = stages.length - 1; i >= 0; i--) {
      const device = this.#devices[stages[i]!.device]!
      // What of the model's latency follows this device's clock: its share of the time, by its sensitivity.
      const weight = ((times[i]! / totalMs) * stages[i]!.score) / PROPORTIONAL_SCORE
      const idle = { waiting: [], keys: [], request: -1, remaining: 0, serviceMs: 0, serviceMillijoules: 0 }
      const stage: Stage = { table: tables[i]!, device, next, ...idle }
      device.stages.push(stage)
      device.partitions.push({ model, weight, name: served.name })
      weights.push({ device, weight })
      next = stage
    }
    this.#instances[model]!.push({ first: next!, weights, underWay: 0 })
  }

  #arrive(request: number, nowMs: number): void {
    const model = this.#workload.model[request]!
    const instances = this.#instances[model]!
    if (instances.length === 0) return
    const instance = instances.reduce((least, other) => (other.underWay < least.underWay ? other : least))
    instance.underWay++
    this.#instanceOf[request] = instance
    const { latencyMs, isAutoregressive } = this.#options.models[model]!
    // The output's length has to be predicted, the input's is known.
    const { predictedShare, share } = this.#workload
    const expectedMs = latencyMs * (isAutoregressive ? Math.min(1, predictedShare[request]!) : share[request]!)
    this.#tickets[request] = this.#monitors[model]!.arrived(nowMs, expectedMs)
    const isShortestFirst = this.#options.order === 'ssjf' && isAutoregressive
    this.#enqueue(instance.first, request, isShortestFirst ? expectedMs + AGEING * nowMs : nowMs, nowMs)
  }

  #enqueue(stage: Stage, request: number, key: number, nowMs: number): void {
    if (stage.request >= 0) {
      stage.waiting.push(request)
      stage.keys.push(key)
      return
    }
    this.#advance(stage.device, nowMs)
    this.#start(stage, request)
    this.#reschedule(stage.device)
  }

  #start(stage: Stage, request: number): void {
    stage.request = request
    stage.remaining = 1
    stage.device.active.push(stage)
    this.#setService(stage)
  }

  #setService(stage: Stage): void {
    const { promptMs, lengthMs, promptMillijoules, lengthMillijoules } = stage.table
    const { clock } = stage.device
    const share = this.#workload.share[stage.request]!
    stage.serviceMs = promptMs[clock]! + share * lengthMs[clock]!
    stage.serviceMillijoules = promptMillijoules[clock]! + share * lengthMillijoules[clock]!
  }

  /** The stage that is done on this device hands its request on, and takes the next one. */
  #finish(device: Device, nowMs: number): void {
    this.#advance(device, nowMs)
    let index = 0
    for (let i = 1; i < device.active.length; i++) {
      const { remaining, serviceMs } = device.active[i]!
      if (remaining * serviceMs < device.active[index]!.remaining * device.active[index]!.serviceMs) index = i
    }
    const [stage] = device.active.splice(index, 1) as [Stage]
    const request = stage.request
    stage.request = -1
    if (stage.waiting.length > 0) this.#start(stage, takeSmallest(stage))
    this.#reschedule(device)
    if (stage.next) this.#enqueue(stage.next, request, nowMs, nowMs)
    else this.#complete(request, nowMs)
  }

  #complete(request: number, nowMs: number): void {
    this.#latencyMs[request] = nowMs - 1000 * this.#workload.arrival[request]!
    const instance = this.#instanceOf[request]!
    instance.underWay--
    this.#monitors[this.#workload.model[request]!]!.finished(this.#tickets[request]!, nowMs, this.#slowdown(instance))
  }

  /** The scaler's linear estimate of how much longer a request takes now than at the maximum clocks. */
  #slowdown({ weights }: Instance): number {
    const { clocksMhz } = this.#options.law
    return weights.reduce(
      (sum, { device, weight }) => sum + weight * (clocksMhz.at(-1)! / clocksMhz[device.clock]! - 1),
      1,
    )
  }

  #advance(device: Device, nowMs: number): void {
    const passedMs = nowMs - device.updatedMs
    if (passedMs <= 0) return
    const { active, updatedMs } = device
    const countedMs = Math.max(0, Math.min(nowMs, this.#countToMs) - Math.max(updatedMs, this.#countFromMs))
    let millijoules = countedMs * this.#idleWatts[device.clock]!
    for (const stage of active) {
      const done = passedMs / (active.length * stage.serviceMs)
      stage.remaining = Math.max(0, stage.remaining - done)
      millijoules += (countedMs / passedMs) * done * stage.serviceMillijoules
    }
    device.millijoules += millijoules
    device.clockTimesMs += countedMs * this.#options.law.clocksMhz[device.clock]!
    if (active.length > 0) device.busyMs += countedMs
    device.updatedMs = nowMs
  }

  #reschedule(device: Device): void {
    let least = Infinity
    for (const { remaining, serviceMs } of device.active) least = Math.min(least, remaining * serviceMs)
    device.nextMs = device.updatedMs + least * device.active.length
    if (device.active.length === 0) device.nextMs = Infinity
  }

  #tick(nowMs: number): void {
    const { law, models, sloScale, onTick } = this.#options
    const latencies = this.#monitors.map((monitor, model) => {
      const slowest = this.#instances[model]!.map((instance) => this.#slowdown(instance))
      return monitor.latencyMs(nowMs, Math.max(1, ...slowest))
    })
    for (const [index, device] of this.#devices.entries()) {
      const partitions = device.partitions.map(({ model, weight, name }): PartitionLatency => {
        return { name, weight, sloLatencyMs: sloScale * models[model]!.latencyMs, latencyMs: latencies[model]! }
      })
      const decision = device.scaler!.decide(partitions)
      const clock = law.clocksMhz.findIndex((clockMhz) => clockMhz >= decision.clockMhz)
      if (decision.isScaleOutNeeded) this.#scaleOutSignals++
      if (clock !== device.clock) {
        this.#advance(device, nowMs)
        device.clock = clock
        for (const stage of device.active) this.#setService(stage)
        this.#reschedule(device)
      }
      const { action, slack, isScaleOutNeeded } = decision
      onTick?.({
        seconds: nowMs / 1000,
        device: index,
        clockMhz: law.clocksMhz[clock]!,
        action,
        slack,
        isScaleOutNeeded,
      })
    }
  }

  #result(): ClusterResult {
    const { models, sloScale } = this.#options
    const countedMs = this.#countToMs - this.#countFromMs
    const normalised: number[] = []
    const ofModel: number[][] = models.map(() => [])
    let latencySum = 0
    for (let request = 0; request < this.#latencyMs.length; request++) {
      const latencyMs = this.#latencyMs[request]!
      if (Number.isNaN(latencyMs) || 1000 * this.#workload.arrival[request]! < this.#countFromMs) continue
      const model = this.#workload.model[request]!
      const ofSlo = latencyMs / (sloScale * models[model]!.latencyMs)
      ofModel[model]!.push(ofSlo)
      normalised.push(ofSlo)
      latencySum += latencyMs
    }
    const deviceWatts = this.#devices.map(({ millijoules }) => millijoules / countedMs)
    return {
      requests: normalised.length,
      attainment: normalised.filter((ofSlo) => ofSlo <= 1).length / normalised.length,
      modelP99: ofModel.map(p99),
      normalisedP99: p99(normalised),
      meanLatencyMs: latencySum / normalised.length,
      deviceWatts,
      watts: deviceWatts.reduce((sum, watts) => sum + watts, 0),
      deviceUtilisation: this.#devices.map(({ busyMs }) => busyMs / countedMs),
      deviceClockMhz: this.#devices.map(({ clockTimesMs }) => clockTimesMs / countedMs),
      scaleOutSignals: this.#scaleOutSignals,
      latencyMs: this.#latencyMs,
    }
  }
}

function p99(values: readonly number[]): number {
  return Float64Array.from(values).sort()[Math.ceil(0.99 * values.length) - 1] ?? 0
}

function newDevice(law: GpuLaw, scaler: Partial<FrequencyScalerOptions> | undefined): Device {
  const range = { minimumMhz: law.clocksMhz[0]!, maximumMhz: law.clocksMhz.at(-1)! }
  return {
    clock: law.clocksMhz.length - 1,
    stages: [],
    active: [],
    partitions: [],
    scaler: scaler && new FrequencyScaler({ ...range, ...scaler }),
    updatedMs: 0,
    nextMs: Infinity,
    millijoules: 0,
    busyMs: 0,
    clockTimesMs: 0,
  }
}

function takeSmallest({ waiting, keys }: Stage): number {
  let least = 0
  for (let i = 1; i < keys.length; i++) if (keys[i]! < keys[least]!) least = i
  keys.splice(least, 1)
  return waiting.splice(least, 1)[0]!
}

function checkOptions({ models, devices, deployment, sloScale }: GpuClusterOptions): void {
  if (!(sloScale > 0 && sloScale < Infinity)) {
    throw new ConfigError('config_invalid', `sloScale must be > 0, got ${sloScale}`)
  }
  for (const { model, stages } of deployment) {
    const operators = models[model]?.operators.length
    const isWhole =
      stages.length > 0 &&
      stages.every(({ device, begin }, i) => device < devices && begin === (stages[i - 1]?.end ?? 0)) &&
      stages.at(-1)!.end === operators
    if (!isWhole) {
      throw new ConfigError(
        'config_invalid',
        `the deployment of model ${model} must cover its ${operators} operators on ${devices} devices`,
      )
    }
  }
}
