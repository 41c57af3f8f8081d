import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import * as mirror from '../src/abi.js'
import { createCore, hasRelaxedSimd } from '../src/index.js'
import { wasmBytes } from './builds.js'

it('mirrors every constant of assembly/abi.ts and nothing else', () => {
  const source = readFileSync(new URL('../../../assembly/abi.ts', import.meta.url), 'utf8')
  const constants = [...source.matchAll(/export const (\w+): i32 = (-?\d+)/g)].map(([, name, value]) => [
    name,
    Number(value),
  ])
  expect(Object.fromEntries(constants)).toEqual({ ...mirror })
})

const builds = ['simd', 'scalar', ...(hasRelaxedSimd() ? ['relaxed'] : [])]
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

it('refuses a host that cannot run the build', async () => {
  await expect(createCore({ module: new Uint8Array([1, 2, 3]) })).rejects.toMatchObject({ code: 'core_unavailable' })
})
