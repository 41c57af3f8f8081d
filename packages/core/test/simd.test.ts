import { describe, expect, it } from 'vitest'
import { type Core, createCore, Random } from '../src/index.js'
import { createSimdCore } from '../src/simd.js'

describe('the core of one build', () => {
  it('is the SIMD build that createCore starts, with its bits', async () => {
    const [one, chosen] = [await createSimdCore(), await createCore()]
    expect([one.build, one.kernels]).toEqual([chosen.build, chosen.kernels])
    const draw = (core: Core): number[] => {
      const random = new Random(core, 7)
      return Array.from({ length: 100 }, () => random.normal())
    }
    expect(draw(one)).toEqual(draw(chosen))
  })

  it('says which build the host does not run', async () => {
    await expect(createSimdCore({ module: Uint8Array.of(0, 97, 115, 109) })).rejects.toMatchObject({
      code: 'core_unavailable',
      message: expect.stringContaining('the simd build of the learn core does not run on this host'),
    })
  })
})
