import { type Activation, type Core, createCore, Mlp, Random } from '@trimtab/core'
import { type Context, ContextEncoder } from '@trimtab/core/internal'
import {
  boxSpace,
  createDdpg,
  createDqn,
  createPpo,
  type Ddpg,
  discreteSpace,
  headsSpace,
  loadPolicy,
  readPretrained,
} from '@trimtab/learn'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { taughtAutoscaling } from '../../../test/taught.js'
import { encoderToOnnx, mlpToOnnx, policyToOnnx } from '../src/index.js'
import { runModel } from './onnxruntime.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** Sums run in another order and tanh has other last bits there. */
const CLOSE = 2e-5

function normals(seed: number, count: number): Float32Array {
  using random = new Random(core, seed)
  return Float32Array.from({ length: count }, () => random.normal())
}

const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length)
  return Array.from(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0)
}

describe('a dense network as ONNX', () => {
  it('computes in onnxruntime what it computes here, whatever its layers, for any number of rows', async () => {
    const activation = fc.constantFrom<Activation>('linear', 'relu', 'tanh', 'sigmoid')
    const layers = fc.array(fc.record({ size: fc.integer({ min: 1, max: 33 }), activation }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(layers, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 5 }), async (all, S, N) => {
        const sizes = [S, ...all.map(({ size }) => size)]
        const activations = all.map((layer) => layer.activation)
        using net = new Mlp(core, { sizes, activations, maxBatch: N })
        const x = normals(S, N * S)
        const y = new Float32Array(N * sizes.at(-1)!)
        net.forwardBatch(x, y, N)
        const model = mlpToOnnx({ sizes, activations, parameters: net.parameters() })
        const theirs = await runModel(model, { x: { values: x, shape: [N, S] } })
        expect(gap(theirs.y!, y)).toBeLessThan(CLOSE)
      }),
      { numRuns: 25 },
    )
  })

  it('is refused with parameters of another shape', () => {
    expect(() => mlpToOnnx({ sizes: [2, 3], activations: ['relu'], parameters: new Float32Array(8) })).toThrow(
      'layers [2, 3] take 9 parameters and 1 activations, got 8 and 1',
    )
  })
})

describe('a policy as ONNX', () => {
  const observation = boxSpace(['load', 'rise', 'capacity'])
  const box = boxSpace(['cores', 'memory'])
  const shared = { observation, seed: 3, contextSize: 2 }
  const makers = {
    'DDPG, normalised': () => createDdpg(core, { ...shared, action: box, options: { calibrationSteps: 20 } }),
    'PPO of means, normalised': () =>
      createPpo(core, { ...shared, action: box, options: { hidden: [12, 9], calibrationSteps: 20 } }),
    'PPO of choices': () =>
      createPpo(core, { ...shared, action: discreteSpace('change', 5), options: { hidden: [12, 9] } }),
    'PPO of several heads': () =>
      createPpo(core, { ...shared, action: headsSpace({ containers: 4, shares: 3 }), options: { hidden: [12, 9] } }),
    DQN: () => createDqn(core, { ...shared, action: discreteSpace('change', 5) }),
  } as const

  it.each(Object.keys(makers) as (keyof typeof makers)[])(
    'decides in onnxruntime as it decides here, in its context: %s',
    async (name) => {
      using agent = makers[name]()
      agent.setContext(Float32Array.of(0.5, -2))
      const isNormalised = name.endsWith('normalised')
      const x = normals(1, 64 * 3).map((value, i) => (isNormalised ? 40 * value + 100 * (i % 3) : value))
      const action = new Float32Array(agent.header.action.names.length)
      for (let row = 0; row < 30; row++) {
        const state = x.slice(3 * row, 3 * row + 3)
        agent.observe({ observation: state, action, reward: 1, nextObservation: state, terminated: false })
      }
      const file = agent.savePolicy()
      using policy = loadPolicy(core, file)
      const ours = new Float32Array(64 * action.length)
      for (let row = 0; row < 64; row++) {
        policy.decide(x.subarray(3 * row, 3 * row + 3), action)
        ours.set(action, row * action.length)
      }
      const theirs = await runModel(policyToOnnx(file), { observation: { values: x, shape: [64, 3] } })
      expect(gap(theirs.action!, ours)).toBeLessThan(CLOSE)
      expect(new Set(ours).size).toBeGreaterThan(1)
    },
  )

  it('that was pretrained decides the same in onnxruntime, and its encoder embeds the same', async () => {
    const model = readPretrained(await taughtAutoscaling())
    using agent = model.createAgent(core, { seed: 1 }) as Ddpg
    using meta = model.createMetaLearner(core)
    const { inputSize, maxSteps } = meta.encoder.options
    const steps = normals(3, 2 * maxSteps * inputSize)
    const z = new Float32Array(model.embeddingSize)
    meta.encoder.encode([{ steps, lengths: Int32Array.of(maxSteps, 7) }], z)
    const { embedding } = await runModel(encoderToOnnx(meta.encoder), {
      steps: { values: steps, shape: [2, maxSteps, inputSize] },
      lengths: { values: Int32Array.of(maxSteps, 7), shape: [2] },
    })
    expect(gap(embedding!, z)).toBeLessThan(CLOSE)

    agent.setContext(z)
    const S = model.header.observation.names.length
    const A = model.header.action.names.length
    const x = normals(2, 200 * S)
    const ours = new Float32Array(200 * A)
    for (let row = 0; row < 200; row++) {
      agent.decide(x.subarray(row * S, row * S + S), ours.subarray(row * A, row * A + A))
    }
    const theirs = await runModel(policyToOnnx(agent.savePolicy()), { observation: { values: x, shape: [200, S] } })
    expect(gap(theirs.action!, ours)).toBeLessThan(CLOSE)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'answers NaN, in that row only, when it is shown %d',
    async (damage) => {
      using agent = makers['DDPG, normalised']()
      agent.setContext(Float32Array.of(0.5, -2))
      const x = Float32Array.of(1, 2, 3, 1, damage, 3)
      const { action } = await runModel(policyToOnnx(agent.savePolicy()), { observation: { values: x, shape: [2, 3] } })
      expect(Array.from(action!, Number.isNaN)).toEqual([false, false, true, true])
    },
  )
})

describe('a context encoder as ONNX', () => {
  it('embeds in onnxruntime as it embeds here, whatever its kind and the lengths of the sequences', async () => {
    const shape = fc.record({
      kind: fc.constantFrom('set' as const, 'gru' as const),
      inputSize: fc.integer({ min: 1, max: 9 }),
      hiddenSize: fc.integer({ min: 1, max: 17 }),
      layers: fc.integer({ min: 1, max: 3 }),
      dense: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 2 }),
      activation: fc.constantFrom('relu' as const, 'tanh' as const),
      allHidden: fc.boolean(),
      seed: fc.integer({ min: 0, max: 1000 }),
    })
    const lengths = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(shape, lengths, async (options, all) => {
        using encoder = new ContextEncoder(core, { ...options, maxSequences: 4, maxSteps: 7, learningRate: 0 })
        const [M, T] = [all.length, Math.max(...all)]
        const context: Context = {
          steps: normals(options.seed, M * T * options.inputSize),
          lengths: Int32Array.from(all),
        }
        const z = new Float32Array(encoder.embeddingSize)
        encoder.encode([context], z)
        const { embedding } = await runModel(encoderToOnnx(encoder), {
          steps: { values: context.steps, shape: [M, T, options.inputSize] },
          lengths: { values: context.lengths, shape: [M] },
        })
        expect(gap(embedding!, z)).toBeLessThan(CLOSE)
      }),
      { numRuns: 40 },
    )
  })
})
