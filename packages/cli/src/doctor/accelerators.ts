// What could carry more than the core: a GPU for batches, native calls for hardware counters.
import process from 'node:process'
import { type Check, reasonOf } from './check.js'
import { detectRuntime, type RuntimeName } from './runtime.js'

/** The part of WebGPU's `navigator.gpu` that is read here. */
interface Gpu {
  requestAdapter(): Promise<{
    readonly info?: { readonly vendor: string; readonly architecture: string; readonly description: string }
    readonly isFallbackAdapter?: boolean
  } | null>
}

export async function checkWebGpu(): Promise<Check> {
  const name = 'WebGPU'
  const gpu = (globalThis as { navigator?: { gpu?: Gpu } }).navigator?.gpu
  const meaning = 'every decision runs on the core; large batches would gain from a GPU'
  if (!gpu) {
    return {
      name,
      state: 'absent',
      found: `not in ${detectRuntime().name}`,
      meaning: `${meaning} (browsers and Deno have WebGPU built in)`,
    }
  }
  try {
    const adapter = await gpu.requestAdapter()
    if (!adapter)
      return {
        name,
        state: 'absent',
        found: 'no adapter',
        meaning: `${meaning}; a driver for Vulkan, Metal or D3D12 would add one`,
      }
    const { vendor, architecture, description } = adapter.info ?? { vendor: '', architecture: '', description: '' }
    // Some give the vendor as a bare PCI number.
    const found =
      [vendor, architecture, description].filter((text) => text && !/^\d+$/.test(text)).join(' ') || 'an adapter'
    const isSoftware = adapter.isFallbackAdapter === true || /llvmpipe|swiftshader|software/i.test(found)
    return {
      name,
      state: 'ok',
      found,
      meaning: isSoftware ? `drawn in software, no faster than the core: ${meaning}` : 'usable for large batches',
    }
  } catch (error) {
    return { name, state: 'absent', found: reasonOf(error), meaning }
  }
}

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
