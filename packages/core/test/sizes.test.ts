// Every constructor that takes a size, over sizes that are none, that are huge, and that wrap where 32 bits plan them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  Adam,
  type Core,
  createCore,
  Gru,
  type GruOptions,
  Mlp,
  RffSvm,
  RunningMoments,
  TrimtabError,
} from '../src/index.js'
import {
  BcqKernel,
  type BcqKernelOptions,
  ContextEncoder,
  type ContextEncoderOptions,
  DdpgKernel,
  type DdpgKernelOptions,
  DqnKernel,
  type DqnKernelOptions,
  encoderParameterCount,
  LengthModel,
  mlpParameterCount,
  PpoKernel,
  type PpoKernelOptions,
  ReadyQueue,
  type ReadyQueueOptions,
  RegressorKernel,
  type RegressorKernelOptions,
  replayRequests,
  SimilarityIndex,
} from '../src/internal.js'
import { gruParameterCount } from '../src/nn/gru.js'
import { createServeCore, type ServeCore } from '../src/serve.js'

const MEBIBYTE = 2 ** 20
const SIZES = [0, -1, 0.5, Number.NaN, ...Array.from({ length: 17 }, (_, i) => 2 ** (16 + i)), 2 ** 53]

let core: Core
let serve: ServeCore
type AnyCore = Core | ServeCore
/** Blocks beside which objects come to lie. */
const neighbours = new Map<AnyCore, readonly number[]>()
const NEIGHBOUR = 4096
const pattern = Uint8Array.from({ length: NEIGHBOUR }, (_, i) => (i * 37 + 11) & 255)

const contents = (of: AnyCore, pointer: number): Uint8Array => new Uint8Array(of.memory.buffer, pointer, NEIGHBOUR)

/** Blocks with holes between them, into which small objects fit. */
function placeNeighbours(of: AnyCore): number[] {
  const blocks = Array.from({ length: 5 }, () => of.allocate(NEIGHBOUR))
  for (const pointer of blocks) contents(of, pointer).set(pattern)
  of.release(blocks[1]!)
  of.release(blocks[3]!)
  return [blocks[0]!, blocks[2]!, blocks[4]!]
}

/** A host that has 96 MiB: what a core could hold, but this one not, meets the error of a full memory. */
function limitMemory(to: AnyCore): void {
  const allocate = to.allocate.bind(to)
  to.allocate = (bytes) => allocate(to.usedBytes + bytes > 96 * MEBIBYTE ? 2 ** 31 : bytes)
}

beforeAll(async () => {
  core = await createCore()
  serve = await createServeCore()
  for (const one of [core, serve]) {
    neighbours.set(one, placeNeighbours(one))
    limitMemory(one)
  }
})
afterAll(() => {
  const grown = core.memory.buffer.byteLength + serve.memory.buffer.byteLength
  expect(grown).toBeLessThanOrEqual(256 * MEBIBYTE)
})

interface Disposable {
  dispose(): void
}
/** Makes an object of one size and works with it. */
type Make = (size: number) => Disposable

const net = { hidden: [4], batchSize: 2, seed: 1 }
const rates = { actorLearningRate: 1e-3, criticLearningRate: 1e-3, weightDecay: 0, maxGradientNorm: 0 }
const ddpg = {
  ...{ ...net, ...rates, stateSize: 2, actionSize: 1, capacity: 4, discount: 0.9, targetRate: 0.1 },
  ...{ averageRate: 0, outputPenalty: 0, cloningWeight: 0 },
}
const dqn = { ...net, stateSize: 2, actions: 2, capacity: 4, learningRate: 1e-3, discount: 0.9, targetRate: 0.1 }
const bcq = {
  ...{ ...net, stateSize: 2, actionSize: 1, latentSize: 2, capacity: 4, learningRate: 1e-3, discount: 0.9 },
  ...{ targetRate: 0.1, reach: 0.1, pessimism: 0.75, divergenceWeight: 0.5, latentBound: 0.5 },
  ...{ targetCandidates: 2, actingCandidates: 2 },
}
const ppo: PpoKernelOptions = {
  ...{ stateSize: 2, actionSize: 1, policy: 'gaussian', hidden: [4], capacity: 4, miniBatchSize: 2, seed: 1 },
  ...{ activation: 'tanh', policyLearningRate: 1e-3, valueLearningRate: 1e-3, discount: 0.9, lambda: 0.9 },
  ...{ clip: 0.2, valueWeight: 0.5, entropyWeight: 0 },
}
const encoder: ContextEncoderOptions = {
  ...{ kind: 'gru', inputSize: 2, hiddenSize: 2, dense: [2], maxSequences: 1, maxSteps: 2, seed: 1 },
  ...{ learningRate: 1e-3 },
}
const regressor = { ...net, featureSize: 2, loss: 'mse', learningRate: 1e-3 } as const

/** Reads what a net gives for zeros, and so passes every layer of it. */
function withMlp(sizes: readonly number[], maxBatch = 1): Mlp {
  const mlp = new Mlp(core, { sizes, activations: sizes.slice(1).map(() => 'relu' as const), maxBatch })
  mlp.forward(new Float32Array(sizes[0]!), new Float32Array(sizes.at(-1)!))
  return mlp
}

function withGru(options: Partial<GruOptions>): Gru {
  const whole = { inputSize: 2, hiddenSize: 2, layers: 1, bidirectional: false, maxBatch: 1, maxSteps: 2, ...options }
  const gru = new Gru(core, whole)
  const states = new Float32Array(gru.units * whole.hiddenSize)
  gru.forward({ x: new Float32Array(whole.inputSize), batch: 1, steps: 1 }, states)
  return gru
}

function withDdpg(options: Partial<DdpgKernelOptions>): DdpgKernel {
  const kernel = new DdpgKernel(core, { ...ddpg, ...options })
  const { stateSize, actionSize } = kernel.options
  const [state, action] = [new Float32Array(stateSize), new Float32Array(actionSize)]
  kernel.insert(state, action, 1, state, false)
  kernel.update(1)
  return kernel
}

function withDqn(options: Partial<DqnKernelOptions>): DqnKernel {
  const kernel = new DqnKernel(core, { ...dqn, ...options })
  const state = new Float32Array(kernel.options.stateSize)
  kernel.insert(state, 0, 1, state, false)
  kernel.update(1)
  return kernel
}

function withBcq(options: Partial<BcqKernelOptions>): BcqKernel {
  const kernel = new BcqKernel(core, { ...bcq, ...options })
  const { stateSize, actionSize } = kernel.options
  const [state, action] = [new Float32Array(stateSize), new Float32Array(actionSize)]
  kernel.act(state, action)
  return kernel
}

function withPpo(options: Partial<PpoKernelOptions>): PpoKernel {
  const kernel = new PpoKernel(core, { ...ppo, ...options })
  const { stateSize, policy, actionSize, heads } = kernel.options
  kernel.act(new Float32Array(stateSize), new Float32Array(policy === 'gaussian' ? actionSize : heads.length))
  return kernel
}

function withEncoder(options: Partial<ContextEncoderOptions>): ContextEncoder {
  const one = new ContextEncoder(core, { ...encoder, ...options })
  const { inputSize } = one.options
  one.encode([{ steps: new Float32Array(inputSize), lengths: Int32Array.of(1) }], new Float32Array(one.embeddingSize))
  return one
}

function withRegressor(options: Partial<RegressorKernelOptions>): RegressorKernel {
  const kernel = new RegressorKernel(core, { ...regressor, ...options })
  const { featureSize, outputSize } = kernel.options
  kernel.fit(new Float32Array(featureSize), new Float32Array(outputSize))
  return kernel
}

function withQueue(options: Partial<ReadyQueueOptions>): ReadyQueue {
  const queue = new ReadyQueue(serve, { capacity: 4, order: 'exact', ...options })
  queue.push(3, 0)
  queue.pop()
  return queue
}

const nothing: Disposable = { dispose() {} }

const MAKERS: readonly [name: string, make: Make][] = [
  ['Mlp sizes[0]', (n) => withMlp([n, 4])],
  ['Mlp sizes[1]', (n) => withMlp([2, n])],
  ['Mlp hidden', (n) => withMlp([n, n, 2])],
  ['Mlp maxBatch', (n) => withMlp([2, 2], n)],
  [
    'Adam parameters',
    (n) => {
      const adam = new Adam(core, { parameters: n, learningRate: 0.1 })
      adam.step(new Float32Array(n), new Float32Array(n))
      return adam
    },
  ],
  ['Gru inputSize', (n) => withGru({ inputSize: n })],
  ['Gru hiddenSize', (n) => withGru({ hiddenSize: n })],
  ['Gru layers', (n) => withGru({ layers: n })],
  ['Gru maxBatch', (n) => withGru({ maxBatch: n })],
  ['Gru maxSteps', (n) => withGru({ maxSteps: n, maxBatch: 64 })],
  ['ContextEncoder inputSize', (n) => withEncoder({ inputSize: n })],
  ['ContextEncoder hiddenSize', (n) => withEncoder({ hiddenSize: n })],
  ['ContextEncoder layers', (n) => withEncoder({ layers: n })],
  ['ContextEncoder dense', (n) => withEncoder({ dense: [n, 2] })],
  ['ContextEncoder embedding of a set', (n) => withEncoder({ kind: 'set', dense: [n] })],
  ['ContextEncoder maxContexts', (n) => withEncoder({ maxContexts: n })],
  ['ContextEncoder maxSequences', (n) => withEncoder({ maxSequences: n })],
  ['ContextEncoder maxSteps', (n) => withEncoder({ maxSteps: n, maxSequences: 32, maxContexts: 8 })],
  ['RegressorKernel featureSize', (n) => withRegressor({ featureSize: n })],
  ['RegressorKernel outputSize', (n) => withRegressor({ outputSize: n })],
  ['RegressorKernel hidden', (n) => withRegressor({ hidden: [n, n] })],
  ['RegressorKernel batchSize', (n) => withRegressor({ batchSize: n })],
  ['RegressorKernel contextSize', (n) => withRegressor({ contextSize: n, maxGroups: 2 })],
  ['RegressorKernel maxGroups', (n) => withRegressor({ contextSize: 8, maxGroups: n })],
  ['DdpgKernel stateSize', (n) => withDdpg({ stateSize: n })],
  ['DdpgKernel actionSize', (n) => withDdpg({ actionSize: n })],
  ['DdpgKernel hidden', (n) => withDdpg({ hidden: [n] })],
  ['DdpgKernel capacity', (n) => withDdpg({ capacity: n })],
  ['DdpgKernel partitions', (n) => withDdpg({ partitions: n, capacity: 65536 })],
  ['DdpgKernel batchSize', (n) => withDdpg({ batchSize: n })],
  ['DdpgKernel contextSize', (n) => withDdpg({ contextSize: n, maxGroups: 2 })],
  ['DqnKernel stateSize', (n) => withDqn({ stateSize: n })],
  ['DqnKernel actions', (n) => withDqn({ actions: n })],
  ['DqnKernel hidden', (n) => withDqn({ hidden: [n, 8] })],
  ['DqnKernel capacity', (n) => withDqn({ capacity: n })],
  ['DqnKernel partitions', (n) => withDqn({ partitions: n })],
  ['DqnKernel batchSize', (n) => withDqn({ batchSize: n, maxGroups: 2 })],
  ['BcqKernel stateSize', (n) => withBcq({ stateSize: n })],
  ['BcqKernel actionSize', (n) => withBcq({ actionSize: n })],
  ['BcqKernel latentSize', (n) => withBcq({ latentSize: n })],
  ['BcqKernel capacity', (n) => withBcq({ capacity: n })],
  ['BcqKernel batchSize', (n) => withBcq({ batchSize: n })],
  ['BcqKernel targetCandidates', (n) => withBcq({ targetCandidates: n, batchSize: 64 })],
  ['BcqKernel actingCandidates', (n) => withBcq({ actingCandidates: n })],
  ['PpoKernel stateSize', (n) => withPpo({ stateSize: n })],
  ['PpoKernel actionSize', (n) => withPpo({ actionSize: n })],
  ['PpoKernel hidden', (n) => withPpo({ hidden: [n, n] })],
  ['PpoKernel capacity', (n) => withPpo({ capacity: n })],
  ['PpoKernel miniBatchSize', (n) => withPpo({ miniBatchSize: n })],
  ['PpoKernel partitions', (n) => withPpo({ partitions: n, contextSize: 64 })],
  ['PpoKernel contextSize', (n) => withPpo({ contextSize: n })],
  ['PpoKernel globalSize', (n) => withPpo({ globalSize: n })],
  ['PpoKernel heads', (n) => withPpo({ policy: 'categorical', actionSize: n + 2, heads: [2, n] })],
  ['ReadyQueue capacity, exact', (n) => withQueue({ capacity: n })],
  ['ReadyQueue capacity, class', (n) => withQueue({ capacity: n, order: 'class' })],
  ['ReadyQueue tenants', (n) => withQueue({ fairness: 1, tenants: n })],
  ['ReadyQueue classes', (n) => withQueue({ order: 'class', classesPerOctave: n })],
  [
    'replayRequests servers',
    (n) => {
      const one = Float64Array.of(1)
      const columns = { arrival: Float64Array.of(0), tokens: one, estimate: one }
      replayRequests(serve, columns, { order: 'fifo', servers: n, batching: 'continuous', maxBatchSize: 1024 })
      return nothing
    },
  ],
  ['LengthModel bits', (n) => new LengthModel(serve, { bits: n })],
  ['LengthModel models', (n) => new LengthModel(serve, { models: n })],
  ['RffSvm inputs', (n) => new RffSvm(core, { inputs: n, features: 8 })],
  ['RffSvm features', (n) => new RffSvm(core, { inputs: 8, features: n })],
  ['RffSvm both', (n) => new RffSvm(core, { inputs: n, features: n })],
  [
    'RunningMoments size',
    (n) => {
      const moments = new RunningMoments(core, n)
      moments.update(new Float32Array(n))
      return moments
    },
  ],
  ['SimilarityIndex rows', (n) => new SimilarityIndex(serve, n, 4)],
  ['SimilarityIndex width', (n) => new SimilarityIndex(serve, 4, n)],
  ['SimilarityIndex both', (n) => new SimilarityIndex(serve, n, n)],
]

/** Of these sizes 0 is one. */
const mayBeNone = [
  'RegressorKernel contextSize',
  'DdpgKernel contextSize',
  'PpoKernel contextSize',
  'PpoKernel globalSize',
]

/** What comes of a size: `works`, or the code of a typed error. */
function outcomeOf(make: Make, size: number): string {
  try {
    make(size).dispose()
    return 'works'
  } catch (cause) {
    if (!(cause instanceof TrimtabError)) throw cause
    return cause.code
  }
}

describe.each(MAKERS)('%s', (name, make) => {
  it('works or is refused with a typed error, for any number; neighbours stay as they are and nothing is left behind', () => {
    const usedBytes = (): number => core.usedBytes + serve.usedBytes
    const before = usedBytes()
    const outcomes = SIZES.map((size) => outcomeOf(make, size))
    expect(outcomeOf(make, 16)).toBe('works')
    expect(usedBytes()).toBe(before)
    for (const [of, blocks] of neighbours) {
      for (const pointer of blocks) expect(contents(of, pointer)).toEqual(pattern)
    }
    expect(outcomes[0]).toBe(mayBeNone.includes(name) ? 'works' : 'config_invalid')
    expect(outcomes.slice(1, 4)).toEqual(Array(3).fill('config_invalid')) // −1, ½, NaN
    expect(outcomes.slice(-5)).toEqual(Array(5).fill('config_invalid')) // 2^29 and more: no core holds it
    for (const outcome of outcomes) expect(['works', 'config_invalid', 'core_out_of_memory']).toContain(outcome)
    // Once a size is too large, larger ones are.
    const grows = outcomes.slice(4)
    expect(grows.slice(grows.findIndex((outcome) => outcome !== 'works'))).not.toContain('works')
  })
})

it('says what it would take and of which sizes', () => {
  const refused = (make: Make, size: number): string => {
    try {
      make(size).dispose()
    } catch (cause) {
      return (cause as TrimtabError).message
    }
    return 'works'
  }
  expect(refused((n) => withMlp([n, 4]), 2 ** 27)).toBe(
    "Mlp would take 16385 MiB of the core's memory, where one object has 2048 MiB at most: lower sizes [134217728, 4]",
  )
  expect(refused((n) => withEncoder({ maxSteps: n, maxSequences: 32, maxContexts: 64 }), 2 ** 20)).toMatch(
    /^ContextEncoder would take \d+ MiB .*: lower maxSteps 1048576, maxContexts 64, maxSequences 32, /,
  )
})

describe('numbers of networks, counted by their sizes alone', () => {
  it('are as many as there are', () => {
    const sizes = [3, 7, 5, 2]
    const mlp = new Mlp(core, { sizes, activations: ['relu', 'relu', 'tanh'] })
    expect(mlpParameterCount(sizes)).toBe(mlp.parameterCount)
    for (const layers of [1, 3]) {
      for (const bidirectional of [false, true]) {
        const shape = { inputSize: 3, hiddenSize: 5, layers, bidirectional }
        expect(gruParameterCount(shape)).toBe(withGru(shape).parameterCount)
      }
      for (const kind of ['set', 'gru'] as const) {
        const shape = { kind, inputSize: 3, hiddenSize: 5, layers, dense: [4, 2] }
        expect(encoderParameterCount(shape)).toBe(withEncoder(shape).parameterCount)
      }
    }
  })

  it('do not wrap where 32 bits would', () => {
    expect(mlpParameterCount([2 ** 16, 2 ** 16])).toBe(2 ** 32 + 2 ** 16)
  })
})
