import { afterEach, describe, expect, it, vi } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { type Activation, createCore, type Logger, Mlp } from '../../src/index.js'
import type { GpuDevice } from '../../src/webgpu/device.js'
import { contextOf, ENCODER, encodeOn, forwardOn, gapOf, NEAR, numbers } from './batches.js'
import { adapterOf, changed, NEEDED, openDevice, withLimits } from './dawn.js'

const NET = { sizes: [6, 17, 3], activations: ['tanh', 'linear'] satisfies Activation[] }
const plain = await createCore()
const x = numbers(plain, 20 * 6, 1)
const wanted = await forwardOn(plain, NET, x)

function loggerOf(): { logger: Logger; warnings: string[] } {
  const warnings: string[] = []
  const warn = (message: string): number => warnings.push(message)
  return { logger: { debug() {}, info() {}, warn, error() {} }, warnings }
}

describe('a batch without a GPU', () => {
  it('has the bits of one row after the other, however many rows the net was planned for', async () => {
    using net = new Mlp(plain, { ...NET, maxBatch: 7 })
    const [many, one] = [new Float32Array(60), new Float32Array(3)]
    await net.forwardMany(x, many)
    for (let row = 0; row < 20; row++) {
      net.forward(x.subarray(6 * row, 6 * row + 6), one)
      expect(many.subarray(3 * row, 3 * row + 3)).toEqual(one)
    }
  })

  it('encodes more contexts than were planned for as one by one', async () => {
    const contexts = [[3, 9], [], [1]].map((lengths, g) => contextOf(plain, lengths, 5, g))
    const alone = await Promise.all(contexts.map((context) => encodeOn(plain, ENCODER, [context])))
    expect([...(await encodeOn(plain, ENCODER, contexts))]).toEqual(alone.flatMap((z) => [...z]))
  })

  it('is refused with wrong sizes, and nothing is written', async () => {
    using net = new Mlp(plain, NET)
    const y = new Float32Array(6)
    await expect(net.forwardMany(x, y)).rejects.toMatchObject({ code: 'size_mismatch' })
    await expect(net.forwardMany(x, new Float32Array(0))).rejects.toMatchObject({ code: 'size_mismatch' })
    expect(y).toEqual(new Float32Array(6))
  })

  it('leaves nothing behind that backward could take for its own', async () => {
    using net = new Mlp(plain, NET)
    const row = x.subarray(0, 6)
    net.forward(row, new Float32Array(3))
    await net.forwardMany(row, new Float32Array(3))
    expect(() => net.backward(new Float32Array(3), 1)).toThrow(/must follow forwardBatch/)
  })

  it('asks for auto, off or a device', async () => {
    for (const gpu of ['fast', null, {}])
      await expect(createCore({ gpu: gpu as never })).rejects.toMatchObject({ code: 'config_invalid' })
    expect(plain.gpu).toBe(undefined)
  })
})

const device = await openDevice()
if (device === undefined) notChecked('what happens when a GPU fails', NEEDED)
else {
  describe('a GPU that fails', { timeout: 300_000 }, () => {
    afterEach(() => {
      vi.useRealTimers()
      vi.unstubAllGlobals()
    })

    /** The core answers in the same call and in the next, with its own bits; the warning comes once. */
    async function expectFallback(gpu: GpuDevice, reason: RegExp, during?: () => unknown): Promise<void> {
      const { logger, warnings } = loggerOf()
      const core = await createCore({ gpu, logger })
      const answer = forwardOn(core, NET, x)
      await during?.()
      expect(await answer).toEqual(wanted)
      expect(await forwardOn(core, NET, x)).toEqual(wanted)
      expect(warnings).toEqual([expect.stringMatching(reason)])
      expect(core.gpu?.unused).toMatch(reason)
    }

    it('is lost during a call', async () => {
      const own = (await openDevice())!
      await expectFallback(own, /lost/, () => own.destroy())
    })

    it('is lost before a call', async () => {
      const own = (await openDevice())!
      own.destroy()
      await own.lost
      await expectFallback(own, /lost/)
    })

    it('is out of memory', async () => {
      const popErrorScope = async (): Promise<object> => ({ message: 'out of memory' })
      await expectFallback(changed(device, { popErrorScope }), /out of memory/)
    })

    it('refuses a kernel', async () => {
      const createShaderModule = (): object => device.createShaderModule({ label: '', code: 'no WGSL' })
      await expectFallback(changed(device, { createShaderModule }), /./)
    })

    it('does not answer', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const never = { mapAsync: () => new Promise<never>(() => {}) }
      const createBuffer = (descriptor: never): object => Object.assign(device.createBuffer(descriptor), never)
      const submit = vi.fn()
      const queue = changed(device.queue, { submit })
      await expectFallback(changed(device, { createBuffer, queue }), /no answer in 10 s/, async () => {
        await vi.waitFor(() => expect(submit).toHaveBeenCalled())
        await vi.advanceTimersByTimeAsync(10_000)
      })
    })

    it('has limits smaller than a batch needs: that batch alone goes to the core, and it is said once', async () => {
      const { logger, warnings } = loggerOf()
      const core = await createCore({ gpu: withLimits(device, { maxBufferSize: 512 }), logger })
      const wide = { sizes: [6, 200, 3], activations: NET.activations }
      const large = [await forwardOn(core, wide, x), await forwardOn(core, wide, x)]
      expect(large).toEqual(Array(2).fill(await forwardOn(plain, wide, x)))
      expect(warnings).toEqual([expect.stringMatching(/does not fit the GPU/)])
      expect(core.gpu?.unused).toBe(undefined)
    })

    it('is not asked about what is not finite', async () => {
      const core = await createCore({ gpu: device })
      const odd = Float32Array.from(x)
      odd[7] = Number.NaN
      odd[20] = Number.POSITIVE_INFINITY
      expect(await forwardOn(core, NET, odd)).toEqual(await forwardOn(plain, NET, odd))
    })
  })

  describe('gpu: auto', { timeout: 300_000 }, () => {
    afterEach(() => vi.unstubAllGlobals())

    it('never uses an adapter that is software', async () => {
      vi.stubGlobal('navigator', { gpu: await adapterOf({}) })
      const core = await createCore({ gpu: 'auto' })
      expect(core.gpu).toMatchObject({ unused: expect.stringMatching(/software/), breakEven: { call: Infinity } })
      expect(await forwardOn(core, NET, x)).toEqual(wanted)
    })

    it('does without where the host has none', async () => {
      vi.stubGlobal('navigator', { gpu: { requestAdapter: async () => null } })
      expect((await createCore({ gpu: 'auto' })).gpu).toMatchObject({
        adapter: undefined,
        unused: expect.stringMatching(/no WebGPU/),
      })
    })

    it('never uses an adapter that computes something else', async () => {
      const info = { vendor: 'acme', architecture: 'wrong', description: '', isFallbackAdapter: false }
      const wrong = (code: string): string => code.replace(/\bmax\(/g, 'min(') // relu, upside down
      vi.stubGlobal('navigator', { gpu: await adapterOf({ info, isFallbackAdapter: false }, { codeOf: wrong }) })
      const core = await createCore({ gpu: 'auto' })
      expect(core.gpu?.unused).toMatch(/something else than the core/)
      expect(await forwardOn(core, NET, x)).toEqual(wanted)
    })

    it('measures an adapter once, and is right whatever was measured', async () => {
      const submit = vi.fn()
      const info = { vendor: 'acme', architecture: 'one', description: '', isFallbackAdapter: false }
      vi.stubGlobal('navigator', { gpu: await adapterOf({ info, isFallbackAdapter: false }, { submitted: submit }) })
      const first = await createCore({ gpu: 'auto' })
      const calls = submit.mock.calls.length
      expect(calls).toBeGreaterThan(0)
      const again = await createCore({ gpu: 'auto' })
      expect(submit.mock.calls.length).toBe(calls)
      expect(again.gpu?.breakEven).toEqual(first.gpu?.breakEven)
      expect(again.gpu?.adapter).toBe('acme one')
      expect(gapOf(await forwardOn(again, NET, x), wanted)).toBeLessThan(NEAR)
    })
  })
}
