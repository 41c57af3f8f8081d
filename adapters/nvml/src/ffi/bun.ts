import type { LoadLibrary, NativeFunction, NativeType } from './native.js'

/** The part of `bun:ffi` that is used here. */
interface BunFfi {
  dlopen(
    path: string,
    symbols: Readonly<Record<string, { readonly args: readonly string[]; readonly returns: string }>>,
  ): { readonly symbols: Readonly<Record<string, NativeFunction>> }
}

const TYPES: Readonly<Record<NativeType, string>> = { u32: 'u32', handle: 'u64', buffer: 'ptr' }

/** Bun. A first symbol must be named to load anything: `nvmlInit_v2`, which every version has. */
export async function bunLoader(): Promise<LoadLibrary> {
  const name = 'bun:ffi' // by variable: other runtimes' bundlers must not look for it
  const { dlopen } = (await import(name)) as BunFfi
  return (path) => {
    dlopen(path, { nvmlInit_v2: { args: [], returns: 'i32' } })
    return {
      find(symbol, parameters) {
        const args = parameters.map((type) => TYPES[type])
        try {
          return dlopen(path, { [symbol]: { args, returns: 'i32' } }).symbols[symbol]
        } catch {
          return undefined // the library is there, so the symbol is not
        }
      },
    }
  }
}
