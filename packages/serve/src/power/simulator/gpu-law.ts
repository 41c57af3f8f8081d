// How time and power of a kernel follow the clock: two roofs and an energy for each, in a few constants per GPU.
//
//   T(f) = fixed + ((core · f0/f)⁴ + (memory · μ(f))⁴)^¼         μ(f)⁴ = (1 + (knee/f)⁸) / (1 + (knee/f0)⁸)
//   P(f) = idle(f) + (coreWatts · v²(f) · core + (streamWatts · v²(f) + memoryWatts) · memory) / T(f)
//   idle(f) = idleWatts + clockWatts · v²(f) · f/f0              v(f) = 1 + rise · max(0, f − voltageKnee) / (f0 − voltageKnee), over v(f0)
//
// f0: the default clock, also the highest. core, memory: ms that a kernel would take at f0 were the other roof infinitely high;
// streamWatts: what the cores spend on moving memory's data; memoryWatts: the memory itself, which has its own clock.
// fixed: launch, host, transfers, which do not notice the clock. Memory-bound kernels are flat near f0 and steep below the knee,
// where the caches can no longer keep the memory busy: the shape of Fig. 6.2.

/** One GPU model, as constants of the laws above. */
export interface GpuLaw {
  readonly name: string
  readonly memoryBytes: number
  /** Clocks that can be set, ascending; the last is the default, f0. */
  readonly clocksMhz: readonly number[]
  readonly memoryKneeMhz: number
  readonly voltageKneeMhz: number
  readonly voltageRise: number
  readonly idleWatts: number
  readonly clockWatts: number
  readonly coreWatts: number
  readonly streamWatts: number
  readonly memoryWatts: number
  /** What large operators reach of it: floating-point operations and bytes a second, at f0. */
  readonly flopsPerSecond: number
  readonly bytesPerSecond: number
  /** Time of the smallest kernel: what every operator pays for its launch. */
  readonly launchMs: number
}

/** Time of one kernel at the default clock, taken apart; ms. */
export interface Work {
  readonly fixedMs: number
  readonly coreMs: number
  readonly memoryMs: number
}

/** ms at `clockMhz`. */
export function workMs(law: GpuLaw, { fixedMs, coreMs, memoryMs }: Work, clockMhz: number): number {
  const core = (coreMs * law.clocksMhz.at(-1)!) / clockMhz
  return fixedMs + Math.sqrt(Math.sqrt(fourth(core) + fourth(memoryMs) * memorySlowdown4(law, clockMhz)))
}

/** What the work draws above an idle device, at `clockMhz`; millijoules. */
export function workMillijoules(law: GpuLaw, { coreMs, memoryMs }: Work, clockMhz: number): number {
  const core = law.coreWatts * coreMs + law.streamWatts * memoryMs
  return voltageSquared(law, clockMhz) * core + law.memoryWatts * memoryMs
}

/** Of a device that holds its models and its clock, and computes nothing; watts. */
export function idleWatts(law: GpuLaw, clockMhz: number): number {
  return law.idleWatts + (law.clockWatts * voltageSquared(law, clockMhz) * clockMhz) / law.clocksMhz.at(-1)!
}

/** Mean power while the work runs; watts. */
export function busyWatts(law: GpuLaw, work: Work, clockMhz: number): number {
  return idleWatts(law, clockMhz) + workMillijoules(law, work, clockMhz) / workMs(law, work, clockMhz)
}

function memorySlowdown4({ memoryKneeMhz, clocksMhz }: GpuLaw, clockMhz: number): number {
  return (1 + eighth(memoryKneeMhz / clockMhz)) / (1 + eighth(memoryKneeMhz / clocksMhz.at(-1)!))
}

function voltageSquared({ voltageKneeMhz, voltageRise, clocksMhz }: GpuLaw, clockMhz: number): number {
  const rise = (voltageRise * Math.max(0, clockMhz - voltageKneeMhz)) / (clocksMhz.at(-1)! - voltageKneeMhz)
  return ((1 + rise) / (1 + voltageRise)) ** 2
}

const fourth = (x: number): number => x * x * x * x
const eighth = (x: number): number => fourth(x) * fourth(x)
