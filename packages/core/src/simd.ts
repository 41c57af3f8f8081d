// The core that learns in one build alone: what a bundle in one file carries is a third of what createCore brings.
import { wasm } from '#wasm/learn-simd'
import type { Core } from './core.js'
import { LEARN } from './learn.js'
import { start } from './start.js'
import type { CoreOptions } from './wasm.js'

/**
 * Starts the SIMD build of the core, as `createCore()` does where the host has SIMD (all do since 2023), with the same bits. No other build and no
 * WebGPU comes with it.
 * @throws {CoreError} `core_unavailable` (the host has no SIMD: `createCore` of `@trimtab/core` has a build without), `core_abi_mismatch`
 * @example
 * const core = await createSimdCore()
 */
export async function createSimdCore(options: Pick<CoreOptions, 'module'> = {}): Promise<Core> {
  return start(LEARN, { simd: async () => ({ wasm }) }, { ...options, build: 'simd' })
}
