import { NvmlUnavailableError } from '../status.js'
import { bunLoader } from './bun.js'
import { type DenoFfi, denoLoader } from './deno.js'
import { koffiLoader } from './koffi.js'
import type { LoadLibrary, NativeLibrary } from './native.js'

/** Where drivers put NVML. `.so.1` and not `.so`: the latter comes with development files only, as a stub. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  linux: ['libnvidia-ml.so.1', '/usr/lib/wsl/lib/libnvidia-ml.so.1'],
  win32: ['nvml.dll', 'C:\\Windows\\System32\\nvml.dll'],
}

/**
 * Loads NVML by what the runtime has: Deno.dlopen, bun:ffi, or koffi in Node.
 *
 * @param path  the library's file; where drivers put it when left out
 * @throws {NvmlUnavailableError} `ffi_missing` (no koffi), `ffi_forbidden` (Deno without --allow-ffi), `nvml_library_missing`
 */
export async function openLibrary(path?: string): Promise<NativeLibrary> {
  const load = await chooseLoader()
  const paths = path === undefined ? (PATHS[process.platform] ?? []) : [path]
  const reasons: string[] = []
  for (const candidate of paths) {
    try {
      return load(candidate)
    } catch (error) {
      if ((error as Error).name === 'NotCapable')
        throw unavailable('ffi_forbidden', 'Deno may not call native libraries: run with --allow-ffi')
      const { message } = error as Error
      reasons.push(/no such file|cannot find|not found/i.test(message) ? candidate : `${candidate}: ${message}`)
    }
  }
  const looked = reasons.join(', ') || `there is none for ${process.platform}`
  throw unavailable(
    'nvml_library_missing',
    `no library of an NVIDIA driver was found (${looked}): install the driver, or give the container the GPU`,
  )
}

async function chooseLoader(): Promise<LoadLibrary> {
  const { Deno: deno, Bun: bun } = globalThis as { readonly Deno?: DenoFfi; readonly Bun?: object }
  if (deno) return denoLoader(deno)
  if (bun) return bunLoader()
  try {
    return await koffiLoader()
  } catch (cause) {
    const isMissing = (cause as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
    throw unavailable(
      'ffi_missing',
      isMissing
        ? 'NVML is called through koffi, which is not installed: npm install koffi'
        : `koffi does not load here (${(cause as Error).message}): npm rebuild koffi, or use Deno or Bun, which need none`,
    )
  }
}

const unavailable = (code: string, message: string) =>
  new NvmlUnavailableError(code, message, { status: 0, call: 'open' })
