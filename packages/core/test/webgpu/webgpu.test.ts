import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { type Activation, createCore } from '../../src/index.js'
import { contextOf, ENCODER, encodeOn, forwardOn, gapOf, NEAR, numbers } from './batches.js'
import { NEEDED, openDevice, withLimits } from './dawn.js'

const activation = fc.constantFrom<Activation>('linear', 'relu', 'tanh', 'sigmoid')
const width = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(40, 64, 65, 200))
const dense = fc.array(fc.record({ width, activation }), { minLength: 1, maxLength: 3 }).chain((layers) =>
  fc.record({
    inputs: fc.oneof(width, fc.constantFrom(257, 300)), // wider than a workgroup holds: a product for each layer
    layers: fc.constant(layers),
    rows: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(64, 65, 130)),
    seed: fc.nat(1000),
  }),
)

const context = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })
const encoder = fc.record({
  kind: fc.constantFrom('set' as const, 'gru' as const),
  inputSize: fc.integer({ min: 1, max: 20 }),
  hiddenSize: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(40, 64)),
  layers: fc.integer({ min: 1, max: 3 }),
  dense: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 2 }),
  activation: fc.constantFrom('relu' as const, 'tanh' as const),
  allHidden: fc.boolean(),
  contexts: fc.array(context, { minLength: 1, maxLength: 5 }),
  seed: fc.nat(1000),
})

const device = await openDevice()
if (device === undefined) notChecked('whether WebGPU computes what the core does', NEEDED)
else {
  const plain = await createCore()
  const gpuCore = await createCore({ gpu: device })

  describe('WebGPU', { timeout: 300_000 }, () => {
    it('computes dense nets of any size as the core does', async () => {
      await fc.assert(
        fc.asyncProperty(dense, async ({ inputs, layers, rows, seed }) => {
          const sizes = [inputs, ...layers.map((layer) => layer.width)]
          const activations = layers.map((layer) => layer.activation)
          const x = numbers(plain, rows * inputs, seed)
          const found = await forwardOn(gpuCore, { sizes, activations }, x)
          expect(gapOf(found, await forwardOn(plain, { sizes, activations }, x))).toBeLessThan(NEAR)
        }),
        { numRuns: 25 },
      )
      expect(gpuCore.gpu?.unused).toBe(undefined)
    })

    it('computes encoders of any shape and true lengths as the core does', async () => {
      await fc.assert(
        fc.asyncProperty(encoder, async ({ contexts, seed, ...shape }) => {
          const options = { ...shape, maxSequences: 4, maxSteps: 9, learningRate: 0, seed }
          const given = contexts.map((lengths, g) => contextOf(plain, lengths, shape.inputSize, seed + g))
          const found = await encodeOn(gpuCore, options, given)
          expect(gapOf(found, await encodeOn(plain, options, given))).toBeLessThan(NEAR)
        }),
        { numRuns: 25 },
      )
      expect(gpuCore.gpu?.unused).toBe(undefined)
    })

    it.each([
      ['in one kernel', {}],
      [
        'product by product, in small tiles',
        { maxComputeWorkgroupStorageSize: 512, maxComputeInvocationsPerWorkgroup: 128 },
      ],
    ])('splits what one buffer and one dimension do not hold: %s', async (_, limits) => {
      const tight = { maxBufferSize: 2 ** 14, maxComputeWorkgroupsPerDimension: 2, ...limits }
      const core = await createCore({ gpu: withLimits(device, tight) })
      const x = numbers(plain, 250 * 40, 1)
      const given = [5, 9, 9, 2, 9].map((length, g) => contextOf(plain, [length, 9, 9], 5, g))
      const net = { sizes: [40, 30, 20], activations: ['relu' as const, 'tanh' as const] }
      const found = await forwardOn(core, net, x)
      expect(gapOf(found, await forwardOn(plain, net, x))).toBeLessThan(NEAR)
      const z = await encodeOn(core, ENCODER, given)
      expect(gapOf(z, await encodeOn(plain, ENCODER, given))).toBeLessThan(NEAR)
      expect(core.gpu?.unused).toBe(undefined)
    })
  })
}
