import type { Actuator, LiveEnvironment, Space, Step } from '@trimtab/core'
import { formatCpu, formatMemory, parseQuantity, type ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import {
  type Allocation,
  type AllocationBounds,
  allocationDollars,
  createTelemetry,
  type Prices,
  type Telemetry,
} from '@trimtab/tasks/autoscaling'
import type { Measured } from './workload-telemetry.js'

const MIB = 2 ** 20
const MOST = 1e12 // of anything
const QUANTITIES = ['replicas', 'coresPerReplica', 'memoryMiBPerReplica'] as const
const NOTHING: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
const ALWAYS_OBSERVED = [
  'usedCores',
  'usedMemoryMiB',
  'readyReplicas',
  'startingReplicas',
  'coresPerReplica',
  'memoryMiBPerReplica',
  'oomKills',
] as const satisfies readonly (keyof Telemetry)[]

/** What a spec allows, in cores, MiB and replicas. */
export function boundsOf({ bounds: { replicas, cpu, memory } }: ResolvedAutoscalerSpec): AllocationBounds {
  return {
    replicas: [replicas.min, replicas.max],
    cores: [parseQuantity(cpu.min), parseQuantity(cpu.max)],
    memoryMiB: [parseQuantity(memory.min) / MIB, parseQuantity(memory.max) / MIB],
  }
}

/** What a spec says that resources cost. */
export const pricesOf = ({ cost }: ResolvedAutoscalerSpec): Prices => ({ perCore: cost.vcpuHour, perGiB: cost.gibHour })

/** What a workload is observed and steered by, for whoever keeps its steps. */
export interface WorkloadSpaces {
  readonly observation: Space
  readonly action: Space
}

/** The spaces of a spec: what it asks to be measured is observed. */
export function spacesOf({ slo, load }: ResolvedAutoscalerSpec): WorkloadSpaces {
  const asked = [...(load ? (['ratePerSecond'] as const) : []), ...(slo.latency ? (['p99Ms'] as const) : [])]
  return { observation: box([...ALWAYS_OBSERVED, ...asked]), action: box(QUANTITIES) }
}

/** Whole millicores and MiB, as they are written: rounded up. */
export const asWritten = ({ replicas, coresPerReplica, memoryMiBPerReplica }: Readonly<Allocation>): Allocation => ({
  replicas: Math.round(replicas),
  coresPerReplica: parseQuantity(formatCpu(coresPerReplica)),
  memoryMiBPerReplica: parseQuantity(formatMemory(memoryMiBPerReplica * MIB)) / MIB,
})

/**
 * One workload as a control loop sees it. A step publishes what is wanted, and ends with the telemetry of the next pass: `pass` is called
 * once a period. Actions are cores, MiB and replicas; what is not controlled stays as it is in force.
 */
export class WorkloadEnvironment implements LiveEnvironment {
  readonly observation: Space
  readonly action: Space
  readonly actuator: Actuator
  /** What was measured last. */
  telemetry: Readonly<Telemetry> = createTelemetry()
  /** What is in force: what an allocator starts from. */
  readonly inForce: Allocation = { ...NOTHING }
  readonly #prices: Prices
  readonly #controlled: ReadonlySet<string>
  #wanted: Allocation | undefined
  #isCarriedOut = false
  #overruled: Allocation | undefined // in place of the next action
  #tell: (measured: Measured) => void = () => {}
  #publish: (wanted: Allocation) => void = () => {}

  constructor(spec: ResolvedAutoscalerSpec) {
    const { replicas, cores, memoryMiB } = boundsOf(spec)
    this.#prices = pricesOf(spec)
    this.#controlled = new Set(spec.controlled)
    const { observation, action } = spacesOf(spec)
    this.observation = observation
    this.action = action
    const quantities = [replicas, cores, memoryMiB].map(([low, high], i) => {
      const name = QUANTITIES[i]!
      return { name, low, high, isWhole: name === 'replicas' }
    })
    this.actuator = {
      quantities,
      inForce: (out) => toUnits(this.#from, out),
      toUnits: (action, out) => {
        this.#overruled = undefined
        toUnits(this.#toAllocation(action), out)
      },
      overrule: (units, action) => {
        action.set(units)
        this.#overruled = toAllocation(units)
      },
    }
  }

  /**
   * Ends the step under way with what was measured, and begins the next one.
   * @param isCarriedOut  whether what is wanted comes into force: limits count from what is in force then, else from what was wanted last
   * @returns what is wanted next, in whole millicores and MiB
   */
  pass(measured: Measured, inForce: Readonly<Allocation>, isCarriedOut: boolean): Promise<Allocation> {
    this.telemetry = measured.telemetry
    Object.assign(this.inForce, inForce)
    this.#isCarriedOut = isCarriedOut
    const wanted = new Promise<Allocation>((resolve) => {
      this.#publish = resolve
    })
    this.#tell(measured)
    return wanted
  }

  async reset(): Promise<Float32Array> {
    return this.#observe()
  }

  step(action: Float32Array): Promise<Step> {
    const measured = new Promise<Measured>((resolve) => {
      this.#tell = resolve
    })
    this.#wanted = asWritten(this.#overruled ?? this.#toAllocation(action))
    this.#publish(this.#wanted)
    return measured.then(() => ({
      observation: this.#observe(),
      reward: this.#reward(),
      terminated: false,
      truncated: false,
      info: {},
    }))
  }

  /** What limits count from, and what is held. */
  get #from(): Readonly<Allocation> {
    return (this.#isCarriedOut ? undefined : this.#wanted) ?? this.inForce
  }

  /** Actions are f32: cores are brought back to whole millicores. */
  #toAllocation(action: Float32Array): Allocation {
    const asked = toAllocation(action)
    const isControlled = (what: string): boolean => this.#controlled.has(what)
    return {
      replicas: isControlled('replicas') ? Math.round(asked.replicas) : this.inForce.replicas,
      coresPerReplica: isControlled('cpu')
        ? Math.round(asked.coresPerReplica * 1000) / 1000
        : this.inForce.coresPerReplica,
      memoryMiBPerReplica: isControlled('memory') ? asked.memoryMiBPerReplica : this.inForce.memoryMiBPerReplica,
    }
  }

  /** Minus dollars an hour of what was in force; what broke meanwhile is in the observation. */
  #reward(): number {
    const { coresPerReplica, memoryMiBPerReplica, readyReplicas, startingReplicas } = this.telemetry
    const replicas = readyReplicas + startingReplicas
    return -allocationDollars(this.#prices, { coresPerReplica, memoryMiBPerReplica, replicas })
  }

  /** NaN where something is missing; that there were no requests is no gap in latency. */
  #observe(): Float32Array {
    const { telemetry } = this
    return Float32Array.from(this.observation.names, (name) =>
      name === 'p99Ms' && telemetry.requests === 0 ? 0 : telemetry[name as keyof Telemetry],
    )
  }
}

const toAllocation = ([replicas, cores, memoryMiB]: Float32Array | Float64Array): Allocation => ({
  replicas: replicas!,
  coresPerReplica: cores!,
  memoryMiBPerReplica: memoryMiB!,
})

/** An allocation in the order of actions and quantities. */
export function toUnits(
  { replicas, coresPerReplica, memoryMiBPerReplica }: Readonly<Allocation>,
  out: Float32Array | Float64Array,
): void {
  out[0] = replicas
  out[1] = coresPerReplica
  out[2] = memoryMiBPerReplica
}

const box = (names: readonly string[]): Space => ({
  names,
  low: new Float64Array(names.length),
  high: new Float64Array(names.length).fill(MOST),
  kind: 'box',
})
