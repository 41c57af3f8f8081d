import { ConfigError } from '@trimtab/core'
import type { ModelPartition } from './partitioning.js'

/** A GPU as placement sees it. */
export interface PlacementDevice {
  readonly name: string
  /** Free for models. */
  readonly memoryBytes: number
}

/** Limits of Algorithm 6.2, and what decides between devices that it leaves equal. */
export interface PlacementOptions {
  /** CT: on how many devices the partitions of one model may lie. */
  readonly maximumDevicesPerModel: number
  /**
   * An empty device has no sensitivity to be similar to: it is opened when no used device is nearer than this to the partition.
   * 0.25 by default; 0 opens devices as long as there are empty ones.
   */
  readonly openingDistance?: number
  /** Share of the time that each partition keeps its device busy, in the order of the partitions. 0 when absent. */
  readonly loads?: readonly number[]
  /** Devices with more load than this are passed over while another one has room; 0.6 by default. Memory and CT always hold. */
  readonly maximumLoad?: number
}

/** `devices[i]` is the device of `partitions[i]` as passed in. */
export type PlacementPlan = readonly number[]

interface Bin {
  freeBytes: number
  load: number
  /** Σ latency · score and Σ latency of what lies here. */
  weightedScore: number
  weight: number
  /** Bytes of each model that lie here. */
  readonly models: Map<string, number>
}

/**
 * Gives each partition to the device whose partitions are most similar in sensitivity, within memory and at most CT devices a model
 * (Algorithm 6.2).
 *
 * Read as its text means it: the printed comparison (bestScore starts at infinity and is tested `bestScore < score`) never
 * chooses anything, and the model's counter counts partitions where CT limits devices. Beyond the paper: an empty device has a
 * distance of its own, a device that would strand the rest of the model is not taken, and load is looked at where it is known.
 * Models are placed in the order given, and when that leads into a dead end, by memory, largest first.
 *
 * @param partitions  of all models of the device group; those of one model together or not
 * @throws {ConfigError} `placement_infeasible`, naming the model and the memory that is missing
 */
export function placePartitions(
  devices: readonly PlacementDevice[],
  partitions: readonly ModelPartition[],
  options: PlacementOptions,
): PlacementPlan {
  checkOptions(devices, partitions, options)
  const byModel = new Map<string, number[]>()
  for (const [index, { model }] of partitions.entries()) {
    const members = byModel.get(model)
    if (members) members.push(index)
    else byModel.set(model, [index])
  }
  const memory = (model: readonly number[]): number =>
    model.reduce((total, index) => total + partitions[index]!.memoryBytes, 0)
  const models = [...byModel.values()]
  const first = tryPlace(devices, partitions, models, options)
  if (first.plan) return first.plan
  const largestFirst = models.toSorted((a, b) => memory(b) - memory(a))
  const second = tryPlace(devices, partitions, largestFirst, options)
  if (second.plan) return second.plan
  const failed = partitions[second.failed!]!
  throw infeasible(failed, memory(byModel.get(failed.model)!), second.bins, options.maximumDevicesPerModel)
}

function checkOptions(
  devices: readonly PlacementDevice[],
  partitions: readonly ModelPartition[],
  { maximumDevicesPerModel, loads }: PlacementOptions,
): void {
  if (devices.length === 0) throw new ConfigError('config_invalid', 'placement needs at least one device')
  if (!(Number.isInteger(maximumDevicesPerModel) && maximumDevicesPerModel > 0)) {
    throw new ConfigError('config_invalid', `maximumDevicesPerModel must be a count > 0, got ${maximumDevicesPerModel}`)
  }
  if (loads && loads.length !== partitions.length) {
    throw new ConfigError(
      'size_mismatch',
      `loads must hold one number for each of ${partitions.length} partitions, got ${loads.length}`,
    )
  }
  const bad = partitions.find(({ memoryBytes, score }) => !(memoryBytes >= 0 && Number.isFinite(memoryBytes + score)))
  if (bad) {
    throw new ConfigError(
      'config_invalid',
      `partition ${bad.stage} of ${bad.model} needs finite memory ≥ 0 and a finite score, got ${bad.memoryBytes} bytes and ${bad.score}`,
    )
  }
}

function tryPlace(
  devices: readonly PlacementDevice[],
  partitions: readonly ModelPartition[],
  models: readonly (readonly number[])[],
  { maximumDevicesPerModel, openingDistance = 0.25, loads, maximumLoad = 0.6 }: PlacementOptions,
): { plan?: number[]; failed?: number; bins: Bin[] } {
  const bins: Bin[] = devices.map(({ memoryBytes }) => {
    return { freeBytes: memoryBytes, load: 0, weightedScore: 0, weight: 0, models: new Map() }
  })
  const plan = new Array<number>(partitions.length).fill(-1)
  for (const model of models) {
    const sorted = model.toSorted((a, b) => partitions[a]!.score - partitions[b]!.score)
    let restBytes = model.reduce((total, index) => total + partitions[index]!.memoryBytes, 0)
    for (const index of sorted) {
      const partition = partitions[index]!
      const load = loads?.[index] ?? 0
      restBytes -= partition.memoryBytes
      const feasible = bins.filter((bin) => fits(bins, bin, partition, restBytes, maximumDevicesPerModel))
      const relaxed = feasible.filter((bin) => bin.load + load <= maximumLoad)
      const bin = mostSimilar(relaxed.length > 0 ? relaxed : feasible, partition.score, openingDistance)
      if (!bin) return { failed: index, bins }
      bin.freeBytes -= partition.memoryBytes
      bin.load += load
      const weight = partition.latencyMs > 0 ? partition.latencyMs : Number.MIN_VALUE
      bin.weightedScore += weight * partition.score
      bin.weight += weight
      bin.models.set(partition.model, (bin.models.get(partition.model) ?? 0) + partition.memoryBytes)
      plan[index] = bins.indexOf(bin)
    }
  }
  return { plan, bins }
}

/** Memory for the partition, CT for the model, and room for the rest of the model on the devices it may still use. */
function fits(
  bins: readonly Bin[],
  bin: Bin,
  { model, memoryBytes }: ModelPartition,
  rest: number,
  ct: number,
): boolean {
  const used = bins.filter(({ models }) => models.has(model)).length
  const isNew = !bin.models.has(model)
  if (bin.freeBytes < memoryBytes || (isNew && used >= ct)) return false
  const still = ct - used - (isNew ? 1 : 0)
  const others = bins.filter((other) => other !== bin)
  const reachable = others.filter(({ models }) => models.has(model))
  const largest = others
    .filter(({ models }) => !models.has(model))
    .toSorted((a, b) => b.freeBytes - a.freeBytes)
    .slice(0, still)
  const room = [...reachable, ...largest].reduce(
    (total, { freeBytes }) => total + freeBytes,
    bin.freeBytes - memoryBytes,
  )
  return room >= rest
}

/** The nearest in sensitivity; of equals the one with less load, then with more free memory, then the first. */
function mostSimilar(bins: readonly Bin[], score: number, openingDistance: number): Bin | undefined {
  const distance = (bin: Bin): number =>
    bin.weight === 0 ? openingDistance : Math.abs(score - bin.weightedScore / bin.weight)
  return bins.toSorted((a, b) => distance(a) - distance(b) || a.load - b.load || b.freeBytes - a.freeBytes)[0]
}

function infeasible(partition: ModelPartition, modelBytes: number, bins: readonly Bin[], ct: number): ConfigError {
  const { model, stage, memoryBytes } = partition
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  // What the model could have had: the CT freest devices, were none of its own partitions placed yet.
  const free = bins.map((bin) => bin.freeBytes + (bin.models.get(model) ?? 0)).toSorted((a, b) => b - a)
  const missing = Math.max(modelBytes - sum(free.slice(0, ct)), memoryBytes - free[0]!)
  const lack =
    missing > 0
      ? `${gigabytes(missing)} are missing`
      : `the memory would do, but not in pieces of ${gigabytes(memoryBytes)} (partition ${stage})`
  return new ConfigError(
    'placement_infeasible',
    `model ${model} needs ${gigabytes(modelBytes)}; on at most ${ct} of ${bins.length} devices it finds ` +
      `${gigabytes(sum(free.slice(0, ct)))}: ${lack} (add devices or memory, raise maximumDevicesPerModel, or cut models into more stages)`,
  )
}
