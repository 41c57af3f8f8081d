import type { LoadLibrary, NativeFunction, NativeType } from './native.js'

/** The part of koffi that is used here. */
interface Koffi {
  load(path: string): { func(name: string, result: string, parameters: readonly string[]): NativeFunction }
}

const TYPES: Readonly<Record<NativeType, string>> = { u32: 'uint32', handle: 'uint64', buffer: 'void *' }

/** Node. koffi is an optional peer. @throws when it is not installed */
export async function koffiLoader(): Promise<LoadLibrary> {
  const name = 'koffi' // by variable: bundlers must not look for an optional package
  const module = (await import(name)) as { readonly default?: Koffi } & Koffi
  const koffi = module.default ?? module
  return (path) => {
    const library = koffi.load(path)
    return {
      find(symbol, parameters) {
        try {
          return library.func(
            symbol,
            'int32',
            parameters.map((type) => TYPES[type]),
          )
        } catch {
          return undefined // koffi throws for a missing symbol and for nothing else that could happen here
        }
      },
    }
  }
}
