import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { type Core, createCore, Random } from '../../src/index.js'
import { type Context, ContextEncoder, type ContextEncoderOptions } from '../../src/internal.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { type EncoderShape, encodeTwin } from './context-encoder-twin.js'

let simd: Core
let scalar: Core
let real64: Real64
beforeAll(async () => {
  simd = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
  real64 = await startReal64()
})

const NULL_CONTEXT: Context = { steps: new Float32Array(0), lengths: new Int32Array(0) }

interface Case extends EncoderShape {
  /** Lengths of each context's sequences. */
  readonly lengths: number[][]
  readonly seed: number
}

const shapes: fc.Arbitrary<Case> = fc.record({
  kind: fc.constantFrom('set' as const, 'gru' as const),
  inputSize: fc.integer({ min: 1, max: 11 }),
  hiddenSize: fc.integer({ min: 1, max: 11 }),
  layers: fc.integer({ min: 1, max: 2 }),
  dense: fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 2 }),
  activation: fc.constantFrom('relu' as const, 'tanh' as const),
  allHidden: fc.boolean(),
  lengths: fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  seed: fc.integer({ min: 0, max: 1000 }),
})

const LARGEST = { maxContexts: 4, maxSequences: 3, maxSteps: 6, learningRate: 0.01 }

const small = (change: Partial<ContextEncoderOptions> = {}): ContextEncoderOptions => ({
  ...{ kind: 'set', inputSize: 4, hiddenSize: 9, dense: [7, 3], seed: 3, ...LARGEST },
  ...change,
})

function build(core: Core, { lengths: _, ...shape }: Case): ContextEncoder {
  return new ContextEncoder(core, { ...shape, ...LARGEST })
}

/** [m][T][I] of context g, plain. */
const sequencesOf = ({ lengths, inputSize, seed }: Case, g: number): number[][][] =>
  lengths[g]!.map((length, i) =>
    Array.from({ length }, (_, t) => [...Float32Array.from(wave(inputSize, seed + 100 * g + 10 * i + t))]),
  )

/** The same as a `Context`, NaN behind each sequence's end. */
function contextOf(of: Case, g: number): Context {
  const lengths = Int32Array.from(of.lengths[g]!)
  const longest = Math.max(0, ...lengths)
  const steps = new Float32Array(lengths.length * longest * of.inputSize).fill(NaN)
  for (const [i, sequence] of sequencesOf(of, g).entries()) steps.set(sequence.flat(), i * longest * of.inputSize)
  return { steps, lengths }
}

const contextsOf = (of: Case): Context[] => of.lengths.map((_, g) => contextOf(of, g))

function embed(encoder: ContextEncoder, contexts: readonly Context[]): Float32Array {
  const out = new Float32Array(contexts.length * encoder.embeddingSize)
  encoder.encode(contexts, out)
  return out
}

const digest = (encoder: ContextEncoder): string[] =>
  encoder.save().map(({ name, bytes }) => `${name} ${Buffer.from(bytes).toString('base64')}`)

const slopesFor = (encoder: ContextEncoder, contexts: readonly Context[]): Float32Array =>
  Float32Array.from(wave(contexts.length * encoder.embeddingSize, 17))

const someContexts = (): Context[] => contextsOf({ ...small(), lengths: [[6, 2], [], [1, 3, 5]] } as unknown as Case)

describe('ContextEncoder', () => {
  it('agrees with the slow twin for any shape and lengths; what lies behind a sequence is never read', () => {
    fc.assert(
      fc.property(shapes, (of) => {
        const encoder = build(simd, of)
        const parameters = encoder.parameters()
        const expected = of.lengths.flatMap((_, g) => encodeTwin(of, parameters, sequencesOf(of, g)))
        const got = embed(encoder, contextsOf(of))
        // A hundred f32 additions of numbers near 1.
        for (const [i, value] of expected.entries()) expect(Math.abs(got[i]! - value)).toBeLessThan(1e-5)
        encoder.dispose()
      }),
      { numRuns: 60 },
    )
  })

  it('gives the same bits from the scalar and the SIMD build, embeddings and learned weights', () => {
    fc.assert(
      fc.property(shapes, (of) => {
        const [a, b] = [simd, scalar].map((core) => {
          const encoder = new ContextEncoder(core, { ...of, ...LARGEST, dropout: 0.25, maxGradientNorm: 0.5 })
          const contexts = contextsOf(of)
          for (let i = 0; i < 3; i++) encoder.learn(contexts, slopesFor(encoder, contexts))
          const result = [embed(encoder, contexts).join(), digest(encoder)]
          encoder.dispose()
          return result
        })
        expect(b).toEqual(a)
      }),
      { numRuns: 40 },
    )
  })

  it('gives a context the same bits alone and among others', () => {
    fc.assert(
      fc.property(shapes, (of) => {
        const encoder = build(simd, of)
        const contexts = contextsOf(of)
        const alone = contexts.flatMap((context) => [...embed(encoder, [context])])
        expect([...embed(encoder, contexts)]).toEqual(alone)
        encoder.dispose()
      }),
      { numRuns: 40 },
    )
  })

  it('does not mind in which order a set encoder sees the steps, beyond rounding', () => {
    const encoder = new ContextEncoder(simd, small())
    const steps = Float32Array.from(wave(6 * 4, 1))
    const reversed = Float32Array.from({ length: 24 }, (_, i) => steps[(5 - Math.floor(i / 4)) * 4 + (i % 4)]!)
    const [a, b] = [steps, reversed].map((x) => embed(encoder, [{ steps: x, lengths: Int32Array.of(6) }]))
    expect(relativeGap(a!, b!)).toBeLessThan(1e-6)
  })

  it('has a zero embedding and no gradient for the null context', () => {
    for (const kind of ['set', 'gru'] as const) {
      const encoder = new ContextEncoder(simd, small({ kind }))
      const before = encoder.parameters()
      expect(embed(encoder, [NULL_CONTEXT])).toEqual(new Float32Array(3))
      encoder.learn([NULL_CONTEXT, NULL_CONTEXT], new Float32Array(6).fill(1))
      expect(encoder.gradients().every((slope) => slope === 0)).toBe(true)
      expect(encoder.parameters()).toEqual(before)
    }
  })

  it('learns to tell two kinds of application apart, with either kind, over five seeds', () => {
    // Steps of one have mean +0.3, of the other −0.3, under noise of deviation 1: z must become ±1.
    for (const kind of ['set', 'gru'] as const) {
      for (let seed = 0; seed < 5; seed++) {
        const encoder = new ContextEncoder(simd, {
          ...{ kind, inputSize: 2, hiddenSize: 8, layers: 1, dense: [1], activation: 'tanh', seed },
          ...{ maxContexts: 2, maxSequences: 4, maxSteps: 20, learningRate: 0.01 },
        })
        const random = new Random(simd, seed)
        const draw = (mean: number): Context => ({
          steps: Float32Array.from({ length: 4 * 20 * 2 }, () => random.normal(mean, 1)),
          lengths: new Int32Array(4).fill(20),
        })
        for (let i = 0; i < 150; i++) {
          const contexts = [draw(0.3), draw(-0.3)]
          const z = embed(encoder, contexts)
          encoder.learn(contexts, Float32Array.of(z[0]! - 1, z[1]! + 1))
        }
        let right = 0
        for (let i = 0; i < 50; i++) {
          const z = embed(encoder, [draw(0.3), draw(-0.3)])
          right += Number(z[0]! > 0) + Number(z[1]! < 0)
        }
        expect(right, `${kind}, seed ${seed}`).toBeGreaterThanOrEqual(95) // of 100
        encoder.dispose()
        random.dispose()
      }
    }
  })

  it('drops pooled features while learning only, from a stream of its own', () => {
    const contexts = someContexts()
    const [plain, dropping] = [0, 0.5].map((dropout) => new ContextEncoder(simd, small({ dropout })))
    expect(embed(dropping!, contexts)).toEqual(embed(plain!, contexts))
    const slopes = slopesFor(plain!, contexts)
    plain!.learn(contexts, slopes)
    dropping!.learn(contexts, slopes)
    expect(dropping!.gradients()).not.toEqual(plain!.gradients())
    const first = dropping!.gradients()
    dropping!.learn(contexts, slopes)
    expect(dropping!.gradients()).not.toEqual(first)
  })

  it('stays flat in memory over many steps of varying size', () => {
    const encoder = new ContextEncoder(simd, small({ kind: 'gru' }))
    const contexts = someContexts()
    const memory = (): number[] => [simd.usedBytes, simd.memory.buffer.byteLength]
    const before = memory()
    for (let i = 0; i < 500; i++) {
      const some = contexts.slice(0, 1 + (i % 3))
      encoder.learn(some, slopesFor(encoder, some))
      embed(encoder, some)
    }
    expect(memory()).toEqual(before)
    encoder.dispose()
  })
})

describe('ContextEncoder gradients, by central differences', () => {
  it.each([
    ['set', { kind: 'set', layers: 1, dense: [3], activation: 'tanh' }],
    ['set, two layers of each', { kind: 'set', layers: 2, dense: [5, 3], activation: 'tanh' }],
    ['gru', { kind: 'gru', layers: 2, dense: [3], activation: 'tanh' }],
    ['gru, every layer pooled', { kind: 'gru', layers: 2, dense: [5, 3], activation: 'tanh', allHidden: true }],
    ['gru, ReLU', { kind: 'gru', layers: 1, dense: [6, 3], activation: 'relu' }],
  ] as const)('%s', (_, shape) => {
    const e = real64.exports
    const of: Case = {
      inputSize: 3,
      hiddenSize: 5,
      allHidden: false,
      seed: 4,
      lengths: [[4, 2], [], [3]],
      ...shape,
    } as Case
    const kind = of.kind === 'set' ? abi.ENCODER_SET : abi.ENCODER_GRU
    const words = [
      ...[kind, of.inputSize, of.hiddenSize, of.layers, Number(of.allHidden), 3, 2, 4],
      ...[of.activation === 'relu' ? 1 : 2, of.dense.length, ...of.dense],
    ]
    const shapeAt = real64.allocate(e.encoder_shape_bytes(of.layers + of.dense.length))
    new Int32Array(e.memory.buffer, shapeAt, words.length).set(words)
    const encoder = real64.allocate(e.encoder_bytes(shapeAt))
    e.encoder_create(encoder, shapeAt, 4, 0)
    e.encoder_configure(encoder, 0.01, 0, 0)
    const at = (which: number): number => e.encoder_pointer(encoder, which)
    const flat = of.lengths.flatMap((_, g) => sequencesOf(of, g).flat(2))
    real64.f64(at(abi.ENCODER_STEPS), flat.length).set(flat)
    new Int32Array(e.memory.buffer, at(abi.ENCODER_COUNTS), 3).set(of.lengths.map((lengths) => lengths.length))
    new Int32Array(e.memory.buffer, at(abi.ENCODER_LENGTHS), 3).set(of.lengths.flat())
    const weights = wave(9, 8) // loss = Σ weights · z
    const count = e.encoder_canonical(encoder)
    const canonical = real64.allocate(8 * count)
    const read = (which: number): Float64Array => {
      e.encoder_convert(encoder, which, canonical, 0)
      return real64.f64(canonical, count).slice()
    }
    real64.f64(at(abi.ENCODER_SLOPES), 9).set(weights)
    e.encoder_gradients(encoder, 3)
    const analytic = read(abi.ENCODER_GRADIENT)
    const differences = centralDifferences(read(abi.ENCODER_PARAMETERS), (parameters) => {
      real64.f64(canonical, count).set(parameters)
      e.encoder_convert(encoder, abi.ENCODER_PARAMETERS, canonical, 1)
      e.encoder_encode(encoder, 3)
      return real64.f64(at(abi.ENCODER_EMBEDDINGS), 9).reduce((sum, z, i) => sum + z * weights[i]!, 0)
    })
    expect(analytic.some((slope) => slope !== 0)).toBe(true)
    expect(relativeGap(analytic, differences)).toBeLessThan(1e-7)
  })
})

describe('a saved ContextEncoder', () => {
  it.each(['set', 'gru'] as const)('continues to the byte, dropout and moments included: %s', (kind) => {
    const options = small({ kind, dropout: 0.3 })
    const contexts = someContexts()
    const learn = (encoder: ContextEncoder, steps: number): void => {
      for (let i = 0; i < steps; i++) encoder.learn(contexts, slopesFor(encoder, contexts))
    }
    const [whole, first, second] = [3, 3, 99].map((seed) => new ContextEncoder(simd, { ...options, seed }))
    learn(whole!, 20)
    learn(first!, 10)
    second!.load(first!.save())
    learn(second!, 10)
    expect(digest(second!)).toEqual(digest(whole!))
  })

  it('hands on what it learned, without its randomness, to another encoder', () => {
    const contexts = someContexts()
    const [teacher, pupil] = [3, 99].map((seed) => new ContextEncoder(simd, small({ seed })))
    for (let i = 0; i < 5; i++) teacher!.learn(contexts, slopesFor(teacher!, contexts))
    pupil!.setLearned(teacher!.learned())
    for (const encoder of [teacher!, pupil!]) encoder.learn(contexts, slopesFor(encoder, contexts))
    expect(pupil!.parameters()).toEqual(teacher!.parameters())
    expect(pupil!.report().updates).toBe(6)
  })

  it('is refused by an encoder of another shape, which stays as it was', () => {
    const encoder = new ContextEncoder(simd, small())
    const before = encoder.save()
    const other = new ContextEncoder(simd, small({ hiddenSize: 5 })).save()
    expect(() => encoder.load(other)).toThrow(expect.objectContaining({ code: 'tensor_mismatch' }))
    expect(encoder.save()).toEqual(before)
  })
})

describe('ContextEncoder and numbers that are not finite', () => {
  it('gives up a step whose gradient overflows, counts it, and takes the last good weights back after three', () => {
    const encoder = new ContextEncoder(simd, small())
    const contexts = someContexts()
    encoder.learn(contexts, slopesFor(encoder, contexts))
    const before = encoder.parameters()
    const huge = slopesFor(encoder, contexts).map((slope) => 3e38 * slope)
    expect(encoder.learn(contexts, huge)).toBe(false)
    expect(encoder.learn(contexts, huge)).toBe(false)
    expect(encoder.parameters()).toEqual(before)
    expect(encoder.report()).toEqual({ updates: 1, skipped: 2, restored: 0 })
    encoder.learn(contexts, huge)
    expect(encoder.report()).toEqual({ updates: 1, skipped: 3, restored: 1 })
  })

  it.each([
    ['a NaN in a step', [{ steps: Float32Array.of(1, NaN, 0, 0), lengths: Int32Array.of(1) }], 'not_finite'],
    ['steps that are no whole number', [{ steps: new Float32Array(6), lengths: Int32Array.of(1) }], 'size_mismatch'],
    ['a length of nothing', [{ steps: new Float32Array(4), lengths: Int32Array.of(0) }], 'size_mismatch'],
    ['a length beyond its steps', [{ steps: new Float32Array(4), lengths: Int32Array.of(2) }], 'size_mismatch'],
    ['a sequence too long', [{ steps: new Float32Array(28), lengths: Int32Array.of(7) }], 'size_mismatch'],
    ['too many sequences', [{ steps: new Float32Array(16), lengths: new Int32Array(4).fill(1) }], 'size_mismatch'],
    ['steps without a sequence', [{ steps: new Float32Array(4), lengths: new Int32Array(0) }], 'size_mismatch'],
    ['no context', [], 'size_mismatch'],
    ['too many contexts', new Array<Context>(5).fill(NULL_CONTEXT), 'size_mismatch'],
  ] as const)('refuses %s', (_, contexts, code) => {
    const encoder = new ContextEncoder(simd, small())
    expect(() => embed(encoder, contexts)).toThrow(expect.objectContaining({ code }))
  })

  it('names every problem of its options at once', () => {
    expect(
      () => new ContextEncoder(simd, small({ inputSize: 0, dense: [], dropout: 1, learningRate: -1, maxSteps: 0.5 })),
    ).toThrow(/inputSize.*maxSteps.*dense.*dropout.*learningRate/)
  })
})
