// The shipped constants against the measurements they summarise, and against the paper's points.
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import {
  busyWatts,
  fitGpuLaw,
  idleWatts,
  type KernelSample,
  paperModels,
  type ServedModel,
  V100,
  workMillijoules,
  workMs,
} from '../../src/index.js'

const folder = new URL('../../../../../shared/data/gpu/', import.meta.url)

const table = (text: string): Record<string, string>[] => {
  const [header, ...lines] = text.trimEnd().split('\n')
  const names = header!.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [names[index]!, value])))
}

describe('fitted GPU laws', () => {
  if (!existsSync(folder)) {
    notChecked('the fitted constants', '../shared/data/gpu')
    return
  }

  it('come out again when the V100 measurements are fitted', () => {
    const samples = table(readFileSync(new URL('nv_dvfs.csv', folder), 'utf8'))
      .filter((row) => row.gpu === 'v100' && row.core_mhz !== '405')
      .map(
        (row): KernelSample => ({
          kernel: `${row.benchmark} ${row.kernel} ${row.arg}`,
          clockMhz: Number(row.core_mhz),
          timeMs: Number(row.time_ms),
          powerWatts: Number(row.power_w),
          arithmetic01: Math.max(...['fp16', 'fp32', 'fp64', 'tensor'].map((unit) => Number(row[`${unit}_active`]))),
        }),
      )
    const fit = fitGpuLaw(samples, V100)
    expect(fit.kernels).toBe(127)
    expect(fit.timeError).toBeLessThan(0.035)
    expect(fit.powerError).toBeLessThan(0.03)
    expect(fit.memoryBoundPowerError).toBeLessThan(0.12)
    expect(fit.arithmeticPowerError).toBeLessThan(0.15)
    for (const name of [
      'memoryKneeMhz',
      'voltageKneeMhz',
      'voltageRise',
      'idleWatts',
      'clockWatts',
      'coreWatts',
      'streamWatts',
      'memoryWatts',
    ] as const) {
      expect(V100[name] / fit.law[name], name).toBeGreaterThan(0.97)
      expect(V100[name] / fit.law[name], name).toBeLessThan(1.03)
    }
  })

  it('give the times of matrix products that Vidur measured on an A100, with its throughputs', () => {
    const a100 = { ...V100, flopsPerSecond: 0.7 * 312e12, bytesPerSecond: 0.8 * 2039e9, launchMs: 0.005 }
    const rows = table(gunzipSync(readFileSync(new URL('vidur_op_profile.csv.gz', folder))).toString()).filter(
      (row) =>
        row.device === 'a100' &&
        row.tensor_parallel === '1' &&
        row.model === 'meta-llama/Llama-2-7b-hf' &&
        /^(mlp_(up|down)|attn_post)_proj$/.test(row.op!),
    )
    const errors = rows.map((row) => {
      const [tokens, width, feedForward] = [row.num_tokens, row.n_embd, row.n_expanded_embd].map(Number) as [
        number,
        number,
        number,
      ]
      // Llama's gate and up projection are one product of twice the width.
      const [input, output] = {
        mlp_up_proj: [width, 2 * feedForward],
        mlp_down_proj: [feedForward, width],
        attn_post_proj: [width, width],
      }[row.op!] as [number, number]
      const work = {
        fixedMs: a100.launchMs,
        coreMs: (1000 * 2 * tokens * input * output) / a100.flopsPerSecond,
        memoryMs: (1000 * 2 * (input * output + tokens * (input + output))) / a100.bytesPerSecond,
      }
      return Math.abs(workMs(a100, work, 1380) / Number(row.median_ms) - 1)
    })
    expect(errors.length).toBeGreaterThan(500)
    const sorted = errors.toSorted((a, b) => a - b)
    expect(sorted[Math.floor(errors.length / 2)]).toBeLessThan(0.15)
    expect(sorted[Math.floor(0.9 * errors.length)]).toBeLessThan(0.3)
  })
})

const latency = ({ operators }: ServedModel, clockMhz: number): number =>
  operators.reduce(
    (sum, { prompt, fullLength }) => sum + workMs(V100, prompt, clockMhz) + workMs(V100, fullLength, clockMhz),
    0,
  )
const power = (model: ServedModel, clockMhz: number): number => {
  const energy = model.operators.reduce(
    (sum, { prompt, fullLength }) =>
      sum + workMillijoules(V100, prompt, clockMhz) + workMillijoules(V100, fullLength, clockMhz),
    0,
  )
  return idleWatts(V100, clockMhz) + energy / latency(model, clockMhz)
}

describe("the paper's points", () => {
  const models = paperModels(V100)
  const named = (name: string): ServedModel => models.find((model) => model.name === name)!

  it('Table 6.1: fifteen models, their sizes and latencies', () => {
    expect(models).toHaveLength(15)
    const gigabytes = models
      .flatMap(({ operators }) => operators)
      .reduce((sum, { memoryBytes }) => sum + memoryBytes / 1e9, 0)
    expect(gigabytes).toBeCloseTo(60.6, 6)
    for (const model of models) expect(latency(model, 1380) / model.latencyMs, model.name).toBeCloseTo(1, 1.9)
  })

  it('6.2.2: GPT2-large answers within 1000 ms at 800 MHz in the paper; here it takes 6 % longer', () => {
    expect(latency(named('GPT2-large'), 800)).toBeLessThan(1065)
  })

  it('Fig. 6.2: latency is steep at low clocks and nearly flat at high ones, power nearly straight', () => {
    for (const model of models.filter(({ isAutoregressive }) => isAutoregressive)) {
      expect(latency(model, 1200) / latency(model, 1300)).toBeLessThan(1.05)
      expect(latency(model, 500) / latency(model, 600)).toBeGreaterThan(1.15)
    }
    for (const model of models) {
      const clocks = Array.from({ length: 9 }, (_, i) => 500 + 100 * i)
      const watts = clocks.map((clock) => power(model, clock))
      const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length
      const centred = (values: readonly number[]): number[] => values.map((value) => value - mean(values))
      const [x, y] = [centred(clocks), centred(watts)]
      const dot = (a: readonly number[], b: readonly number[]): number =>
        a.reduce((sum, value, i) => sum + value * b[i]!, 0)
      expect(dot(x, y) ** 2 / (dot(x, x) * dot(y, y)), model.name).toBeGreaterThan(0.93)
    }
  })

  it('6.2.2: power falls 1.8 times from 1300 to 800 MHz in the paper; here between 1.3 (GPT2-large) and 2 (encoders)', () => {
    expect(power(named('GPT2-large'), 1300) / power(named('GPT2-large'), 800)).toBeGreaterThan(1.3)
    expect(power(named('BERT-large'), 1300) / power(named('BERT-large'), 800)).toBeGreaterThan(1.8)
    expect(busyWatts(V100, { fixedMs: 0, coreMs: 1, memoryMs: 0 }, 1380)).toBeGreaterThan(150)
  })
})
