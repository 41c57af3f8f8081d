import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import type { ServeExports } from '../../src/exports/serve.js'
import { LENGTH_CLASSES, LengthModel, type LengthModelOptions } from '../../src/internal.js'
import { createServeCore, type ServeCore } from '../../src/serve.js'
import { type Real64, startServeReal64 } from '../builds.js'
import { featuresTwin } from './length-features-twin.js'

let core: ServeCore
let scalar: ServeCore
beforeAll(async () => {
  core = await createServeCore({ build: 'simd' })
  scalar = await createServeCore({ build: 'scalar' })
})

const model = (options: LengthModelOptions = {}, on = core): LengthModel =>
  new LengthModel(on, { bits: 12, models: 4, ...options })

/** All that is saved, as texts that compare fast. */
const bytesOf = (net: LengthModel): string[] => net.save().map(({ bytes }) => Buffer.from(bytes).toString('base64'))

const PROMPTS = [
  '',
  'Write a haiku about rain.',
  "Don't list more than 5 items; what's 1234567890123 + 19999?",
  'def f(x):\n    return {"a": [x, 2]}\n\n\n```python\nf(3)\n```',
  'Résumé für Ärzte — “kurz” bitte, «oui»¿',
  '日本語で要約してください。次の文章を３行で。',
  'Привет, как дела? สวัสดี 👩‍🚀🚀',
  '\ud800 alone \udc00',
  '\t \n\n \n',
  'UPPER lower MiXeD _under_score 42',
  'List 100 fruits in 20 paragraphs; then, in one sentence, the top ten of 3 4 lines and a five-paragraph essay.',
]

describe('features', () => {
  it.each(PROMPTS)('of %j are those of the definition', (prompt) => {
    const { rows, counts } = model().features(prompt)
    const twin = featuresTwin(prompt, 12)
    expect([...rows]).toEqual(twin.rows)
    for (const [i, count] of twin.counts.entries()) expect(counts[i]).toBeCloseTo(count, 5)
  })

  it('of any text are those of the definition', () => {
    const net = model({ bits: 16 })
    const word = fc.constantFrom(
      'list',
      "it's",
      'é',
      '漢',
      '7',
      '3000',
      '\n',
      '\n\n',
      '?',
      '```',
      '"',
      '—',
      ' ',
      'Ω',
      '👍',
      ';',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.array(word).map((w) => w.join('')),
        ),
        (prompt) => {
          const { rows, counts } = net.features(prompt)
          const twin = featuresTwin(prompt, 16)
          expect([...rows]).toEqual(twin.rows)
          for (const [i, count] of twin.counts.entries()) expect(counts[i]).toBeCloseTo(count, 4)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('of a long prompt are those of its two ends, with its own length', () => {
    const long = `Summarise this. ${'lorem ipsum dolor '.repeat(60_000)}In one sentence!`
    const read = `${long.slice(0, 512)} ${long.slice(-1535)}`
    expect(long.length).toBeGreaterThan(1_000_000)
    const { rows, counts } = model().features(long)
    expect([...rows]).toEqual(featuresTwin(read, 12).rows)
    expect(counts[0]).toBeCloseTo(Math.log(1 + long.length), 1)
  })

  it.each([
    ['Explain gravity in one sentence.', 25],
    ['Write 20 paragraphs about rain', 1800],
    ['A five-paragraph essay', 450],
    ['List 3 fruits', 45],
    ['List 100 fruits', 1500],
    ['Give me ten', 150],
    ['In 1969 two men stood there.', undefined],
    ['Explain gravity', undefined],
  ])('of %j say that it states %s tokens', (prompt, tokens) => {
    const [isStated, logarithm] = model().features(prompt).counts.subarray(24)
    expect(isStated).toBe(tokens === undefined ? 0 : 1)
    expect(logarithm).toBeCloseTo(tokens === undefined ? 0 : Math.log(1 + tokens) - 4, 2)
  })

  it('survive the end of the marks that tell texts apart', () => {
    const net = model({ bits: 20 })
    for (let i = 0; i < 4100; i++) net.predict('again', 0)
    expect([...net.features('once more, once more').rows]).toEqual(featuresTwin('once more, once more', 20).rows)
  })
})

describe('LengthModel', () => {
  it('starts from what the percentiles say and gives probabilities for any text', () => {
    const net = model()
    for (const prompt of PROMPTS) {
      const p = net.predict(prompt, 0)
      expect(p).toHaveLength(LENGTH_CLASSES)
      expect(p.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5)
      expect(Math.min(...p)).toBeGreaterThan(0)
    }
  })

  it('learns which words make answers long, for each model apart', () => {
    const net = model()
    for (let i = 0; i < 400; i++) {
      net.learn(`essay about topic ${i}`, 1, 3)
      net.learn(`yes or no about topic ${i}`, 1, 0)
      net.learn(`essay about topic ${i}`, 2, 1)
    }
    const score = (prompt: string, of: number): number => net.predict(prompt, of).reduce((sum, p, k) => sum + k * p, 0)
    expect(score('essay about whales', 1)).toBeGreaterThan(1.9)
    expect(score('yes or no about whales', 1)).toBeLessThan(0.5)
    expect(score('essay about whales', 2)).toBeLessThan(score('essay about whales', 1) - 0.4)
    const unmet = score('essay about whales', 0)
    expect(unmet).toBeGreaterThan(score('yes or no about whales', 0) + 1)
    expect(net.updates).toBe(1200)
  })

  it('keeps what one model does out of what all share, by the share of its step', () => {
    const net = model({ bits: 16 })
    for (let i = 0; i < 600; i++) net.learn(`essay about topic ${i}`, 1, 0, 0)
    const score = (of: number): number => net.predict('essay about whales', of).reduce((sum, p, k) => sum + k * p, 0)
    expect(score(1)).toBeLessThan(0.8)
    expect(score(0)).toBeCloseTo(0.25 * 1 + 0.25 * 2 + 0.24 * 3 + 0.01 * 4, 3) // as the percentiles say
  })

  it('has the same bits in the SIMD and in the scalar build', () => {
    const nets = [core, scalar].map((on) => model({}, on))
    const losses = nets.map((net) => PROMPTS.map((prompt, i) => net.learn(prompt, i % 4, i % 5)))
    expect(losses[0]).toEqual(losses[1])
    expect(bytesOf(nets[0]!)).toEqual(bytesOf(nets[1]!))
  })

  it('goes on from a save as if nothing had happened', () => {
    const [a, b] = [model(), model()]
    for (const [i, prompt] of PROMPTS.entries()) a.learn(prompt, i % 4, i % 5)
    b.load(a.save())
    for (const [i, prompt] of PROMPTS.entries()) expect(b.learn(prompt, 1, i % 5)).toBe(a.learn(prompt, 1, i % 5))
    expect(bytesOf(b)).toEqual(bytesOf(a))
  })

  it('refuses a save of other sizes and changes nothing', () => {
    const net = model()
    const before = bytesOf(net)
    expect(() => net.load(model({ bits: 11 }).save())).toThrow(/tensor "table" must be F32 \[4096\]/)
    expect(bytesOf(net)).toEqual(before)
  })

  it('refuses sizes that make no sense, all at once', () => {
    expect(() => model({ bits: 9, models: 0 })).toThrow(/bits must be 10 … 20, got 9; models must be 1 … 65536, got 0/)
  })

  it('cannot be used after dispose', () => {
    const net = model()
    net.dispose()
    net.dispose()
    expect(() => net.predict('x', 0)).toThrow(/disposed/)
    expect(() => net.learn('x', 0, 0)).toThrow(/disposed/)
  })
})

describe('the gradient', () => {
  it('is that of central differences, in every kind of weight', async () => {
    const real = await startServeReal64()
    const net = new Net64(real)
    const rate = 1e-3
    const square = 1e12 // so large that a step is rate · slope / √square
    for (let i = 0; i < 30; i++) net.learn(i % 2 ? 'list five long things' : 'yes or no?', 1 + (i % 2), i % 5) // from a random place
    net.weights(abi.LENGTH_SQUARES).fill(square)
    net.table(abi.LENGTH_TABLE_SQUARES).fill(square)
    net.set(abi.LENGTH_RATE, rate)
    const [prompt, of] = ['list five things?', 1] as const
    const tables = { table: abi.LENGTH_TABLE, weights: abi.LENGTH_WEIGHTS }
    for (const target of [0, 2, 4]) {
      const before = { table: net.table(tables.table).slice(), weights: net.weights(tables.weights).slice() }
      net.learn(prompt, of, target)
      const after = { table: net.table(tables.table).slice(), weights: net.weights(tables.weights).slice() }
      net.table(tables.table).set(before.table)
      net.weights(tables.weights).set(before.weights)
      const check = (live: () => Float64Array, was: Float64Array, now: Float64Array): number => {
        let moved = 0
        for (let i = 0; i < was.length; i++) {
          if (was[i] === now[i]) continue
          moved++
          const slope = ((was[i]! - now[i]!) * (Math.sqrt(square) + 1e-3)) / rate
          const at = (value: number): number => {
            live()[i] = value
            return net.loss(prompt, of, target)
          }
          const h = 1e-5
          const measured = (at(was[i]! + h) - at(was[i]! - h)) / (2 * h)
          live()[i] = was[i]!
          expect(Math.abs(slope - measured)).toBeLessThan(1e-4 * Math.max(1, Math.abs(measured)))
        }
        return moved
      }
      expect(check(() => net.weights(tables.weights), before.weights, after.weights)).toBeGreaterThan(10)
      expect(check(() => net.table(tables.table), before.table, after.table)).toBeGreaterThan(20)
    }
  })
})

/** The kernel in f64, by its exports. */
class Net64 {
  readonly #real: Real64<ServeExports>
  readonly #base: number

  constructor(real: Real64<ServeExports>) {
    this.#real = real
    const scratch = real.allocate(real.exports.length_shape_bytes())
    this.#base = real.allocate(real.exports.length_bytes(scratch, 10, 4))
    real.exports.length_create(this.#base, 10, 4)
  }

  learn(prompt: string, of: number, target: number): void {
    this.#real.exports.length_learn(this.#base, this.#stage(prompt), prompt.length, of, target, 1)
  }

  loss(prompt: string, of: number, target: number): number {
    this.#real.exports.length_predict(this.#base, this.#stage(prompt), prompt.length, of)
    return -Math.log(this.#real.f64(this.#at(abi.LENGTH_PROBABILITIES), 5)[target]!)
  }

  weights(which: number): Float64Array {
    return this.#real.f64(this.#at(which), this.#real.exports.length_get(this.#base, abi.LENGTH_WEIGHT_COUNT))
  }

  table(which: number): Float64Array {
    return this.#real.f64(this.#at(which), 1024)
  }

  set(which: number, value: number): void {
    this.#real.exports.length_set(this.#base, which, value)
  }

  #stage(prompt: string): number {
    const { buffer } = this.#real.exports.memory
    return new TextEncoder().encodeInto(prompt, new Uint8Array(buffer, this.#at(abi.LENGTH_TEXT), 6144)).written
  }

  #at(which: number): number {
    return this.#real.exports.length_pointer(this.#base, which) >>> 0
  }
}
