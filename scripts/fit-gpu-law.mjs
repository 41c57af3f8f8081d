// Fits the laws of a GPU (packages/serve/src/power/simulator/gpu-law.ts) to DVFS measurements and prints the constants.
// Usage: node scripts/fit-gpu-law.mjs [nv_dvfs.csv]     columns: gpu, kernel, arg, core_mhz, time_ms, power_w, *_active
import { readFileSync } from 'node:fs'
import { fitGpuLaw, V100 } from '../packages/serve/dist/index.js'

const path = process.argv[2] ?? new URL('../../shared/data/gpu/nv_dvfs.csv', import.meta.url)
const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
const names = header.split(',')
const rows = lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i], value])))
const samples = rows
  // 405 MHz is not what it says: kernels that only compute take 1.85 times as long as the clock explains.
  .filter((row) => row.gpu === 'v100' && row.core_mhz !== '405')
  .map((row) => ({
    kernel: `${row.benchmark} ${row.kernel} ${row.arg}`,
    clockMhz: Number(row.core_mhz),
    timeMs: Number(row.time_ms),
    powerWatts: Number(row.power_w),
    arithmetic01: Math.max(...['fp16', 'fp32', 'fp64', 'tensor'].map((unit) => Number(row[`${unit}_active`]))),
  }))
console.log(JSON.stringify(fitGpuLaw(samples, V100), (key, value) => (key === 'clocksMhz' ? undefined : value), 2))
