import { instantiate } from '@assemblyscript/loader'
import { describe, expect, it } from 'vitest'
import { wasmBytes } from './builds.js'

// The debug build keeps its assertions; @assemblyscript/loader turns a failing one into an error with file and line.
describe('the debug build', () => {
  const start = async (): Promise<Record<string, (...values: number[]) => number>> =>
    (await instantiate(wasmBytes('learn-debug'), {})).exports as never

  it('computes what the release build computes', async () => {
    const e = await start()
    const release = (await WebAssembly.instantiate(wasmBytes('learn-simd'), {})).instance.exports as unknown as typeof e
    expect(e.math_tanh!(0.5)).toBe(release.math_tanh!(0.5))
  })

  it('turns a broken promise into a message', async () => {
    const e = await start()
    const net = e.memory_allocate!(1024)
    const words = e.memory_allocate!(16)
    const memory = (e as unknown as { memory: WebAssembly.Memory }).memory
    new Int32Array(memory.buffer, words, 3).set([2, 1, 0])
    e.mlp_plan!(net, 1, words, words + 8, 4)
    expect(() => e.mlp_forward!(net, net, net, net, 5, net)).toThrow(/the batch does not fit the workspace.*mlp\.ts/)
  })
})
