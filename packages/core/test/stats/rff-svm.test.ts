import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, doubleTensor, Random, RffSvm, type RffSvmOptions } from '../../src/index.js'
import { rffSvmTwin, type TwinSvm } from './rff-svm-twin.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const doublesOf = (svm: RffSvm, name: string): number[] => {
  const { bytes } = svm.save().find((tensor) => tensor.name === name)!
  return [...new Float64Array(bytes.slice().buffer)]
}

/** Points of the plane, positive inside the unit circle: no line separates them. */
function disc(n: number, seed: number, noise = 0): { x: number[]; labels: number[] } {
  const random = new Random(core, seed)
  const x: number[] = []
  const labels = Array.from({ length: n }, () => {
    const [a, b] = [3 * random.uniform() - 1.5, 3 * random.uniform() - 1.5]
    x.push(a, b)
    const inside = a * a + b * b < 1
    return inside !== random.uniform() < noise ? 1 : -1
  })
  random.dispose()
  return { x, labels }
}

function accuracy(svm: RffSvm, { x, labels }: { x: number[]; labels: number[] }): number {
  const right = labels.filter((label, i) => svm.decision(x.slice(2 * i, 2 * i + 2)) > 0 === label > 0)
  return right.length / labels.length
}

/** A run of scikit-learn: its options, and what it had learned after so many rows. */
type SklearnRun = Pick<Required<RffSvmOptions>, 'gamma' | 'alpha' | 'learningRate' | 'classWeights' | 'averageFrom'> & {
  readonly name: string
  readonly weighted: boolean
  readonly projection: number[]
  readonly offset: number[]
  readonly trace: { after: number; mean: number[]; variance: number[]; decision: number[] }[]
}

describe('scikit-learn', () => {
  const fixture = JSON.parse(readFileSync(new URL('fixtures/sklearn-svm.json', import.meta.url), 'utf8'))

  it.each<SklearnRun>(fixture.cases)('takes the same steps: $name', (expected) => {
    const { gamma, alpha, learningRate, classWeights, averageFrom, weighted, projection, offset } = expected
    const { inputs, features, X, y, weights } = fixture
    const svm = new RffSvm(core, { inputs, features, gamma, alpha, learningRate, classWeights, averageFrom })
    const rest = svm.save().filter(({ name }) => name !== 'projection' && name !== 'offset')
    svm.load([...rest, doubleTensor('projection', projection), doubleTensor('offset', offset)])
    for (const { after, mean, variance, decision } of expected.trace) {
      const from = svm.steps
      const part = <T>(list: T[]): T[] => list.slice(from, after)
      svm.partialFit(part<number[]>(X).flat(), part<number>(y), weighted ? part<number>(weights) : undefined)
      const close = (values: number[]): unknown[] => values.map((value) => expect.closeTo(value, 9))
      expect([...svm.mean()]).toEqual(close(mean))
      expect([...svm.variance()]).toEqual(close(variance))
      expect(decision.map((_, i) => svm.decision(X[i]))).toEqual(close(decision))
    }
  })
})

describe('a slow twin', () => {
  it('agrees on any rows, labels, weights and batches', () => {
    const number = fc.integer({ min: -6400, max: 6400 }).map((n) => n / 64)
    const row = fc.record({
      x: fc.tuple(number, number),
      label: fc.constantFrom(1, -1),
      weight: fc.double({ min: 0, max: 3, noNaN: true }),
    })
    const options = fc.record({
      alpha: fc.constantFrom(1e-4, 1e-2, 0.5),
      learningRate: fc.constantFrom('optimal' as const, 0.1, 3),
      averageFrom: fc.constantFrom(0, 1, 5),
      seed: fc.integer(),
    })
    const batches = fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 5 })
    fc.assert(
      fc.property(options, batches, row, (given, learned, asked) => {
        const svm = new RffSvm(core, { inputs: 2, features: 12, ...given })
        const twin: TwinSvm = rffSvmTwin({
          ...given,
          projection: doublesOf(svm, 'projection'),
          offset: doublesOf(svm, 'offset'),
          inputs: 2,
        })
        for (const batch of learned) {
          const labels = batch.map(({ label }) => label)
          const weights = batch.map(({ weight }) => weight)
          svm.partialFit(
            batch.flatMap(({ x }) => x),
            labels,
            weights,
          )
          twin.partialFit(
            batch.map(({ x }) => x),
            labels,
            weights,
          )
        }
        // A tie of the margin may fall either way after a rounding; the twin says when it came close to one.
        if (twin.closestTie() > 1e-6) {
          const scale = 1 + Math.max(...svm.weights().map(Math.abs))
          expect(Math.abs(svm.decision(asked.x) - twin.decision(asked.x)) / scale).toBeLessThan(1e-6)
        }
        svm.dispose()
      }),
      { numRuns: 300 },
    )
  })
})

describe('the random features', () => {
  it('have inner products that approach the kernel', () => {
    const gamma = 0.7
    const moments = { mean: [1, 2, 3], variance: [1, 4, 0.25] }
    const svm = new RffSvm(core, { inputs: 3, features: 20_000, gamma, moments, seed: 5 })
    const [a, b] = [[1.5, 2.5, 3.1] as const, [0.8, 3.5, 2.9] as const]
    const squared = a.reduce((sum, value, i) => sum + (value - b[i]!) ** 2 / moments.variance[i]!, 0)
    const [phiA, phiB] = [svm.features(a), svm.features(b)]
    const product = phiA.reduce((sum, value, i) => sum + value * phiB[i]!, 0)
    expect(product).toBeCloseTo(Math.exp(-gamma * squared), 1.5)
  })

  it('come from the seed alone', () => {
    const draw = (seed: number): Float64Array => new RffSvm(core, { inputs: 2, seed }).features([0.3, 0.4])
    expect(draw(3)).toEqual(draw(3))
    expect(draw(3)).not.toEqual(draw(4))
  })
})

describe('learning', () => {
  it('finds a border that no line is', () => {
    const svm = new RffSvm(core, { inputs: 2, averageFrom: 1000 })
    const { x, labels } = disc(5000, 1)
    svm.partialFit(x, labels)
    expect(accuracy(svm, disc(2000, 2))).toBeGreaterThan(0.95)
  })

  it('survives one wrong label in five', () => {
    const svm = new RffSvm(core, { inputs: 2, alpha: 1e-3, averageFrom: 1000 })
    const { x, labels } = disc(5000, 1, 0.2)
    svm.partialFit(x, labels)
    expect(accuracy(svm, disc(2000, 2))).toBeGreaterThan(0.9)
  })

  it('is the same whether rows of fixed moments come at once or one by one', () => {
    const options: RffSvmOptions = { inputs: 2, moments: { mean: [0, 0], variance: [1, 1] } }
    const [whole, parts] = [new RffSvm(core, options), new RffSvm(core, options)]
    const { x, labels } = disc(100, 3)
    whole.partialFit(x, labels)
    for (const [i, label] of labels.entries()) parts.partialFit(x.slice(2 * i, 2 * i + 2), [label])
    expect(parts.save()).toEqual(whole.save())
  })

  it('forgets a row of weight 0 but for its decay', () => {
    const options: RffSvmOptions = { inputs: 2, learningRate: 0.1, moments: { mean: [0, 0], variance: [1, 1] } }
    const svm = new RffSvm(core, options)
    svm.partialFit([1, 2], [1])
    const before = svm.weights()
    svm.partialFit([-1, 2], [-1], [0])
    expect([...svm.weights()]).toEqual([...before].map((w) => expect.closeTo(w * (1 - 0.1 * 1e-4), 15)))
  })

  it('takes what says nothing, a feature without variance, as it is', () => {
    const svm = new RffSvm(core, { inputs: 2 })
    svm.partialFit([1, 7, 2, 7, 3, 7], [1, -1, 1])
    expect(svm.variance()[1]).toBe(0)
    expect(Number.isFinite(svm.decision([2, 7]))).toBe(true)
  })
})

describe('saving', () => {
  it('resumes exactly in another core, whatever the seed', async () => {
    const { x, labels } = disc(200, 4)
    const options: RffSvmOptions = { inputs: 2, averageFrom: 50 }
    const svm = new RffSvm(core, { ...options, seed: 1 })
    svm.partialFit(x.slice(0, 200), labels.slice(0, 100))
    const other = new RffSvm(await createCore({ build: 'scalar' }), { ...options, seed: 2 })
    other.load(svm.save())
    for (const machine of [svm, other]) machine.partialFit(x.slice(200), labels.slice(100))
    expect(other.save()).toEqual(svm.save())
    expect(other.decision([0.1, 0.2])).toBe(svm.decision([0.1, 0.2]))
  })

  it('refuses a state of another shape and stays as it was', () => {
    const svm = new RffSvm(core, { inputs: 2, features: 16 })
    const before = svm.save()
    const load = (): void => svm.load(new RffSvm(core, { inputs: 2, features: 17 }).save())
    expect(load).toThrow(expect.objectContaining({ code: 'tensor_mismatch' }))
    expect(svm.save()).toEqual(before)
  })
})

describe('refusals', () => {
  it.each([
    ['value_invalid', [1, Number.NaN], [1], undefined],
    ['value_invalid', [Number.NEGATIVE_INFINITY, 1], [1], undefined],
    ['value_invalid', [1e200, 1], [1], undefined],
    ['size_mismatch', [1, 2, 3], [1], undefined],
    ['label_invalid', [1, 2], [0], undefined],
    ['weight_invalid', [1, 2], [1], [-1]],
    ['weight_invalid', [1, 2], [1], [Number.NaN]],
    ['size_mismatch', [1, 2], [1], [1, 1]],
  ])('%s: rows %j, labels %j, weights %j teach nothing', (code, x, labels, weights) => {
    const svm = new RffSvm(core, { inputs: 2 })
    const before = svm.save()
    expect(() => svm.partialFit(x, labels, weights)).toThrow(expect.objectContaining({ code }))
    expect(svm.save()).toEqual(before)
  })

  it('a question that is not a number', () => {
    const svm = new RffSvm(core, { inputs: 2 })
    expect(() => svm.decision([1, Number.NaN])).toThrow(expect.objectContaining({ code: 'value_invalid' }))
  })

  it('options that cannot be, all of them at once', () => {
    const make = (): RffSvm =>
      new RffSvm(core, {
        inputs: 0,
        features: 1.5,
        gamma: -1,
        alpha: 0,
        learningRate: Number.NaN,
        classWeights: { negative: -1, positive: Number.POSITIVE_INFINITY },
        averageFrom: -1,
        moments: { mean: [Number.NaN], variance: [-1] },
      })
    const words = /inputs.*features.*gamma.*alpha.*learningRate.*negative.*positive.*averageFrom.*mean.*variance/
    expect(make).toThrow(expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(words) }))
  })
})
