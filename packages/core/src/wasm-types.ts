// WebAssembly as declarations name it: TypeScript ships its types with the DOM's alone, which a service on Node does without.

/** What is used of a `WebAssembly.Memory`. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** The core to run: a compiled `WebAssembly.Module`, or the bytes of one. */
export type WasmSource = ArrayBuffer | ArrayBufferView | object
