import { type Core, Problems, Random } from '@trimtab/core'
import { PROCESSORS, type ProcessorName } from './processors.js'

/** What an application does for some while. None of it is told to the agent. */
export interface Phase {
  /** Share of an instruction's time that shrinks with frequency, 0.05 (memory-bound) … 1 (compute-bound). */
  readonly sensitivity: number
  /** Instructions per cycle at nominal frequency. */
  readonly instructionsPerCycle: number
  /** Share of the cores' time in use: requests first, batch work in what is left. */
  readonly utilisation01: number
  /** Share of the cores' time that requests alone would need at nominal frequency, below `utilisation01`. */
  readonly requestLoad01: number
  readonly meanSeconds: number
}

/** An application in a VM on a processor. Plain JSON. */
export interface FrequencyPair {
  readonly name: string
  readonly processor: ProcessorName
  /** Which phase comes next is drawn evenly from the others. */
  readonly phases: readonly Phase[]
  /** CPU time of one request at nominal frequency. */
  readonly requestMs: number
  /** Latency SLO as a multiple of the mean latency at turbo over all phases. */
  readonly latencyFactor: number
  /** Throughput SLO as a share of the instructions per second at turbo over all phases. */
  readonly throughputShare: number
}

const STREAM = 104
const PHASES = 3

/** Rolls the pair number `number`: three phases of 20 to 60 seconds, on a processor drawn with the application. */
export function generateFrequencyPair(core: Core, number: number): FrequencyPair {
  const random = new Random(core, number, STREAM)
  const between = (low: number, high: number): number => low + (high - low) * random.uniform()
  const names = Object.keys(PROCESSORS) as ProcessorName[]
  const processor = names[random.integer(names.length)]!
  // An application is of one kind: its phases scatter around a sensitivity and a load of its own.
  const sensitivity = between(0.05, 1)
  const load = between(0.2, 0.9)
  const phases = Array.from({ length: PHASES }, (): Phase => {
    const utilisation01 = clip(load + between(-0.2, 0.2), 0.1, 0.95)
    return {
      sensitivity: clip(sensitivity + between(-0.15, 0.15), 0.05, 1),
      instructionsPerCycle: between(0.4, 2.2),
      utilisation01,
      requestLoad01: utilisation01 * between(0.5, 1),
      meanSeconds: between(20, 60),
    }
  })
  const pair: FrequencyPair = {
    name: `app-${number}`,
    processor,
    phases,
    requestMs: 5 * core.math.exp(between(0, 4)),
    latencyFactor: between(1, 1.5),
    throughputShare: between(0.7, 1),
  }
  random.dispose()
  return pair
}

const clip = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkFrequencyPair(pair: FrequencyPair): void {
  const problems = new Problems()
  const { processor, phases, requestMs, latencyFactor, throughputShare } = pair ?? {}
  problems.check(
    Object.hasOwn(PROCESSORS, processor ?? ''),
    `processor must be one of ${Object.keys(PROCESSORS).join(', ')}, got ${processor}`,
  )
  const above = (name: string, value: number, low: number, high: number): void =>
    problems.check(value > low && value <= high, `${name} must lie in (${low}, ${high}], got ${value}`)
  above('requestMs', requestMs, 0, 1e9)
  above('latencyFactor', latencyFactor, 0, 1e3)
  above('throughputShare', throughputShare, 0, 1e3)
  problems.check(Array.isArray(phases) && phases.length > 0, `phases must be a list of at least one, got ${phases}`)
  for (const [i, phase] of Array.isArray(phases) ? phases.entries() : []) {
    above(`phases[${i}].sensitivity`, phase?.sensitivity, 0, 1)
    above(`phases[${i}].instructionsPerCycle`, phase?.instructionsPerCycle, 0, 100)
    above(`phases[${i}].utilisation01`, phase?.utilisation01, 0, 1)
    above(`phases[${i}].requestLoad01`, phase?.requestLoad01, 0, Math.min(phase?.utilisation01, MAX_LOAD))
    above(`phases[${i}].meanSeconds`, phase?.meanSeconds, 0, 1e9)
  }
  problems.throwIfAny('pair')
}

/** Requests never ask for more of the cores' time: processor sharing knows no mean latency at 1. */
export const MAX_LOAD = 0.95
