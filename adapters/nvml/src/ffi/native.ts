/** What NVML's functions take. A handle is an opaque 64-bit address; a buffer is passed by reference and may be filled. */
export type NativeType = 'u32' | 'handle' | 'buffer'

/**
 * What crosses to the library: a number of at most 32 bits, a 64-bit one as bigint, or memory that it reads or fills.
 */
export type NativeArgument = number | bigint | ArrayBufferView

/** Returns NVML's status. */
export type NativeFunction = (...values: readonly NativeArgument[]) => number

/** A loaded library, however the runtime calls it. Every call is synchronous. */
export interface NativeLibrary {
  /** @returns the function, or `undefined` where this version of the library lacks it */
  find(name: string, parameters: readonly NativeType[]): NativeFunction | undefined
}

/** Loads the library at `path`. @throws whatever the runtime throws when it is not there or not permitted */
export type LoadLibrary = (path: string) => NativeLibrary
