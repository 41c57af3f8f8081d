// What could carry more than the core: a GPU for batches, native calls for hardware counters.
import process from 'node:process'
import { type Check, reasonOf } from './check.js'
import { detectRuntime, type RuntimeName } from './runtime.js'

export async function checkWebGpu(): Promise<Check> {
  const name = 'WebGPU'
  const alone = 'every decision and every batch runs on the core'
  try {
    const { createCore } = await import('@trimtab/core')
    const { gpu } = await createCore({ gpu: 'auto' })
    if (!gpu?.adapter) {
      const found = gpu?.unused ?? 'not asked for'
      const meaning = `${alone}; browsers and Deno have WebGPU built in, Node takes it from npm install webgpu, and each needs a driver`
      return { name, state: 'absent', found, meaning }
    }
    const { adapter, unused, breakEven } = gpu
    if (unused !== undefined) return { name, state: 'ok', found: `${adapter}; ${unused}`, meaning: alone }
    const { call, step } = breakEven
    return {
      name,
      state: 'ok',
      found: `${adapter}; faster from ${inMillions(call)} multiply-adds a call on, a GRU's steps from ${inMillions(step)} each`,
      meaning: 'createCore({ gpu: "auto" }) hands larger batches to it: embedMany, decideManyAsync, forwardMany',
    }
  } catch (error) {
    return { name, state: 'absent', found: reasonOf(error), meaning: alone }
  }
}

const inMillions = (count: number): string => (Number.isFinite(count) ? `${(count / 1e6).toPrecision(2)} million` : '∞')

/** How each runtime calls native libraries; koffi does it in all of them. */
const NATIVE: Readonly<Record<RuntimeName, string>> = { node: 'koffi', deno: 'Deno.dlopen', bun: 'bun:ffi' }

export async function checkFfi(): Promise<Check> {
  const name = 'native calls (FFI)'
  const runtime = detectRuntime().name
  const meaning = 'only GPU counters and clocks (NVML) need native calls; autoscaling does not'
  if (runtime !== 'node') return { name, state: 'ok', found: `${NATIVE[runtime]}, built in`, meaning }
  const module = NATIVE.node // by variable: an optional package that bundlers must not look for
  try {
    const koffi = (await import(module)) as { readonly default?: { readonly version?: string } }
    return { name, state: 'ok', found: `koffi ${koffi.default?.version ?? ''}`.trim(), meaning }
  } catch {
    return {
      name,
      state: 'absent',
      found: 'koffi is not installed',
      meaning: `${meaning}; to get them: npm install koffi`,
    }
  }
}

/** NVIDIA GPUs, as `trimtab gpu` sees them. */
export async function checkNvidia(): Promise<Check> {
  const name = 'NVIDIA GPUs'
  try {
    const { listGpus, Nvml } = await import('@trimtab/nvml')
    const nvml = await Nvml.open()
    const gpus = listGpus(nvml).map((gpu) => gpu.name)
    if (gpus.length === 0)
      return { name, state: 'absent', found: `none with driver ${nvml.driverVersion()}`, meaning: UNUSED }
    const maySet =
      process.getuid?.() === 0 ? 'watches them and drives their clocks' : 'watches them; to drive clocks: root'
    const found = `${gpus.length} × ${[...new Set(gpus)].join(', ')}, driver ${nvml.driverVersion()}`
    return { name, state: 'ok', found, meaning: `trimtab gpu ${maySet}` }
  } catch (error) {
    return { name, state: 'absent', found: reasonOf(error), meaning: UNUSED }
  }
}

const UNUSED = 'nothing but trimtab gpu needs one'
