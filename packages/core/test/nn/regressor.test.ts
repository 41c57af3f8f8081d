import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Mlp, Random, type Tensor } from '../../src/index.js'
import {
  type Context,
  ContextEncoder,
  type ContextEncoderOptions,
  RegressorKernel,
  type RegressorKernelOptions,
} from '../../src/internal.js'
import { wave } from '../builds.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

const small: RegressorKernelOptions = {
  featureSize: 3,
  contextSize: 2,
  outputSize: 2,
  hidden: [10, 7],
  batchSize: 8,
  maxGroups: 3,
  loss: 'mse',
  learningRate: 3e-3,
  weightDecay: 1e-3,
  maxGradientNorm: 1,
  dropout: 0.1,
  seed: 5,
}
const regressor = (options: Partial<RegressorKernelOptions> = {}, on = core): RegressorKernel =>
  new RegressorKernel(on, { ...small, ...options })

const ROWS = 21
const x = Float32Array.from(wave(3 * ROWS, 1))
const y = Float32Array.from(wave(2 * ROWS, 2))

/** A table of n draws of f over [0, 1]². */
const table = (n: number, seed: number, f: (a: number, b: number) => number): { x: Float32Array; y: Float32Array } => {
  const random = new Random(core, seed)
  const inputs = Float32Array.from({ length: 2 * n }, () => random.uniform())
  return { x: inputs, y: Float32Array.from({ length: n }, (_, i) => f(inputs[2 * i]!, inputs[2 * i + 1]!)) }
}

describe('RegressorKernel', () => {
  it('predicts as its network does, any number of rows, the context behind the features', () => {
    const kernel = regressor()
    kernel.setContext(Float32Array.of(0.25, -0.5))
    const net = new Mlp(core, { sizes: [5, 10, 7, 2], activations: ['relu', 'relu', 'linear'], maxBatch: ROWS })
    net.setParameters(kernel.parameters())
    const inputs = new Float32Array(5 * ROWS)
    for (let i = 0; i < ROWS; i++) inputs.set([...x.subarray(3 * i, 3 * i + 3), 0.25, -0.5], 5 * i)
    const expected = new Float32Array(2 * ROWS)
    net.forwardBatch(inputs, expected, ROWS)
    const got = new Float32Array(2 * ROWS)
    kernel.predict(x, got)
    expect(got).toEqual(expected)
  })

  it('gives the same bits from the scalar and the SIMD build after 50 epochs', () => {
    const [a, b] = [regressor(), regressor({}, scalar)]
    expect(b.fit(x, y, 50)).toEqual(a.fit(x, y, 50))
    expect(b.save()).toEqual(a.save())
  })

  it('does the same in one call of many epochs and in many calls of one', () => {
    const [a, b] = [regressor(), regressor()]
    const losses = a.fit(x, y, 10)
    const each = Array.from({ length: 10 }, () => b.fit(x, y)[0]!)
    expect(each).toEqual([...losses])
    expect(b.save()).toEqual(a.save())
  })

  it('does the same whatever it predicts in between', () => {
    const [a, b] = [regressor(), regressor()]
    for (let i = 0; i < 5; i++) {
      a.fit(x, y)
      b.fit(x, y)
      b.predict(x, new Float32Array(y.length))
      b.evaluate(x, y)
    }
    expect(b.save()).toEqual(a.save())
  })

  it('steps on one row, and on one row of each group as on rows that carry the context as features', () => {
    const grouped = regressor({ dropout: 0 })
    const plain = regressor({ dropout: 0, featureSize: 5, contextSize: 0 })
    plain.setParameters(grouped.parameters())
    const contexts = Float32Array.of(0.5, 1, -1, 0.25)
    const groupOf = [1, 0, 1]
    const rows = groupOf.flatMap((group, i) => [
      ...x.subarray(3 * i, 3 * i + 3),
      ...contexts.subarray(2 * group, 2 * group + 2),
    ])
    grouped.learn(x.subarray(0, 9), y.subarray(0, 6), { groupOf, contexts })
    plain.learn(Float32Array.from(rows), y.subarray(0, 6))
    expect(plain.parameters()).toEqual(grouped.parameters())
    expect(grouped.slopes(2).some((slope) => slope !== 0)).toBe(true)
    grouped.learn(x.subarray(0, 3), y.subarray(0, 2))
    expect(grouped.report()).toMatchObject({ updates: 2, skipped: 0 })
  })

  it.each([
    ['mse', 0.03],
    ['l1', 0.03],
    ['mape', 0.03],
    ['huber', 0.03],
  ] as const)(
    'learns a·b + a with %s to a mean relative error below %d on unseen rows, over five seeds',
    (loss, bound) => {
      for (let seed = 1; seed <= 5; seed++) {
        const shape = { featureSize: 2, contextSize: 0, outputSize: 1, hidden: [32, 32], batchSize: 32, dropout: 0 }
        const kernel = regressor({ ...shape, loss, seed, weightDecay: 0, learningRate: 3e-3, maxGradientNorm: 0 })
        const f = (a: number, b: number): number => 1 + a * b + a
        const taught = table(400, seed, f)
        kernel.fit(taught.x, taught.y, 100)
        kernel.learningRate = 3e-4
        kernel.fit(taught.x, taught.y, 30)
        const unseen = table(200, 100 + seed, f)
        const out = new Float32Array(200)
        kernel.predict(unseen.x, out)
        const error = out.reduce((sum, value, i) => sum + Math.abs(value / unseen.y[i]! - 1), 0) / 200
        expect(error).toBeLessThan(bound)
      }
    },
  )

  it('drops units while learning only: predictions repeat, and the mean step is that of no dropout', () => {
    const kernel = regressor({ dropout: 0.5 })
    const [first, second] = [new Float32Array(y.length), new Float32Array(y.length)]
    kernel.predict(x, first)
    kernel.predict(x, second)
    expect(second).toEqual(first)
    // A linear net of one hidden layer: dropping is unbiased there, so gradients agree in the mean.
    const shape = { hidden: [40], learningRate: 0, contextSize: 0, batchSize: ROWS, weightDecay: 0 }
    const still = regressor({ ...shape, dropout: 0 })
    still.learn(x, y)
    const dropping = regressor({ ...shape, dropout: 0.5 })
    dropping.setParameters(still.parameters())
    // The output biases' gradient is 2 mean(ŷ − y): linear in ŷ.
    const sum = [0, 0]
    for (let i = 0; i < 2000; i++) {
      dropping.learn(x, y)
      const gradient = dropping.gradients().slice(-2)
      sum[0]! += gradient[0]! / 2000
      sum[1]! += gradient[1]! / 2000
    }
    const expected = still.gradients().slice(-2)
    expect(sum[0]).toBeCloseTo(expected[0]!, 2)
    expect(sum[1]).toBeCloseTo(expected[1]!, 2)
  })

  it('evaluates what it minimises', () => {
    const kernel = regressor({ loss: 'l1' })
    const out = new Float32Array(y.length)
    kernel.predict(x, out)
    const expected = out.reduce((sum, value, i) => sum + Math.abs(value - y[i]!), 0) / y.length
    expect(kernel.evaluate(x, y)).toBeCloseTo(expected, 6)
  })
})

describe('a regressor with an encoder', () => {
  const shape = { contextSize: 4, maxGroups: 6, dropout: 0, weightDecay: 0, maxGradientNorm: 0 }
  const encoderOf = (on: Core, options: Partial<ContextEncoderOptions> = {}): ContextEncoder =>
    new ContextEncoder(on, {
      kind: 'set',
      inputSize: 3,
      hiddenSize: 16,
      dense: [8, 4],
      maxContexts: 6,
      maxSequences: 1,
      maxSteps: 8,
      learningRate: 3e-3,
      seed: 2,
      ...options,
    })
  const contextOf = (phase: number, steps = 5): Context => ({
    steps: Float32Array.from(wave(3 * steps, phase)),
    lengths: Int32Array.of(steps),
  })
  const NULL: Context = { steps: new Float32Array(0), lengths: new Int32Array(0) }
  const rows = x.subarray(0, 15)
  const goals = y.subarray(0, 10)
  const groupOf = [0, 2, 2, 1, 0]
  const contexts = [contextOf(1), NULL, contextOf(2, 3)]

  it('steps as each of them does alone, in one call', () => {
    const [joint, apart] = [regressor(shape), regressor(shape)]
    const [encoder, alone] = [encoderOf(core), encoderOf(core)]
    for (let i = 0; i < 5; i++) {
      joint.learn(rows, goals, { groupOf, contexts, encoder })
      const embeddings = new Float32Array(12)
      alone.encode(contexts, embeddings)
      apart.learn(rows, goals, { groupOf, contexts: embeddings })
      alone.learn(contexts, apart.slopes(3))
    }
    expect(joint.save()).toEqual(apart.save())
    expect(encoder.save()).toEqual(alone.save())
    expect(encoder.report()).toEqual({ updates: 5, skipped: 0, restored: 0 })
  })

  it('gives the same bits from the scalar and the SIMD build', () => {
    const [a, b] = [regressor(shape), regressor(shape, scalar)]
    const [first, second] = [encoderOf(core, { dropout: 0.2 }), encoderOf(scalar, { dropout: 0.2 })]
    for (let i = 0; i < 20; i++) {
      a.learn(rows, goals, { groupOf, contexts, encoder: first })
      b.learn(rows, goals, { groupOf, contexts, encoder: second })
    }
    expect(b.save()).toEqual(a.save())
    expect(second.save()).toEqual(first.save())
  })

  it('moves neither where the loss is not finite, and takes both back after three', () => {
    const kernel = regressor(shape)
    const encoder = encoderOf(core)
    const [start, encoderStart] = [kernel.parameters(), encoder.parameters()]
    kernel.learn(rows, goals, { groupOf, contexts, encoder })
    const [before, encoderBefore] = [kernel.parameters(), encoder.parameters()]
    const huge = goals.map(() => 3e38)
    for (let i = 0; i < 2; i++) kernel.learn(rows, huge, { groupOf, contexts, encoder })
    expect([kernel.parameters(), encoder.parameters()]).toEqual([before, encoderBefore])
    kernel.learn(rows, huge, { groupOf, contexts, encoder })
    expect([kernel.parameters(), encoder.parameters()]).toEqual([start, encoderStart])
    for (const report of [kernel.report(), encoder.report()]) {
      expect(report).toMatchObject({ updates: 1, skipped: 3, restored: 1 })
    }
  })

  it('tells from labelled samples what its features hide, over five seeds', () => {
    // y = slope · a, a slope per pair; a context is eight samples [a, b, y] of the pair.
    for (let seed = 1; seed <= 5; seed++) {
      const random = new Random(core, seed)
      const groups = 6
      const options = { featureSize: 2, outputSize: 1, hidden: [32], batchSize: 48, learningRate: 3e-3, seed }
      const kernel = regressor({ ...shape, ...options })
      const encoder = encoderOf(core, { seed })
      const draw = (slope: number): { x: number[]; y: number } => {
        const input = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
        return { x: input, y: slope * input[0]! }
      }
      const samples = (slope: number): Context => ({
        steps: Float32Array.from(
          Array.from({ length: 8 }, () => draw(slope)).flatMap(({ x: input, y: label }) => [...input, label]),
        ),
        lengths: Int32Array.of(8),
      })
      const batch = (): { x: Float32Array; y: Float32Array; groupOf: number[]; contexts: Context[] } => {
        const slopes = Array.from({ length: groups }, () => 2 * random.uniform() - 1)
        const groupOf = Array.from({ length: 48 }, (_, i) => i % groups)
        const drawn = groupOf.map((group) => draw(slopes[group]!))
        return {
          x: Float32Array.from(drawn.flatMap(({ x: input }) => input)),
          y: Float32Array.from(drawn.map(({ y: label }) => label)),
          groupOf,
          contexts: slopes.map(samples),
        }
      }
      for (let i = 0; i < 1500; i++) {
        const { x: inputs, y: labels, ...rest } = batch()
        kernel.learn(inputs, labels, { ...rest, encoder })
      }
      let error = 0
      let blind = 0
      for (let i = 0; i < 20; i++) {
        const unseen = batch()
        const embeddings = new Float32Array(4 * groups)
        encoder.encode(unseen.contexts, embeddings)
        for (const [row, group] of unseen.groupOf.entries()) {
          kernel.setContext(embeddings.slice(4 * group, 4 * group + 4))
          const out = new Float32Array(1)
          kernel.predict(unseen.x.subarray(2 * row, 2 * row + 2), out)
          error += (out[0]! - unseen.y[row]!) ** 2
          blind += unseen.y[row]! ** 2 // nothing better than 0 without the slope
        }
      }
      expect(error / blind).toBeLessThan(0.15)
    }
  })

  it('refuses an encoder of another width', () => {
    const encoder = encoderOf(core, { dense: [5] })
    expect(() => regressor(shape).learn(rows, goals, { groupOf, contexts, encoder })).toThrow(
      /embeddings have 5 numbers/,
    )
  })
})

describe('a saved regressor', () => {
  it('continues to the byte: 20 epochs are 10, save, load, 10', () => {
    const whole = regressor()
    whole.fit(x, y, 20)
    const first = regressor()
    first.fit(x, y, 10)
    const second = regressor({ seed: 99 })
    second.load(first.save())
    second.fit(x, y, 10)
    expect(second.save()).toEqual(whole.save())
  })

  it.each([
    ['a tensor is missing', (t: Tensor[]) => t.filter(({ name }) => name !== 'adam.m'), 'tensor_missing'],
    ['the guard is missing', (t: Tensor[]) => t.filter(({ name }) => name !== 'lastGood'), 'tensor_missing'],
    ['it is of another shape', () => regressor({ hidden: [4] }).save(), 'tensor_mismatch'],
  ] as const)('is refused and changes nothing where %s', (_, change, code) => {
    const kernel = regressor()
    kernel.fit(x, y)
    const before = kernel.save()
    expect(() => kernel.load(change(regressor().save()))).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })
})

describe('steps that are not finite', () => {
  const huge = Float32Array.of(3e38, 3e38)
  const one = x.subarray(0, 3)
  const weights = (kernel: RegressorKernel): Tensor[] =>
    kernel.save().filter(({ name }) => name === 'parameters' || name.startsWith('adam'))

  it('are skipped and counted, and nothing else changes', () => {
    const kernel = regressor()
    kernel.fit(x, y, 2)
    const before = weights(kernel)
    const { updates } = kernel.report()
    kernel.learn(one, huge)
    kernel.learn(one, huge)
    expect(kernel.report()).toMatchObject({ updates, skipped: 2, restored: 0 })
    expect(weights(kernel)).toEqual(before)
  })

  it('bring the last good weights back after three in a row', () => {
    const kernel = regressor()
    const good = weights(kernel) // the first copy is made at creation, the next after a hundred steps
    for (let i = 0; i < 50; i++) kernel.learn(one, y.subarray(0, 2))
    expect(weights(kernel)).not.toEqual(good)
    for (let i = 0; i < 3; i++) kernel.learn(one, huge)
    expect(kernel.report()).toMatchObject({ updates: 50, skipped: 3, restored: 1 })
    expect(weights(kernel)).toEqual(good)
    kernel.learn(one, y.subarray(0, 2))
    expect(kernel.report()).toMatchObject({ updates: 51, skipped: 3, restored: 1 })
  })

  it('do not count as a row when a good step comes between', () => {
    const kernel = regressor()
    for (let i = 0; i < 5; i++) {
      kernel.learn(one, huge)
      kernel.learn(one, huge)
      kernel.learn(one, y.subarray(0, 2))
    }
    expect(kernel.report()).toMatchObject({ updates: 5, skipped: 10, restored: 0 })
  })

  it('go back no further than a hundred steps, and never behind weights that were set', () => {
    const kernel = regressor({ dropout: 0 })
    let at100: Tensor[] = []
    for (let i = 0; i < 150; i++) {
      if (i === 100) at100 = weights(kernel)
      kernel.learn(one, y.subarray(0, 2))
    }
    for (let i = 0; i < 3; i++) kernel.learn(one, huge)
    expect(weights(kernel)).toEqual(at100)
    const set = kernel.parameters().fill(0.125)
    kernel.setParameters(set)
    for (let i = 0; i < 3; i++) kernel.learn(one, huge)
    expect(kernel.parameters()).toEqual(set)
    expect(kernel.report().restored).toBe(2)
  })

  it('come back to the same weights in a run that was saved and loaded in between', () => {
    const whole = regressor()
    const resumed = regressor({ seed: 8 })
    for (let i = 0; i < 120; i++) whole.learn(one, y.subarray(0, 2))
    whole.learn(one, huge)
    resumed.load(whole.save())
    for (const kernel of [whole, resumed]) for (let i = 0; i < 2; i++) kernel.learn(one, huge)
    expect(whole.report().restored).toBe(1)
    expect(resumed.save()).toEqual(whole.save())
  })

  it('leave NaN as the loss of an epoch in which every step was given up', () => {
    const kernel = regressor({ batchSize: 1 })
    expect(kernel.fit(one, huge, 2)).toEqual(Float64Array.of(NaN, NaN))
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 2 })
  })
})

describe('RegressorKernel refuses', () => {
  it.each([
    ['half a row', (k: RegressorKernel) => k.predict(new Float32Array(4), new Float32Array(2)), 'size_mismatch'],
    ['goals of another length', (k: RegressorKernel) => k.fit(x, y.subarray(1)), 'size_mismatch'],
    ['no rows', (k: RegressorKernel) => k.fit(new Float32Array(0), new Float32Array(0)), 'rows_empty'],
    [
      'a NaN feature',
      (k: RegressorKernel) =>
        k.fit(
          x.map((value, i) => (i === 4 ? NaN : value)),
          y,
        ),
      'not_finite',
    ],
    [
      'a goal beyond all bounds',
      (k: RegressorKernel) =>
        k.fit(
          x,
          y.map(() => Infinity),
        ),
      'not_finite',
    ],
    ['a step of more rows than a batch', (k: RegressorKernel) => k.learn(x, y), 'size_mismatch'],
    ['a context of another size', (k: RegressorKernel) => k.setContext(new Float32Array(3)), 'size_mismatch'],
    [
      'a group that has no context',
      (k: RegressorKernel) =>
        k.learn(x.subarray(0, 3), y.subarray(0, 2), { groupOf: [1], contexts: new Float32Array(2) }),
      'group_invalid',
    ],
    [
      'more contexts than it has room for',
      (k: RegressorKernel) =>
        k.learn(x.subarray(0, 3), y.subarray(0, 2), { groupOf: [1], contexts: new Float32Array(8) }),
      'size_mismatch',
    ],
    ['parameters of another size', (k: RegressorKernel) => k.setParameters(new Float32Array(3)), 'size_mismatch'],
  ] as const)('%s', (_, call, code) => {
    const kernel = regressor()
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('every problem of its options at once', () => {
    const bad = { featureSize: 0, hidden: [0], dropout: 1, loss: 'mean' as 'mse', weightDecay: -1 }
    expect(() => regressor(bad)).toThrow(/featureSize.*hidden.*loss.*dropout.*weightDecay/)
  })
})
