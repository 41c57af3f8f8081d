import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readSafetensors, writeSafetensors } from '@trimtab/core'
import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { type LengthExample, LengthPredictor, predictRows, scoreLengths } from '../../src/index.js'
import { defaultLengthWeights } from '../../src/weights/index.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

/** Three kinds of prompts with lengths of their own, those of model `loud` four times as long. */
function traffic(rows: number, models = ['quiet', 'loud']): LengthExample[] {
  const kinds = [
    ['Answer yes or no:', 4],
    ['List three', 60],
    ['Write a long essay on', 600],
  ] as const
  return Array.from({ length: rows }, (_, i) => {
    const [words, tokens] = kinds[i % 3]!
    const model = models[Math.floor(i / 3) % models.length]!
    const outputTokens = Math.round((model === 'loud' ? 4 : 1) * tokens * (1 + ((i * 7) % 10) / 20))
    return { model, prompt: `${words} topic ${(i * 31) % 97}`, outputTokens }
  })
}

const small = { bits: 12 }

describe('LengthPredictor', () => {
  it('predicts something usable before anything was learnt, and says so', () => {
    const predictor = new LengthPredictor(core, small)
    const { tokens, score, source, class: found } = predictor.predict({ model: 'new', prompt: 'Hi' })
    expect(source).toBe('prior')
    expect(tokens).toBeGreaterThan(50)
    expect(score).toBeGreaterThan(0.5)
    expect([1, 2]).toContain(found)
  })

  it('learns from finished requests one by one, in tokens of the model that answers', () => {
    const predictor = new LengthPredictor(core, small)
    for (const row of traffic(900)) predictor.observe(row, row.outputTokens)
    const tokens = (model: string, prompt: string): number => predictor.predict({ model, prompt }).tokens
    expect(tokens('quiet', 'Answer yes or no: is rain wet')).toBeLessThan(60)
    expect(tokens('quiet', 'Write a long essay on rain')).toBeGreaterThan(400)
    expect(tokens('loud', 'Write a long essay on rain')).toBeGreaterThan(
      3 * tokens('quiet', 'Write a long essay on rain'),
    )
    expect(scoreLengths(predictRows(predictor, traffic(90))).order).toBeGreaterThan(0.8)
    expect(predictor.predict(traffic(1)[0]!).source).toBe('model')
  })

  it('gives a model it never met what models do on the whole, then its own', () => {
    const predictor = new LengthPredictor(core, small)
    predictor.fit(traffic(600))
    const essay = { model: 'unmet', prompt: 'Write a long essay on rain' }
    const before = predictor.predict(essay)
    expect(before.tokens).toBeGreaterThan(
      predictor.predict({ ...essay, prompt: 'Answer yes or no: rain' }).tokens + 300,
    )
    for (let i = 0; i < 60; i++) predictor.observe({ model: 'unmet', prompt: essay.prompt }, 20 + (i % 5))
    expect(predictor.predict(essay).tokens).toBeLessThan(30)
  })

  it('never expects more than maxTokens', () => {
    const predictor = new LengthPredictor(core, small)
    predictor.fit(traffic(300))
    for (const { model, prompt } of traffic(30)) {
      expect(predictor.predict({ model, prompt, maxTokens: 50 }).tokens).toBeLessThanOrEqual(50 + 1e-4)
    }
  })

  it('gives the same numbers for the same rows and seed, and goes on from a save as if nothing had happened', () => {
    const [a, b] = [1, 2].map(() => new LengthPredictor(core, small)) as [LengthPredictor, LengthPredictor]
    a.fit(traffic(300), { seed: 5 })
    b.fit(traffic(300), { seed: 5 })
    const file = a.save({ trainedOn: 'made up' })
    expect(Buffer.compare(file, b.save({ trainedOn: 'made up' }))).toBe(0)
    const loaded = LengthPredictor.load(core, file)
    expect(loaded.provenance).toEqual({ trainedOn: 'made up' })
    expect(loaded.models).toEqual(['quiet', 'loud'])
    for (const row of traffic(60, ['loud', 'third'])) {
      for (const one of [a, loaded]) one.observe(row, row.outputTokens)
      expect(loaded.predict(row)).toEqual(a.predict(row))
    }
    expect(Buffer.compare(loaded.save({}), a.save({}))).toBe(0)
  })

  it('is a tenth as large when compact, predicts nearly the same and goes on learning', () => {
    const predictor = new LengthPredictor(core, { bits: 14 })
    predictor.fit(traffic(600))
    const [whole, compact] = [predictor.save(), predictor.save({}, { isCompact: true })]
    expect(compact.length).toBeLessThan(0.35 * whole.length)
    const loaded = LengthPredictor.load(core, compact)
    for (const row of traffic(30)) expect(loaded.predict(row).score).toBeCloseTo(predictor.predict(row).score, 1)
    for (let i = 0; i < 100; i++) loaded.observe({ model: 'quiet', prompt: 'Sing' }, 5000)
    expect(loaded.predict({ model: 'quiet', prompt: 'Sing' }).score).toBeGreaterThan(2.5)
  })

  it('tells more models apart than have weights of their own', () => {
    const predictor = new LengthPredictor(core, { bits: 10, models: 2 })
    for (let i = 0; i < 400; i++) predictor.observe({ model: `m${i % 8}`, prompt: 'Go' }, 10 * (1 + (i % 8)))
    const tokens = Array.from({ length: 8 }, (_, i) => predictor.predict({ model: `m${i}`, prompt: 'Go' }).tokens)
    expect(tokens.map(Math.round)).toEqual([10, 20, 30, 40, 50, 60, 70, 80])
  })

  it.each(['before', 'after'])('tells a model apart whose answers come %s 20,000 names that nobody serves', (when) => {
    const predictor = new LengthPredictor(core, { bits: 10 })
    const real = (): void => {
      for (let i = 0; i < 100; i++) predictor.observe({ model: 'real', prompt: 'Go' }, 20)
    }
    if (when === 'before') real()
    for (let i = 0; i < 20_000; i++) predictor.observe({ model: `junk-${i}`, prompt: 'Go' }, 252)
    if (when === 'after') real()
    expect(predictor.predict({ model: 'real', prompt: 'Go' }).tokens).toBeCloseTo(20, 0)
    expect(predictor.models.length).toBeLessThanOrEqual(256)
  })

  it('stays small under any number of names of any length', () => {
    const predictor = new LengthPredictor(core, { bits: 10 })
    for (let i = 0; i < 4200; i++) predictor.observe({ model: `${i}-${'x'.repeat(3000)}`, prompt: 'Go' }, 10)
    const file = predictor.save()
    expect(file.length).toBeLessThan(3e6)
    expect(LengthPredictor.load(core, file).models).toEqual(predictor.models)
  })

  it('expects more of what states more', () => {
    const predictor = new LengthPredictor(core, small)
    const counted = (i: number): LengthExample[] => [
      { model: 'm', prompt: `Write ${i} paragraphs on rain`, outputTokens: 90 * i },
      { model: 'm', prompt: `Write ${i} words on rain`, outputTokens: 2 * i },
    ]
    predictor.fit(Array.from({ length: 20 }, (_, i) => counted(i + 1)).flat(), { epochs: 20 })
    const tokens = (prompt: string): number => predictor.predict({ model: 'unmet', prompt }).tokens
    expect(tokens('List 100 fruits')).toBeGreaterThan(1.2 * tokens('List 3 fruits'))
    expect(tokens('Explain rain in ten pages')).toBeGreaterThan(1.2 * tokens('Explain rain in one sentence'))
  })

  it('lets no model of many answers drown what prompts do to the others', () => {
    const predictor = new LengthPredictor(core, small)
    const rows = (model: string, count: number, [long, short]: readonly [string, string]): LengthExample[] =>
      Array.from({ length: count }, (_, i) => ({
        ...{ model, prompt: `${i % 2 ? long : short} about topic ${(i * 31) % 97}` },
        outputTokens: (i % 2 ? 400 : 40) + (i % 7),
      }))
    predictor.fit([
      ...rows('loud', 6000, ['poem', 'essay']),
      ...['a', 'b', 'c'].flatMap((model) => rows(model, 600, ['essay', 'poem'])),
    ])
    const score = (model: string, prompt: string): number => predictor.predict({ model, prompt }).score
    expect(score('unmet', 'essay about rain')).toBeGreaterThan(score('unmet', 'poem about rain') + 0.5)
    expect(score('loud', 'poem about rain')).toBeGreaterThan(score('loud', 'essay about rain') + 1)
  })

  it('takes any text: empty, a megabyte, no letters, half letters', () => {
    const predictor = new LengthPredictor(core, small)
    for (const prompt of ['', 'x'.repeat(1_000_000), '?!'.repeat(3000), '\ud800', '漢字'.repeat(2000), '\0\n\0']) {
      predictor.observe({ model: 'm', prompt }, 100)
      expect(predictor.predict({ model: 'm', prompt }).tokens).toBeGreaterThan(0)
    }
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses a length of %d and changes nothing', (tokens) => {
    const predictor = new LengthPredictor(core, small)
    expect(() => predictor.observe({ model: 'm', prompt: 'x' }, tokens)).toThrow(
      /outputTokens must be a number from 0 to 1000000000/,
    )
    expect(() => predictor.fit([{ model: 'm', prompt: 'x', outputTokens: tokens }])).toThrow(/in row 0/)
    expect([predictor.models, predictor.updates]).toEqual([[], 0])
  })

  it('refuses files that are no predictor, and damaged ones', () => {
    const file = new LengthPredictor(core, small).save()
    const codeOf = (bytes: Uint8Array): unknown => {
      try {
        return LengthPredictor.load(core, bytes)
      } catch (error) {
        return (error as { code?: unknown }).code
      }
    }
    expect(codeOf(writeSafetensors([], { format: 'other' }))).toBe('length_predictor_format')
    expect(codeOf(file.subarray(0, file.length - 1))).toBe('safetensors_truncated')
    const header = { format: 'trimtab-length-predictor-2', bits: '12', rows: '64' }
    expect(codeOf(writeSafetensors([], { ...header, models: '["a"]' }))).toBe('tensor_missing')
    expect(codeOf(writeSafetensors([], { ...header, models: 'a' }))).toBe('length_predictor_damaged')
    expect(codeOf(writeSafetensors([], { ...header, models: '[]', bits: '99' }))).toBe('length_predictor_damaged')
  })

  it.each([
    ['a table of 2^20 rows', { bits: '20' }, 'tensor_mismatch', /"table" must be F32 \[1048576\].* \[4096\]/],
    ['65,536 models', { rows: '65536' }, 'tensor_mismatch', /"weights" must be F32 \[\d+\], the saved state has F32/],
    ['models beyond them', { rows: '4294967360' }, 'length_predictor_damaged', /bits and rows must be sizes/],
    ['half a bit', { bits: '12.5' }, 'length_predictor_damaged', /bits and rows must be sizes/],
    ['a name that it has no lengths of', { models: '["a"]' }, 'tensor_mismatch', /"lengths" must be/],
  ])('refuses a file that says it has %s, before anything is laid out', (_, changes, code, message) => {
    const { tensors, metadata } = readSafetensors(new LengthPredictor(core, small).save())
    const file = writeSafetensors([...tensors.values()], { ...Object.fromEntries(metadata), ...changes })
    const before = [core.usedBytes, core.memory.buffer.byteLength]
    const load = (): unknown => LengthPredictor.load(core, file)
    expect(load).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
    expect(load).toThrow(message)
    expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
  })

  it('leaves nothing in the core when it is disposed', () => {
    const before = core.usedBytes
    const predictor = new LengthPredictor(core, small)
    predictor.fit(traffic(30))
    predictor.dispose()
    predictor.dispose()
    expect(core.usedBytes).toBe(before)
  })
})

describe('the shipped weights', () => {
  it('name their sources, all of them permissive', () => {
    const { trainedOn } = LengthPredictor.load(core, defaultLengthWeights()).provenance
    const sources = JSON.parse(trainedOn!) as { name: string; tier: string; rows: number }[]
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.filter(({ tier }) => tier !== 'permissive')).toEqual([])
  })

  const data = new URL('../../../../../shared/data/output-length/', import.meta.url)
  if (!existsSync(data)) {
    notChecked('the shipped weights on real answers', '../shared/data')
    return
  }
  const read = (name: string): (LengthExample & { tier: string })[] =>
    gunzipSync(readFileSync(new URL(name, data)))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ output_tokens: outputTokens, ...row }) => ({ ...row, outputTokens }))

  it('order answers that they have not seen, and learn models that they do not know from their traffic', () => {
    const predictor = LengthPredictor.load(core, defaultLengthWeights())
    const valid = read('valid.jsonl.gz')
    const order = (tier: string): number =>
      scoreLengths(
        predictRows(
          predictor,
          valid.filter((row) => row.tier === tier),
        ),
      ).order
    expect(order('permissive')).toBeGreaterThan(0.75)
    const before = order('nc')
    for (const row of read('train.jsonl.gz')) if (row.tier === 'nc') predictor.observe(row, row.outputTokens)
    expect(order('nc')).toBeGreaterThan(before + 0.02)
  })
})
