import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createProxyPredictor,
  mlpToOnnx,
  type OnnxRuntime,
  type ProxyPredictorOptions,
  WordPieceTokenizer,
} from '../src/index.js'
import { bertTwin } from './bert-twin.js'
import { ort } from './onnxruntime.js'
import { type TinyBertChanges, type TinyBertShape, tinyBertModel, tinyBertWeights, type Weights } from './tiny-bert.js'

const WORDS =
  'a list of ten rivers in one sentence how does it work please explain why write code ##s ##ing ? . , !'.split(' ')
const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...WORDS]
const MODELS = ['alpha', 'beta', 'gamma']
const SHAPE: TinyBertShape = {
  ...{ vocabulary: VOCABULARY.length, width: 16, heads: 2, layers: 2, feedForward: 24, positions: 40, models: 3 },
}
const PROMPTS = [
  'List ten rivers.',
  'How does it work? Please explain why, in one sentence!',
  'write code',
  '',
  'explain it '.repeat(30),
]

let core: Core
let weights: Weights
beforeAll(async () => {
  core = await createCore()
  weights = tinyBertWeights(core, SHAPE, 1)
})

/** onnxruntime, and what was run, run by run: [batch, tokens]. Runs whose numbers are in `failing` throw. */
function recordingRuntime({ failing = [] as readonly number[] } = {}): { runtime: OnnxRuntime; runs: number[][] } {
  const runs: number[][] = []
  const runtime = {
    Tensor: ort.Tensor,
    InferenceSession: {
      async create(model: Uint8Array) {
        const session = await ort.InferenceSession.create(model)
        return Object.create(session, {
          inputMetadata: { value: session.inputMetadata },
          outputMetadata: { value: session.outputMetadata },
          inputNames: { value: session.inputNames },
          outputNames: { value: session.outputNames },
          release: { value: () => session.release() },
          run: {
            value: (feeds: Record<string, ort.Tensor>) => {
              runs.push([...feeds.input_ids!.dims])
              if (failing.includes(runs.length)) throw new Error('out of memory')
              return session.run(feeds)
            },
          },
        })
      },
    },
  }
  return { runtime: runtime as unknown as OnnxRuntime, runs }
}

/** Random weights give small numbers: this brings them to where the classes are. */
const BIAS = 2

const create = (changes: TinyBertChanges = {}, options: Partial<ProxyPredictorOptions> = {}) =>
  createProxyPredictor({
    model: tinyBertModel(SHAPE, weights, { bias: BIAS, ...changes }),
    vocabulary: VOCABULARY.join('\n'),
    models: MODELS,
    maxTokens: SHAPE.positions,
    ...options,
  })

const tokenizer = new WordPieceTokenizer(VOCABULARY.join('\n'))
const twinScore = (prompt: string, model: string, maxTokens = SHAPE.positions): number => {
  const raw = BIAS + bertTwin(SHAPE, weights, tokenizer.encode(prompt, maxTokens), MODELS.indexOf(model))
  return Math.min(4, Math.max(0, raw))
}
const EVERYTHING = PROMPTS.flatMap((prompt) => [...MODELS, 'unheard of'].map((model) => ({ prompt, model })))

describe('a proxy predictor', () => {
  it('gives the number that a BERT written out gives, alone and in batches, for every served model', async () => {
    await using predictor = await create()
    const together = await Promise.all(EVERYTHING.map((request) => predictor.predict(request)))
    for (const [i, request] of EVERYTHING.entries()) {
      const alone = await predictor.predict(request)
      expect(alone.score).toBeCloseTo(twinScore(request.prompt, request.model), 4)
      expect(together[i]!.score).toBeCloseTo(alone.score, 5)
    }
    expect(new Set(together.map(({ score }) => score.toFixed(3))).size).toBeGreaterThan(8)
  })

  it.each([
    ['ids of 32 bits and other names', { tokenType: 'int32', names: ['ids', 'mask', 'types', 'served'] }],
    ['a fixed length', { tokens: 24 }],
    ['a fixed batch', { batch: 3, tokens: 40 }],
  ] as const)('gives the same with a model of %s', async (_, changes) => {
    const names = 'names' in changes ? changes.names : undefined
    const inputs = names && { ids: names[0], mask: names[1], types: names[2], model: names[3] }
    await using predictor = await create(changes, inputs && { inputs })
    const maxTokens = 'tokens' in changes ? changes.tokens : SHAPE.positions
    const all = await Promise.all(EVERYTHING.map((request) => predictor.predict(request)))
    for (const [i, { prompt, model }] of EVERYTHING.entries()) {
      expect(all[i]!.score).toBeCloseTo(twinScore(prompt, model, maxTokens), 4)
    }
  })

  it('reads the end of a long conversation', async () => {
    await using predictor = await create()
    const end = 'list of rivers. why? '.repeat(10)
    const request = { model: 'alpha', prompt: end }
    const { score } = await predictor.predict(request)
    expect((await predictor.predict({ ...request, prompt: `explain code ${end}` })).score).toBe(score)
    expect((await predictor.predict({ ...request, prompt: `${end} explain code` })).score).not.toBe(score)
  })

  it('brings the number to tokens by what the served model answered, never beyond where the answer is cut', async () => {
    await using predictor = await create()
    for (let i = 0; i < 400; i++) {
      predictor.observe({ model: 'alpha', prompt: 'why' }, 10)
      predictor.observe({ model: 'gamma', prompt: 'why' }, 100 * (1 + (i % 4)))
    }
    const prompt = 'write code'
    const { tokens, score, class: nearest, source } = await predictor.predict({ model: 'gamma', prompt })
    expect(score).toBeGreaterThan(1) // the classes are 100, 200, 300 and 400 tokens
    expect(score).toBeLessThan(3)
    expect(tokens).toBeCloseTo(100 * (1 + score), 0)
    expect(nearest).toBe(Math.round(score))
    expect(source).toBe('model')
    expect((await predictor.predict({ model: 'gamma', prompt, maxTokens: 7 })).tokens).toBe(7)
    expect((await predictor.predict({ model: 'alpha', prompt })).tokens).toBeCloseTo(10, 6)
    expect(() => predictor.observe({ model: 'gamma', prompt }, Number.NaN)).toThrow('outputTokens must be a number ≥ 0')
  })

  it.each([
    [-50, 0],
    [50, 4],
  ])('keeps to the five classes when the head says %d', async (bias, wanted) => {
    await using predictor = await create({ bias })
    expect(await predictor.predict({ model: 'beta', prompt: 'why' })).toMatchObject({ score: wanted, class: wanted })
  })

  it('runs together what is asked for together, lengths apart, the oldest first', async () => {
    const { runtime, runs } = recordingRuntime()
    await using predictor = await create({}, { runtime, maxBatch: 4 })
    const short = Array.from({ length: 6 }, () => ({ model: 'alpha', prompt: 'why' }))
    const long = { model: 'alpha', prompt: 'explain it '.repeat(15) }
    await Promise.all([long, ...short, long].map((request) => predictor.predict(request)))
    expect(runs).toEqual([
      [2, 32],
      [4, 3],
      [2, 3],
    ])
  })

  it('runs no model for a row of padding: what is asked for alone runs alone', async () => {
    const { runtime, runs } = recordingRuntime()
    await using predictor = await create({}, { runtime })
    await predictor.predict({ model: 'alpha', prompt: 'why' })
    expect(runs).toEqual([[1, 3]])
  })

  describe('refuses, saying why,', () => {
    it.each<[string, TinyBertChanges, Partial<ProxyPredictorOptions>, string[]]>([
      [
        'a model with other inputs',
        { names: ['ids', 'attention_mask', 'token_type_ids', 'model'] },
        {},
        ['no input "input_ids", it has ids, attention_mask, token_type_ids, model (set inputs)', 'input "ids" with'],
      ],
      [
        'a one-hot of another width',
        {},
        { models: ['alpha', 'beta'] },
        ['"model" must be float32 [batch, 2], a column for each of models, got float32 [batch, 3]'],
      ],
      ['a one-hot that nobody asked for', {}, { models: [] }, ['the model\'s input "model" with']],
      ['an output that is not there', {}, { output: 'logits' }, ['no output "logits", it has score']],
      ['a served model twice', {}, { models: ['a', 'b', 'a'] }, ['models must differ']],
      ['a batch of none', {}, { maxBatch: 0 }, ['maxBatch must be a whole number ≥ 1, got 0']],
      ['too few tokens', {}, { maxTokens: 2 }, ['maxTokens must be a whole number ≥ 3, got 2']],
    ])('%s', async (_, changes, options, words) => {
      const refusal = await create(changes, options).catch((error: Error & { code: string }) => error)
      expect(refusal).toMatchObject({ code: 'config_invalid' })
      for (const word of words) expect((refusal as Error).message).toContain(word)
    })

    it('what is no ONNX file', async () => {
      await expect(create({}, { model: new Uint8Array(50) })).rejects.toMatchObject({ code: 'onnx_model_unreadable' })
    })

    it('a policy in the place of a predictor', async () => {
      const model = mlpToOnnx({ sizes: [3, 2], activations: ['linear'], parameters: new Float32Array(8) })
      await expect(create({}, { model })).rejects.toThrow(
        /no input "input_ids", it has x.*must be one real number a row/s,
      )
    })

    it('to predict with a model that gives no numbers, or after it was disposed', async () => {
      const predictor = await create({ bias: Number.NaN })
      const request = { model: 'alpha', prompt: 'why' }
      await expect(predictor.predict(request)).rejects.toMatchObject({ code: 'onnx_output_invalid' })
      await predictor.dispose()
      await predictor.dispose()
      await expect(predictor.predict(request)).rejects.toMatchObject({ code: 'disposed' })
    })

    it('those of a run that fails, and goes on with the next', async () => {
      const { runtime } = recordingRuntime({ failing: [1] })
      await using predictor = await create({}, { runtime })
      const request = { model: 'alpha', prompt: 'why' }
      const both = await Promise.allSettled([predictor.predict(request), predictor.predict(request)])
      expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(both[0]).toMatchObject({ reason: { code: 'onnx_run_failed', cause: { message: 'out of memory' } } })
      expect((await predictor.predict(request)).source).toBe('model')
    })
  })
})
