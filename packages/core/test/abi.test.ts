import { expect, it, vi } from 'vitest'
import { buildAbi } from '../../../scripts/build-abi.mjs'
import { notChecked } from '../../../test/not-checked.js'
import { type Core, createCore, hasRelaxedSimd } from '../src/index.js'
import { LEARN } from '../src/learn.js'
import { createServeCore } from '../src/serve.js'
import { start } from '../src/start.js'
import { createTraceCore } from '../src/trace.js'
import { wasmBytes } from './builds.js'

it('knows every constant of assembly/abi.ts and every export of the modules as they are', () => {
  expect(buildAbi({ check: true })).toEqual([])
})

/** Never run: whether it compiles is the test, in `npm run check`. */
export function doesNotCompile({ exports }: Core): void {
  // @ts-expect-error: no such export
  exports.mlp_froward()
  // @ts-expect-error: the block is missing
  exports.mlp_canonical()
  // @ts-expect-error: one argument too many
  exports.mlp_canonical(0, 1)
  // @ts-expect-error: an address is a number
  exports.mlp_canonical('0')
  // @ts-expect-error: there is no way around the guarded methods
  exports.raw.mlp_canonical(0)
}

it('takes an argument that is no number for the caller’s fault, not for a trap', async () => {
  const { exports } = await createCore()
  expect(() => exports.mlp_canonical(1n as never)).toThrow(TypeError)
  expect(exports.memory_used()).toBe(0)
})

const builds = [
  ...['learn-simd', 'learn-scalar', 'trace-scalar', 'serve-simd', 'serve-scalar'],
  ...(hasRelaxedSimd() ? ['learn-relaxed'] : []),
]
if (!hasRelaxedSimd()) notChecked('the relaxed build', 'a host with relaxed SIMD')

it.each(builds)('%s imports nothing and exports plain functions and memory', (variant) => {
  const module = new WebAssembly.Module(wasmBytes(variant))
  expect(WebAssembly.Module.imports(module)).toEqual([])
  const kinds = WebAssembly.Module.exports(module).filter(({ kind }) => kind !== 'function')
  expect(kinds).toEqual([{ name: 'memory', kind: 'memory' }])
})

it('refuses a module that speaks another ABI', async () => {
  // (module (memory (export "memory") 1)): a core from another world.
  const module = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 10, 1, 6, 109, 101, 109, 111, 114, 121, 2, 0,
  ])
  await expect(createCore({ module })).rejects.toMatchObject({ code: 'core_abi_mismatch' })
})

it('refuses the module of other kernels and names what it lacks', async () => {
  await expect(createCore({ module: wasmBytes('trace-scalar') })).rejects.toMatchObject({
    code: 'core_abi_mismatch',
    message: expect.stringContaining('LearnExports calls, adam_configure first'),
  })
})

it('refuses a build that a core does not have', async () => {
  await expect(createServeCore({ build: 'relaxed' as never })).rejects.toMatchObject({
    code: 'config_invalid',
    message: 'build must be one of simd, scalar, got relaxed',
  })
})

it('says which kernels a core has', async () => {
  const [learn, trace, serve] = await Promise.all([createCore(), createTraceCore(), createServeCore()])
  expect([learn, trace, serve].map(({ kernels }) => kernels)).toEqual(['learn', 'trace', 'serve'])
  expect('queue_push' in learn.exports || 'mlp_forward' in trace.exports || 'path_begin' in serve.exports).toBe(false)
})

it('compiles each module once a process, however many cores are started at once', async () => {
  const copy = Uint8Array.from(wasmBytes('learn-simd')) // never compiled yet
  const builds = { simd: async () => ({ wasm: copy }), scalar: async () => ({ wasm: Promise.resolve(copy) }) }
  const compile = vi.spyOn(WebAssembly, 'compile')
  try {
    const options = [{}, {}, { build: 'scalar' } as const]
    const cores = await Promise.all(options.map((each) => start(LEARN, builds, each)))
    cores.push(await start(LEARN, builds, {}))
    expect(compile).toHaveBeenCalledTimes(1)
    expect(new Set(cores.map(({ memory }) => memory)).size).toBe(4)
  } finally {
    compile.mockRestore()
  }
})

it('refuses a host that cannot run the build', async () => {
  await expect(createCore({ module: new Uint8Array([1, 2, 3]) })).rejects.toMatchObject({ code: 'core_unavailable' })
})
