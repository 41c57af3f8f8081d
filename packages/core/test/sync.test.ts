import { describe, expect, it, vi } from 'vitest'
import { Core, createCore, Mlp, Random } from '../src/index.js'
import { createCoreSync } from '../src/sync.js'

describe('the core without a promise', () => {
  it('is there at once and is a core like any other', () => {
    const core = createCoreSync()
    expect(core).toBeInstanceOf(Core)
    expect(core.build).toBe('scalar')
    const net = new Mlp(core, { sizes: [2, 4, 1], activations: ['tanh', 'linear'] })
    net.dispose()
    expect(core.usedBytes).toBe(0)
  })

  it('gives the bits that the awaited core gives', async () => {
    const draw = (core: Core): number[] => {
      const random = new Random(core, 7)
      return Array.from({ length: 100 }, () => random.normal())
    }
    expect(draw(createCoreSync())).toEqual(draw(await createCore()))
    expect(createCoreSync().math.exp(0.3)).toBe((await createCore()).math.exp(0.3))
  })

  it('has memory of its own each time', () => {
    const [one, other] = [createCoreSync(), createCoreSync()]
    one.allocate(1000)
    expect(other.usedBytes).toBe(0)
  })

  it('says what to do where the host starts nothing synchronously', () => {
    vi.stubGlobal('WebAssembly', {
      ...WebAssembly,
      Module: class {
        constructor() {
          throw new RangeError('too large for the main thread')
        }
      },
    })
    try {
      expect(() => createCoreSync()).toThrow(
        expect.objectContaining({
          code: 'core_unavailable',
          message: expect.stringContaining('use await createCore()'),
        }),
      )
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
