import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Mlp, Random, type Tensor } from '../../src/index.js'
import { type Context, ContextEncoder, DqnKernel, type DqnKernelOptions } from '../../src/internal.js'
import { wave } from '../builds.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

const small: DqnKernelOptions = {
  stateSize: 3,
  contextSize: 2,
  actions: 4,
  hidden: [10, 7],
  batchSize: 6,
  capacity: 12,
  partitions: 3,
  maxGroups: 2,
  seed: 5,
  learningRate: 1e-3,
  discount: 0.9,
  targetRate: 0.01,
  weightDecay: 1e-3,
  maxGradientNorm: 0.5,
}
const numbers = (count: number, phase: number): Float32Array => Float32Array.from(wave(count, phase))
const remember = (kernel: DqnKernel, i: number, partition = 0, reward = numbers(1, 10 * i + 3)[0]!): void =>
  kernel.insert(numbers(3, 10 * i + 1), (i * 7) % 4, reward, numbers(3, 10 * i + 2), i % 3 === 0, partition)

function agent(options: Partial<DqnKernelOptions> = {}, on = core, stored = 9): DqnKernel {
  const kernel = new DqnKernel(on, { ...small, ...options })
  for (let partition = 0; partition < kernel.options.partitions; partition++) {
    for (let i = 0; i < stored + partition; i++) remember(kernel, 100 * partition + i, partition)
  }
  return kernel
}
const nets = (kernel: DqnKernel): Tensor[] =>
  kernel.save().filter(({ name }) => ['online', 'target', 'adam.m', 'adam.v'].includes(name))
const encoderOf = (on = core): ContextEncoder =>
  new ContextEncoder(on, {
    kind: 'set',
    inputSize: 4,
    hiddenSize: 8,
    dense: [2],
    maxContexts: 2,
    maxSequences: 2,
    maxSteps: 5,
    learningRate: 1e-3,
    seed: 1,
  })
const CONTEXTS: readonly Context[] = [
  { steps: numbers(20, 1), lengths: Int32Array.of(5) },
  { steps: numbers(24, 2), lengths: Int32Array.of(3, 2) },
]

describe('DqnKernel', () => {
  it('values as its network does, the context behind the state, and prefers the largest', () => {
    const kernel = agent()
    kernel.setContext(Float32Array.of(0.5, -0.25))
    const net = new Mlp(core, { sizes: [5, 10, 7, 4], activations: ['relu', 'relu', 'linear'] })
    net.setParameters(kernel.parameters('online'))
    const [expected, got] = [new Float32Array(4), new Float32Array(4)]
    net.forward(Float32Array.of(0.3, -0.2, 0.9, 0.5, -0.25), expected)
    const best = kernel.best(Float32Array.of(0.3, -0.2, 0.9), got)
    expect(got).toEqual(expected)
    expect(best).toBe(expected.indexOf(Math.max(...expected)))
  })

  it('prefers the first of equals, and nothing where the state is not finite', () => {
    const kernel = agent()
    kernel.setParameters('online', kernel.parameters('online').fill(0))
    expect(kernel.best(numbers(3, 1))).toBe(0)
    expect(kernel.best(Float32Array.of(0, NaN, 0))).toBeNaN()
    expect(kernel.best(Float32Array.of(0, Infinity, 0))).toBeNaN()
  })

  it('starts its target as a copy', () => {
    const kernel = agent()
    expect(kernel.parameters('target')).toEqual(kernel.parameters('online'))
  })

  it('copies to the bit when its target rate is 1, and only every so many updates', () => {
    const kernel = agent({ targetRate: 1, targetInterval: 4 })
    const start = kernel.parameters('target')
    kernel.update(3)
    expect(kernel.parameters('target')).toEqual(start)
    kernel.update()
    expect(kernel.parameters('target')).toEqual(kernel.parameters('online'))
  })

  it('gives the same bits from the scalar and the SIMD build, with pairs and an encoder too', () => {
    const [a, b] = [agent(), agent({}, scalar)]
    const [first, second] = [encoderOf(), encoderOf(scalar)]
    for (let i = 0; i < 20; i++) {
      a.update()
      b.update()
      a.updatePairs([2, 1], CONTEXTS, first)
      b.updatePairs([2, 1], CONTEXTS, second)
    }
    expect(b.save()).toEqual(a.save())
    expect(second.save()).toEqual(first.save())
  })

  it('does the same in one call of many updates and in many calls of one, whatever it values in between', () => {
    const [a, b] = [agent(), agent()]
    a.update(30)
    for (let i = 0; i < 30; i++) {
      b.update()
      b.best(numbers(3, i))
    }
    expect(b.save()).toEqual(a.save())
  })

  it('keeps the newest transitions when a ring is full, and the rings apart', () => {
    const kernel = agent({}, core, 0)
    for (let i = 0; i < 20; i++) remember(kernel, i, 1)
    remember(kernel, 50, 2)
    expect([0, 1, 2].map((partition) => kernel.sizeOf(partition))).toEqual([0, 12, 3])
    expect(kernel.size).toBe(15)
    const states = kernel.save().find(({ name }) => name === 'replay.1.state')!
    const rows = new Float32Array(states.bytes.slice().buffer)
    expect([...rows.subarray(0, 3)]).toEqual([...numbers(3, 10 * 11 + 1)])
  })
})

describe('updates on pairs', () => {
  it('take equal shares of the named rings, each under its own context', () => {
    // Each ring holds one kind of transition, so a batch is known whatever is drawn.
    const of = (): DqnKernel => {
      const kernel = new DqnKernel(core, { ...small, weightDecay: 0 })
      for (let partition = 0; partition < 3; partition++)
        for (let i = 0; i < 4; i++) remember(kernel, partition, partition)
      return kernel
    }
    const pairs = of()
    const contexts = Float32Array.of(0.5, 1, -1, 0.25)
    pairs.updatePairs([2, 0], contexts)
    // The same as a linear mix of the two halves' slopes: each alone, with its context, has the batch's full weight.
    const halves = [2, 0].map((partition, g) => {
      const kernel = of()
      kernel.setContext(contexts.subarray(2 * g, 2 * g + 2))
      kernel.updateOn(Array(6).fill(partition * 12))
      return { slopes: kernel.contextSlopes(1), gradients: kernel.gradients() }
    })
    const slopes = pairs.contextSlopes(2)
    for (let i = 0; i < 4; i++) expect(slopes[i]).toBeCloseTo(halves[i >> 1]!.slopes[i & 1]! / 2, 6)
    const gradients = pairs.gradients()
    for (const [i, value] of gradients.entries()) {
      expect(value).toBeCloseTo((halves[0]!.gradients[i]! + halves[1]!.gradients[i]!) / 2, 6)
    }
  })

  it('step as agent and encoder do apart, in one call', () => {
    const [joint, apart] = [agent(), agent()]
    const [encoder, alone] = [encoderOf(), encoderOf()]
    for (let i = 0; i < 5; i++) {
      joint.updatePairs([0, 2], CONTEXTS, encoder)
      const embeddings = new Float32Array(4)
      alone.encode(CONTEXTS, embeddings)
      apart.updatePairs([0, 2], embeddings)
      alone.learn(CONTEXTS, apart.contextSlopes(2))
    }
    expect(joint.save()).toEqual(apart.save())
    expect(encoder.save()).toEqual(alone.save())
  })

  it('move neither agent nor encoder where a loss is not finite', () => {
    const kernel = agent({ loss: 'mse' })
    const encoder = encoderOf()
    const [before, encoderBefore] = [nets(kernel), encoder.parameters()]
    for (let i = 0; i < 12; i++) remember(kernel, i, 2, 3e38)
    kernel.updatePairs([0, 2], CONTEXTS, encoder)
    expect(nets(kernel)).toEqual(before)
    expect(encoder.parameters()).toEqual(encoderBefore)
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 1 })
    expect(encoder.report()).toMatchObject({ updates: 0, skipped: 1 })
  })
})

describe('DQN learns', () => {
  it('the identity: the action that the state names, with every one of five seeds', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const options = { stateSize: 4, contextSize: 0, hidden: [32], batchSize: 32, capacity: 1000, partitions: 1, seed }
      const kernel = new DqnKernel(core, { ...small, ...options, weightDecay: 0, learningRate: 3e-3 })
      const random = new Random(core, seed)
      const oneHot = (i: number): Float32Array => Float32Array.from({ length: 4 }, (_, j) => Number(i === j))
      for (let i = 0; i < 1000; i++) {
        const [named, action] = [random.integer(4), random.integer(4)]
        kernel.insert(oneHot(named), action, named === action ? 1 : 0, oneHot(random.integer(4)), true)
      }
      kernel.update(400)
      expect([0, 1, 2, 3].map((i) => kernel.best(oneHot(i)))).toEqual([0, 1, 2, 3])
    }
  })

  it('values that are known: a chain with a reward at its end is worth γ to the power of the steps left', () => {
    const options = {
      stateSize: 5,
      contextSize: 0,
      actions: 2,
      hidden: [32],
      batchSize: 32,
      capacity: 64,
      partitions: 1,
    }
    const kernel = new DqnKernel(core, { ...small, ...options, weightDecay: 0, learningRate: 3e-3, targetRate: 0.05 })
    const at = (i: number): Float32Array => Float32Array.from({ length: 5 }, (_, j) => Number(i === j))
    // Action 1 goes on, action 0 ends with nothing; the end pays 1.
    for (let i = 0; i < 5; i++) {
      kernel.insert(at(i), 1, i === 4 ? 1 : 0, at(Math.min(4, i + 1)), i === 4)
      kernel.insert(at(i), 0, 0, at(i), true)
    }
    kernel.update(3000)
    const q = new Float32Array(2)
    for (let i = 0; i < 5; i++) {
      expect(kernel.best(at(i), q)).toBe(1)
      expect(Math.abs(q[1]! - 0.9 ** (4 - i))).toBeLessThan(0.03)
    }
  })
})

describe('a saved DQN agent', () => {
  it('continues to the byte: 60 updates are 30, save, load, 30, while its rings turn over', () => {
    const whole = agent()
    const resumed = agent({ seed: 99 }, core, 2)
    whole.update(30)
    resumed.load(whole.save())
    for (let i = 0; i < 30; i++) {
      for (const kernel of [whole, resumed]) {
        remember(kernel, 200 + i, i % 3)
        kernel.update()
        kernel.updatePairs([1, 2], Float32Array.of(1, 2, 3, 4))
      }
    }
    expect(resumed.save()).toEqual(whole.save())
  })

  it.each([
    ['a tensor is missing', (t: Tensor[]) => t.filter(({ name }) => name !== 'target'), 'tensor_missing'],
    ['a ring is missing', (t: Tensor[]) => t.filter(({ name }) => name !== 'replay.2.reward'), 'tensor_missing'],
    ['the shape is another', () => agent({ hidden: [4] }).save(), 'tensor_mismatch'],
    ['a ring is larger', () => agent({ capacity: 40 }, core, 30).save(), 'replay_invalid'],
  ] as const)('is refused and changes nothing where %s', (_, change, code) => {
    const kernel = agent()
    kernel.update(3)
    const before = kernel.save()
    expect(() => kernel.load(change(agent().save()))).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })
})

describe('DqnKernel and numbers that are not finite', () => {
  it.each([
    ['a state', (k: DqnKernel) => k.insert(Float32Array.of(0, NaN, 0), 0, 0, numbers(3, 1), false)],
    ['a reward', (k: DqnKernel) => k.insert(numbers(3, 1), 0, NaN, numbers(3, 1), false)],
    ['a reward beyond f32', (k: DqnKernel) => k.insert(numbers(3, 1), 0, 1e39, numbers(3, 1), false)],
    ['a next state', (k: DqnKernel) => k.insert(numbers(3, 1), 0, 0, Float32Array.of(0, 0, Infinity), false)],
  ] as const)('refuses %s and stores nothing', (_, insert) => {
    const kernel = agent()
    const before = kernel.save()
    expect(() => insert(kernel)).toThrow(expect.objectContaining({ code: 'transition_not_finite' }))
    expect(kernel.save()).toEqual(before)
  })

  it('skips what overflows, restores after three and learns again', () => {
    const kernel = agent({ loss: 'mse', partitions: 2 }, core, 1)
    const start = nets(kernel)
    kernel.update(10)
    for (let i = 0; i < 12; i++) remember(kernel, i, 1, 3e38)
    for (let i = 0; i < 2; i++) kernel.updatePairs([1], new Float32Array(2))
    expect(kernel.report()).toMatchObject({ updates: 10, skipped: 2, restored: 0 })
    kernel.updatePairs([1], new Float32Array(2))
    expect(kernel.report()).toMatchObject({ updates: 10, skipped: 3, restored: 1 })
    expect(nets(kernel)).toEqual(start)
    kernel.update()
    expect(kernel.report()).toMatchObject({ updates: 11, skipped: 3 })
  })

  it('keeps a huge reward that Huber loss bounds', () => {
    const kernel = agent()
    for (let i = 0; i < 12; i++) remember(kernel, i, 0, 1e30)
    kernel.update(3)
    expect(kernel.report()).toMatchObject({ updates: 3, skipped: 0 })
  })
})

describe('DqnKernel refuses', () => {
  it.each([
    ['a state of another size', (k: DqnKernel) => k.best(new Float32Array(2)), 'size_mismatch'],
    ['values of another size', (k: DqnKernel) => k.best(new Float32Array(3), new Float32Array(3)), 'size_mismatch'],
    ['an action it has not', (k: DqnKernel) => k.insert(numbers(3, 1), 4, 0, numbers(3, 1), false), 'action_invalid'],
    ['half an action', (k: DqnKernel) => k.insert(numbers(3, 1), 0.5, 0, numbers(3, 1), false), 'action_invalid'],
    [
      'a ring it has not',
      (k: DqnKernel) => k.insert(numbers(3, 1), 0, 0, numbers(3, 1), false, 3),
      'partition_invalid',
    ],
    ['to update from nothing', (k: DqnKernel) => k.update(), 'replay_empty'],
    ['to update a pair from nothing', (k: DqnKernel) => k.updatePairs([1, 0], new Float32Array(4)), 'replay_empty'],
    [
      'more pairs than it has room for',
      (k: DqnKernel) => k.updatePairs([0, 1, 2], new Float32Array(6)),
      'size_mismatch',
    ],
    ['places that hold nothing', (k: DqnKernel) => k.updateOn([0, 0, 0, 0, 0, 12]), 'index_invalid'],
    ['a context of another size', (k: DqnKernel) => k.setContext(new Float32Array(1)), 'size_mismatch'],
    ['NaN parameters', (k: DqnKernel) => k.setParameters('online', k.parameters('online').fill(NaN)), 'not_finite'],
  ] as const)('%s', (_, call, code) => {
    const kernel = new DqnKernel(core, small)
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('every problem of its options at once', () => {
    expect(() => agent({ batchSize: 0, discount: 2, targetInterval: 0, loss: 'l1' as 'mse' }, core, 0)).toThrow(
      /batchSize.*discount.*targetInterval.*loss/,
    )
    expect(() => agent({ capacity: 1e8 }, core, 0)).toThrow(/MiB .* lower capacity 100000000/)
  })
})
