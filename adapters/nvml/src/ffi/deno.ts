import type { LoadLibrary, NativeFunction, NativeType } from './native.js'

interface ForeignFunction {
  readonly parameters: readonly string[]
  readonly result: string
  readonly optional?: boolean
}

/** The part of Deno's global that is used here. */
export interface DenoFfi {
  dlopen(
    path: string,
    symbols: Readonly<Record<string, ForeignFunction>>,
  ): { readonly symbols: Readonly<Record<string, NativeFunction | null>> }
}

const TYPES: Readonly<Record<NativeType, string>> = { u32: 'u32', handle: 'u64', buffer: 'buffer' }

/** Deno. Loading needs `--allow-ffi`. */
export const denoLoader =
  (deno: DenoFfi): LoadLibrary =>
  (path) => {
    deno.dlopen(path, {}) // the library itself; `find` opens it again, which costs nothing
    return {
      find(name, parameters) {
        const types = parameters.map((type) => TYPES[type])
        const { symbols } = deno.dlopen(path, { [name]: { parameters: types, result: 'i32', optional: true } })
        return symbols[name] ?? undefined
      },
    }
  }
