import type { GpuLaw } from './gpu-law.js'

/**
 * Tesla V100 (16 GB) as in the paper's testbed (6.4.1), its laws as fitted by `scripts/fit-gpu-law.mjs`.
 *
 * What is ours here are eight constants of our own formula, rounded, that summarise 127 kernels × 9 clocks: physical properties of a
 * device, from which no measurement can be read back. The measurements (NV-DVFS-Benchmark, licence not stated) are not part of this
 * package; to fit another card, or this one again, give `fitGpuLaw` your own. Throughputs are the data sheet's 15.7 Tflop/s (single
 * precision, as the model sizes of Table 6.1 imply) and 900 GB/s, times the shares that large operators reach in Vidur's profiles
 * (MIT), and the time of its smallest kernels.
 *
 * Below 500 MHz nothing was fitted: the benchmark's lowest clock, nominally 405 MHz, ran at about half of that (kernels that only
 * compute take 6.3 times as long as at 1380 MHz). The paper's testbed goes down to 200 MHz, the simulation does not.
 */
export const V100: GpuLaw = {
  name: 'V100',
  memoryBytes: 16e9,
  clocksMhz: Array.from({ length: 45 }, (_, i) => 500 + 20 * i),
  memoryKneeMhz: 880,
  voltageKneeMhz: 1000,
  voltageRise: 0.25,
  idleWatts: 23,
  clockWatts: 26,
  coreWatts: 111,
  streamWatts: 29,
  memoryWatts: 36.5,
  flopsPerSecond: 0.7 * 15.7e12,
  bytesPerSecond: 0.8 * 900e9,
  launchMs: 0.005,
}
