import { ConfigError } from '@trimtab/core'
import type { GpuLaw } from './gpu-law.js'
import { idleWatts, workMillijoules, workMs } from './gpu-law.js'

/** One kernel at one clock, as DVFS benchmarks report it. */
export interface KernelSample {
  readonly kernel: string
  readonly clockMhz: number
  readonly timeMs: number
  readonly powerWatts: number
  /** How busy the busiest arithmetic unit (floating point, tensor) was: 0…1. */
  readonly arithmetic01: number
}

/** A law of time and power fitted to measured kernels, and how far it is off; errors are relative. */
export interface GpuLawFit {
  readonly law: GpuLaw
  readonly kernels: number
  /** Mean of |fitted / measured − 1| over all kernels and clocks. */
  readonly timeError: number
  /** The same for power, with wattages of each kernel's own. */
  readonly powerError: number
  /** With the law's wattages: memory-bound kernels, and kernels that compute. */
  readonly memoryBoundPowerError: number
  readonly arithmeticPowerError: number
}

interface Kernel {
  readonly clocks: readonly number[]
  /** Relative to the default clock. */
  readonly times: readonly number[]
  readonly watts: readonly number[]
  readonly arithmetic01: number
}

const MEMORY_KNEES = range(600, 1200, 20)
const VOLTAGE_KNEES = range(700, 1200, 50)
const VOLTAGE_RISES = range(0.1, 0.8, 0.05)
const SHARES = range(0, 1, 0.01)
/** Kernels with less time on the cores than this are bound by memory alone. */
const MEMORY_BOUND_SHARE = 0.3
/** Kernels whose arithmetic units are busier than this draw what matrix products draw. */
const BUSY_ARITHMETIC = 0.5

/**
 * Fits the laws of `gpu-law` to measurements of one GPU: grids for the knees and the voltage, least squares for the watts.
 * The idle law comes from the kernel that draws least. Every kernel must have been measured at the same clocks, three or more.
 *
 * @param start  the constants that are not fitted: name, memory, clocks, throughputs
 * @throws {ConfigError} `profile_incomplete`
 */
export function fitGpuLaw(samples: readonly KernelSample[], start: GpuLaw): GpuLawFit {
  const kernels = groupKernels(samples, start.clocksMhz.at(-1)!)
  const knee = argmin(MEMORY_KNEES, (memoryKneeMhz) =>
    mean(kernels.map((k) => fitShare({ ...start, memoryKneeMhz }, k).error)),
  )
  const kneed: GpuLaw = { ...start, memoryKneeMhz: knee }
  const shares = kernels.map((kernel) => fitShare(kneed, kernel))
  const idlest = kernels.reduce((least, kernel) => (kernel.watts.at(-1)! < least.watts.at(-1)! ? kernel : least))
  let best: { law: GpuLaw; error: number } | undefined
  for (const voltageKneeMhz of VOLTAGE_KNEES) {
    for (const voltageRise of VOLTAGE_RISES) {
      const law = fitIdle({ ...kneed, voltageKneeMhz, voltageRise }, idlest)
      const own = kernels.map((kernel, i) => fitWatts(law, [kernel], [shares[i]!.share], ['coreWatts', 'memoryWatts']))
      const error = mean(own.map((fit) => fit.error))
      if (!best || error < best.error) best = { law, error }
    }
  }
  const select = (isChosen: (kernel: Kernel, share: number) => boolean): [Kernel[], number[]] => {
    const chosen = kernels.map((kernel, i) => isChosen(kernel, shares[i]!.share))
    return [kernels.filter((_, i) => chosen[i]), shares.filter((_, i) => chosen[i]).map(({ share }) => share)]
  }
  const memoryBound = select((_, share) => share < MEMORY_BOUND_SHARE)
  const arithmetic = select(({ arithmetic01 }) => arithmetic01 >= BUSY_ARITHMETIC)
  if (memoryBound[0].length === 0 || arithmetic[0].length === 0) {
    throw new ConfigError(
      'profile_incomplete',
      `the watts need kernels bound by memory and kernels with an arithmetic unit ≥ ${BUSY_ARITHMETIC} busy, got ` +
        `${memoryBound[0].length} and ${arithmetic[0].length}`,
    )
  }
  const memory = fitWatts(best!.law, ...memoryBound, ['streamWatts', 'memoryWatts'])
  const core = fitWatts(memory.law, ...arithmetic, ['coreWatts'])
  return {
    law: core.law,
    kernels: kernels.length,
    timeError: mean(shares.map(({ error }) => error)),
    powerError: best!.error,
    memoryBoundPowerError: memory.error,
    arithmeticPowerError: core.error,
  }
}

/** Work of a kernel that takes 1 ms at the default clock, `core` of it on the cores: the roofs meet in the fourth power. */
const kernelWork = (core: number): { fixedMs: number; coreMs: number; memoryMs: number } => {
  return { fixedMs: 0, coreMs: core, memoryMs: Math.sqrt(Math.sqrt(1 - core ** 4)) }
}

function fitShare(law: GpuLaw, { clocks, times }: Kernel): { share: number; error: number } {
  const error = (share: number): number =>
    mean(times.map((time, i) => Math.abs(workMs(law, kernelWork(share), clocks[i]!) / time - 1)))
  const share = argmin(SHARES, error)
  return { share, error: error(share) }
}

function fitIdle(law: GpuLaw, { clocks, watts }: Kernel): GpuLaw {
  const unit = { ...law, idleWatts: 0, clockWatts: 1 }
  const rows = clocks.map((clock): [number, number] => [1, idleWatts(unit, clock)])
  const [constant, slope] = leastSquares(rows, watts)
  return { ...law, idleWatts: constant, clockWatts: slope }
}

type Wattage = 'coreWatts' | 'streamWatts' | 'memoryWatts'

/** Least squares of relative errors for one or two of the law's wattages; the others stay as they are. */
function fitWatts(
  law: GpuLaw,
  kernels: readonly Kernel[],
  shares: readonly number[],
  fitted: readonly [Wattage] | readonly [Wattage, Wattage],
): { law: GpuLaw; error: number } {
  const known = { ...law, ...Object.fromEntries(fitted.map((wattage) => [wattage, 0])) }
  if (fitted[1] && fitted[0] === 'coreWatts') known.streamWatts = 0 // a kernel's own two terms stand for all three
  const none = { ...law, coreWatts: 0, streamWatts: 0, memoryWatts: 0 }
  const rows: [number, number][] = []
  const targets: number[] = []
  for (const [k, { clocks, watts }] of kernels.entries()) {
    const work = kernelWork(shares[k]!)
    for (const [i, clock] of clocks.entries()) {
      const scale = workMs(law, work, clock) * watts[i]!
      const term = (wattage: Wattage | undefined): number =>
        wattage ? workMillijoules({ ...none, [wattage]: 1 }, work, clock) / scale : 0
      rows.push([term(fitted[0]), term(fitted[1])])
      targets.push(1 - idleWatts(law, clock) / watts[i]! - workMillijoules(known, work, clock) / scale)
    }
  }
  const [first, second] = leastSquares(rows, targets)
  const error = mean(rows.map(([a, b], i) => Math.abs(a * first + b * second - targets[i]!)))
  return { law: { ...law, [fitted[0]]: first, ...(fitted[1] && { [fitted[1]]: second }) }, error }
}

function groupKernels(samples: readonly KernelSample[], defaultMhz: number): Kernel[] {
  const groups = new Map<string, KernelSample[]>()
  for (const sample of samples) {
    if (!(sample.timeMs > 0 && sample.powerWatts > 0 && sample.clockMhz > 0 && sample.clockMhz <= defaultMhz)) {
      throw new ConfigError(
        'profile_incomplete',
        `kernel ${sample.kernel} at ${sample.clockMhz} MHz: time and power must be > 0 and the clock at most ${defaultMhz}`,
      )
    }
    const group = groups.get(sample.kernel)
    if (group) group.push(sample)
    else groups.set(sample.kernel, [sample])
  }
  const kernels = [...groups].map(([kernel, group]) => {
    const ascending = group.toSorted((a, b) => a.clockMhz - b.clockMhz)
    const last = ascending.at(-1)!
    if (ascending.length < 3 || last.clockMhz !== defaultMhz) {
      throw new ConfigError(
        'profile_incomplete',
        `kernel ${kernel} needs three clocks or more, up to ${defaultMhz} MHz, got ${ascending.map(({ clockMhz }) => clockMhz).join(', ')}`,
      )
    }
    return {
      clocks: ascending.map(({ clockMhz }) => clockMhz),
      times: ascending.map(({ timeMs }) => timeMs / last.timeMs),
      watts: ascending.map(({ powerWatts }) => powerWatts),
      arithmetic01: last.arithmetic01,
    }
  })
  if (kernels.length === 0) throw new ConfigError('profile_incomplete', 'no kernel was measured')
  return kernels
}

/** Two non-negative coefficients. */
function leastSquares(rows: readonly (readonly [number, number])[], targets: readonly number[]): [number, number] {
  let [aa, ab, bb, at, bt] = [0, 0, 0, 0, 0]
  for (const [i, [a, b]] of rows.entries()) {
    aa += a * a
    ab += a * b
    bb += b * b
    at += a * targets[i]!
    bt += b * targets[i]!
  }
  const determinant = aa * bb - ab * ab
  if (determinant > 1e-9 * aa * bb) {
    const a = (at * bb - bt * ab) / determinant
    const b = (bt * aa - at * ab) / determinant
    if (a >= 0 && b >= 0) return [a, b]
    if (a < 0) return [0, Math.max(0, bt / bb)]
  }
  return aa > 0 ? [Math.max(0, at / aa), 0] : [0, Math.max(0, bt / bb)]
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => from + i * step)
}

function argmin(values: readonly number[], cost: (value: number) => number): number {
  let best = values[0]!
  let least = Infinity
  for (const value of values) {
    const here = cost(value)
    if (here < least) {
      least = here
      best = value
    }
  }
  return best
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
