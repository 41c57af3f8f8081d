// What one core of this machine can multiply and add in plain 128-bit SIMD (assembly/bench/peak.ts), as a yardstick.
import { readFileSync } from 'node:fs'
import { measure } from '../harness.mjs'

const ROUNDS = 10_000

/** A peak is what the machine can do when nothing else runs: both sides are taken at their quietest tenth. */
const quietest = (seconds) => [...seconds].sort((a, b) => a - b)[Math.floor(seconds.length / 10)]

/**
 * Two rows: what `call`, which does `flops` of arithmetic in the core's memory, makes of the peak; and that peak against the clock.
 * @param timing  options of `measure`
 */
export async function shareOfPeak(name, { flops, call, target, timing }) {
  const bytes = readFileSync(new URL('../../../packages/core/wasm/peak.wasm', import.meta.url))
  const { exports: peak } = (await WebAssembly.instantiate(bytes, {})).instance
  const times = await measure(
    { ours: call, peak: () => peak.peak_run(ROUNDS, 1), clock: (i) => peak.peak_clock(ROUNDS, i) },
    timing,
  )
  const gflops = (work, seconds) => work / quietest(seconds) / 1e9
  const ours = gflops(flops, times.ours)
  const most = gflops(96 * ROUNDS, times.peak)
  return [
    {
      name: `${name}, against 128-bit mul+add peak`,
      ours,
      peer: most,
      ratio: ours / most,
      target,
      unit: 'GFLOP/s',
    },
    {
      name: 'that peak, against clock × 16',
      ours: most,
      peer: gflops(16 * 64 * ROUNDS, times.clock),
      unit: 'GFLOP/s',
    },
  ]
}
