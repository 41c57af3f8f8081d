import { ConfigError } from '@trimtab/core'

/** Models → device groups: `groups[g]` holds the indices of the models that group g serves. All groups have `groupSize` devices. */
export interface GroupAssignment {
  readonly groupSize: number
  readonly groups: readonly (readonly number[])[]
}

/** Devices, models and the judge of a search for groups. */
export interface GroupSearchOptions {
  readonly devices: number
  /** Free for models, of each device. */
  readonly deviceMemoryBytes: number
  readonly models: readonly { readonly name: string; readonly memoryBytes: number }[]
  /** Memory of each stage of a model in a group of `groupSize` devices, stage i on device i. */
  readonly stageBytes: (model: number, groupSize: number) => readonly number[]
  /** Judges a candidate by simulation; asked for partial assignments too, which serve only some models. */
  readonly evaluate: (candidate: GroupAssignment) => GroupEvaluation
  /** Group sizes to try; those that divide the number of devices by default. */
  readonly groupSizes?: readonly number[]
  /** How many copies of models may be added when all are placed; 0 by default. */
  readonly replicas?: number
}

export interface GroupEvaluation {
  /** Higher is better. */
  readonly score: number
  /** [model] tail of latency / SLO: the model with the largest is the next to be copied. */
  readonly tails: readonly number[]
}

/** An assignment of models to groups of devices with what it earns: larger is better. */
export interface GroupCandidate extends GroupAssignment {
  readonly score: number
}

/**
 * Which models each group of devices serves, by a simulator-guided greedy search as in AlpaServe (6.3.2): for every division of the
 * cluster into equal groups, models are added one after the other, the largest first, each to the group where the simulation scores
 * best; then copies of the model with the longest tail, as long as they help. Empty groups are alike, so only one of them is tried.
 *
 * @returns the best assignment of each group size at which all models fit, best score first; of equal scores smaller groups first
 * @throws {ConfigError} `placement_infeasible`, naming the model and the memory that is missing
 */
export function searchGroups(options: GroupSearchOptions): GroupCandidate[] {
  const { devices, models } = options
  const sizes =
    options.groupSizes ?? Array.from({ length: devices }, (_, i) => i + 1).filter((size) => devices % size === 0)
  const bad = sizes.find((size) => !(Number.isInteger(size) && size > 0 && devices % size === 0))
  if (bad !== undefined || sizes.length === 0 || models.length === 0) {
    throw new ConfigError(
      'config_invalid',
      `group sizes must divide ${devices} devices and there must be models, got sizes ${sizes.join(', ')} and ${models.length} models`,
    )
  }
  const failures: string[] = []
  const candidates = sizes.flatMap((size) => {
    const search = new GreedySearch(options, size)
    const failure = search.placeAll()
    if (failure) failures.push(failure)
    return failure ? [] : [search.candidate()]
  })
  if (candidates.length === 0) {
    throw new ConfigError(
      'placement_infeasible',
      `no division of ${devices} devices holds all models: ${failures.join('; ')} (add devices or memory)`,
    )
  }
  return candidates.toSorted((a, b) => b.score - a.score || a.groupSize - b.groupSize)
}

interface Addition {
  readonly model: number
  readonly group: number
  readonly evaluation: GroupEvaluation
}

class GreedySearch {
  readonly #options: GroupSearchOptions
  readonly #size: number
  readonly #groups: number[][]
  /** [group][device] */
  readonly #free: number[][]
  #evaluation: GroupEvaluation = { score: -Infinity, tails: [] }

  constructor(options: GroupSearchOptions, size: number) {
    this.#options = options
    this.#size = size
    const count = options.devices / size
    this.#groups = Array.from({ length: count }, () => [])
    this.#free = Array.from({ length: count }, () => new Array<number>(size).fill(options.deviceMemoryBytes))
  }

  candidate(): GroupCandidate {
    return { groupSize: this.#size, groups: this.#groups.map((group) => [...group]), score: this.#evaluation.score }
  }

  /** @returns why it cannot be done */
  placeAll(): string | undefined {
    const { models, replicas = 0 } = this.#options
    const largestFirst = [...models.keys()].toSorted((a, b) => models[b]!.memoryBytes - models[a]!.memoryBytes)
    for (const model of largestFirst) {
      const best = this.#best(model)
      if (!best) return this.#failure(model)
      this.#add(best)
    }
    for (let copy = 0; copy < replicas; copy++) {
      const { tails } = this.#evaluation
      const slowest = models.reduce<number>((most, _, model) => (tails[model]! > tails[most]! ? model : most), 0)
      const best = this.#best(slowest)
      if (!best || best.evaluation.score <= this.#evaluation.score) break
      this.#add(best)
    }
    return undefined
  }

  #best(model: number): Addition | undefined {
    let best: Addition | undefined
    const firstEmpty = this.#groups.findIndex((group) => group.length === 0)
    for (const [group, members] of this.#groups.entries()) {
      if (members.includes(model) || (members.length === 0 && group !== firstEmpty) || !this.#fits(model, group))
        continue
      members.push(model)
      const evaluation = this.#options.evaluate({ groupSize: this.#size, groups: this.#groups })
      members.pop()
      if (!best || evaluation.score > best.evaluation.score) best = { model, group, evaluation }
    }
    return best
  }

  #fits(model: number, group: number): boolean {
    const free = this.#free[group]!
    return this.#options.stageBytes(model, this.#size).every((bytes, device) => bytes <= free[device]!)
  }

  #add({ model, group, evaluation }: Addition): void {
    const bytes = this.#options.stageBytes(model, this.#size)
    this.#groups[group]!.push(model)
    for (const [device, stage] of bytes.entries()) this.#free[group]![device]! -= stage
    this.#evaluation = evaluation
  }

  #failure(model: number): string {
    const { name, memoryBytes } = this.#options.models[model]!
    const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`
    const stages = this.#options.stageBytes(model, this.#size)
    const shortages = this.#free.map((free) => Math.max(...stages.map((bytes, device) => bytes - free[device]!)))
    return `in groups of ${this.#size}, model ${name} (${gigabytes(memoryBytes)}) misses ${gigabytes(Math.min(...shortages))} on a device`
  }
}
