import type { ContainerTable } from './container-table.js'
import { type Crowd, crowdOf, type SharingRows } from './cpu-sharing.js'
import { type FunctionProfile, IO_KNEE, MEMORY_KNEE } from './function-profile.js'
import type { CpuMode } from './platform-spec.js'

/** An invoker as it computes. */
export interface Invoker {
  readonly cores: number
  readonly memoryMiB: number
  readonly speed: number
  readonly ioStreams: number
}

/** What tenants ask of the invokers in a step. N: tenants. */
export interface SharingDemand {
  readonly functions: readonly FunctionProfile[]
  /** [N], requests a second that are there to be served. */
  readonly requestRate: Float64Array
  /** [N] */
  readonly shares: Float64Array
}

/** What the invokers give each tenant in a step; everything [N]. Times are means over its containers. */
export class TenantService {
  /** Containers that could serve, each counted for the part of the step in which it could. */
  readonly available: Float64Array
  /** Requests a second that all of them together can serve. */
  readonly capacity: Float64Array
  /** Requests a second served, unless those that are there come too late in the step. */
  readonly carried: Float64Array
  /** Cores used for that. */
  readonly carriedCores: Float64Array
  /** CPU time of a request while cores are free. */
  readonly freeSeconds: Float64Array
  /** How probable it is that they are crowded, and CPU time then. */
  readonly crowdProbability: Float64Array
  readonly crowdedSeconds: Float64Array
  readonly ioSeconds: Float64Array

  constructor(tenants: number) {
    const column = (): Float64Array => new Float64Array(tenants)
    this.available = column()
    this.capacity = column()
    this.carried = column()
    this.carriedCores = column()
    this.freeSeconds = column()
    this.crowdProbability = column()
    this.crowdedSeconds = column()
    this.ioSeconds = column()
  }

  /** [N] each. */
  get columns(): readonly Float64Array[] {
    const { available, capacity, carried, carriedCores, freeSeconds, crowdProbability, crowdedSeconds, ioSeconds } =
      this
    return [available, capacity, carried, carriedCores, freeSeconds, crowdProbability, crowdedSeconds, ioSeconds]
  }
}

/**
 * How containers of one invoker slow each other down in a step: memory and I/O in use beyond their knees, then cores by shares
 * (`crowdOf`). Linear in containers.
 */
export class InvokerSharing {
  readonly #table: ContainerTable
  readonly #invokers: readonly Invoker[]
  readonly #cpuMode: CpuMode
  readonly #stepSeconds: number
  readonly #rows: SharingRows
  readonly #available: Float64Array // of each container
  readonly #rate: Float64Array // requests a second offered to each
  readonly #slowdown: Float64Array
  readonly #byInvoker: Int32Array // rows, invoker after invoker
  readonly #firstOf: Int32Array // where each invoker's rows begin, and the end
  readonly #crowd: Crowd = { probability: 0, level: 0 }

  constructor(table: ContainerTable, invokers: readonly Invoker[], cpuMode: CpuMode, stepSeconds: number) {
    this.#table = table
    this.#invokers = invokers
    this.#cpuMode = cpuMode
    this.#stepSeconds = stepSeconds
    const column = (): Float64Array => new Float64Array(table.tenant.length)
    this.#rows = { demand: column(), cap: column(), weight: column(), running: column() }
    this.#available = column()
    this.#rate = column()
    this.#slowdown = column()
    this.#byInvoker = new Int32Array(table.tenant.length)
    this.#firstOf = new Int32Array(invokers.length + 1)
  }

  /** Fills `out` with what the demand gets of the containers that there are. */
  share(demand: SharingDemand, out: TenantService): void {
    for (const column of out.columns) column.fill(0)
    this.#sortRows()
    this.#spreadRequests(demand, out)
    for (const [i, invoker] of this.#invokers.entries()) {
      const rows = this.#byInvoker.subarray(this.#firstOf[i], this.#firstOf[i + 1])
      if (rows.length === 0) continue
      this.#interfere(demand, invoker, rows)
      this.#askForCores(demand, invoker, rows)
      crowdOf(this.#rows, rows, invoker.cores, this.#crowd)
      this.#collect(demand, invoker, rows, out)
    }
    toMeans(out)
  }

  /** Counting sort of the rows by invoker; the rows of one keep their order. */
  #sortRows(): void {
    const { count, invoker } = this.#table
    const firstOf = this.#firstOf.fill(0)
    for (let row = 0; row < count; row++) firstOf[invoker[row]! + 1]!++
    for (let i = 1; i < firstOf.length; i++) firstOf[i]! += firstOf[i - 1]!
    for (let row = 0; row < count; row++) this.#byInvoker[firstOf[invoker[row]!]!++] = row
    firstOf.copyWithin(1, 0, firstOf.length - 1) // each had moved on to the next one's beginning
    firstOf[0] = 0
  }

  /** A tenant's requests go to its containers evenly, as long as each can serve. */
  #spreadRequests({ requestRate }: SharingDemand, { available }: TenantService): void {
    const { count, tenant, startingSeconds } = this.#table
    for (let row = 0; row < count; row++) {
      const part = Math.max(0, 1 - startingSeconds[row]! / this.#stepSeconds)
      this.#available[row] = part
      available[tenant[row]!]! += part
    }
    for (let row = 0; row < count; row++) {
      const part = this.#available[row]!
      this.#rate[row] = part === 0 ? 0 : (requestRate[tenant[row]!]! * part) / available[tenant[row]!]!
    }
  }

  /** How much longer requests take on an invoker whose memory or I/O is in use beyond its knee. */
  #interfere({ functions, shares }: SharingDemand, invoker: Invoker, rows: Int32Array): void {
    const { tenant } = this.#table
    let memory = 0
    let streams = 0
    for (const row of rows) {
      const { workSeconds, ioSeconds, memoryMiB, idleMemoryMiB } = functions[tenant[row]!]!
      const held = workSeconds / (invoker.speed * this.#cap(shares[tenant[row]!]!)) + ioSeconds
      const busy = Math.min(this.#available[row]!, this.#rate[row]! * held)
      memory += idleMemoryMiB + (memoryMiB - idleMemoryMiB) * busy
      streams += (busy * ioSeconds) / held
    }
    const memoryExcess = Math.max(0, memory / invoker.memoryMiB - MEMORY_KNEE)
    const ioExcess = Math.max(0, streams / invoker.ioStreams - IO_KNEE)
    for (const row of rows) {
      const { memorySensitivity, ioSensitivity } = functions[tenant[row]!]!
      this.#slowdown[row] = 1 + memorySensitivity * memoryExcess + ioSensitivity * ioExcess
    }
  }

  #askForCores({ functions, shares }: SharingDemand, invoker: Invoker, rows: Int32Array): void {
    const { tenant } = this.#table
    for (const row of rows) {
      const { workSeconds, ioSeconds } = functions[tenant[row]!]!
      const slowdown = this.#slowdown[row]!
      const coreSeconds = (workSeconds * slowdown) / invoker.speed
      const cap = this.#cap(shares[tenant[row]!]!)
      const most = this.#available[row]! / (coreSeconds / cap + ioSeconds * slowdown)
      this.#rate[row] = Math.min(this.#rate[row]!, most)
      this.#rows.cap[row] = cap
      this.#rows.weight[row] = shares[tenant[row]!]!
      this.#rows.demand[row] = this.#rate[row]! * coreSeconds
    }
  }

  /** Cores that a container gets at most. */
  #cap(shares: number): number {
    return this.#cpuMode === 'quota' ? Math.min(1, shares / SHARES_PER_CORE) : 1
  }

  /** Adds up over a tenant's containers, each weighted by its part of the step. */
  #collect({ functions }: SharingDemand, invoker: Invoker, rows: Int32Array, out: TenantService): void {
    const { tenant } = this.#table
    const { demand, cap, weight } = this.#rows
    const { probability, level } = this.#crowd
    for (const row of rows) {
      const part = this.#available[row]!
      if (part === 0) continue
      const i = tenant[row]!
      const { workSeconds, ioSeconds } = functions[i]!
      const slowdown = this.#slowdown[row]!
      const coreSeconds = (workSeconds * slowdown) / invoker.speed
      const granted = Math.min(cap[row]!, weight[row]! * level)
      const isStarved = probability === 1 && granted < demand[row]!
      const carried = isStarved ? granted / coreSeconds : this.#rate[row]!
      out.carried[i]! += carried
      out.carriedCores[i]! += carried * coreSeconds
      out.capacity[i]! += isStarved ? carried : part / (coreSeconds / cap[row]! + ioSeconds * slowdown)
      out.freeSeconds[i]! += (part * coreSeconds) / cap[row]!
      out.crowdProbability[i]! += part * probability
      out.crowdedSeconds[i]! += (part * probability * coreSeconds) / granted
      out.ioSeconds[i]! += part * ioSeconds * slowdown
    }
  }
}

/** What a core is worth in shares, as cgroups have it. */
export const SHARES_PER_CORE = 1024

function toMeans(out: TenantService): void {
  for (const [i, parts] of out.available.entries()) {
    if (parts === 0) continue
    if (out.crowdProbability[i]! > 0) out.crowdedSeconds[i]! /= out.crowdProbability[i]!
    else out.crowdedSeconds[i] = 0
    out.crowdProbability[i]! /= parts
    out.freeSeconds[i]! /= parts
    out.ioSeconds[i]! /= parts
  }
}
