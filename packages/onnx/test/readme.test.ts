import { readFileSync } from 'node:fs'
import { createCore } from '@trimtab/core'
import { boxSpace, createDdpg, createMetaLearner } from '@trimtab/learn'
import { expect, it } from 'vitest'
import * as onnx from '../src/index.js'
import { ort } from './onnxruntime.js'
import { tinyBertModel, tinyBertWeights } from './tiny-bert.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [predict, exported] = Array.from(readme.matchAll(/```ts\n(.*?)```/gs), ([, code]) => code!)

/** Runs an example with these names in the place of its imports, and returns the values of `wanted`. */
async function run(example: string, bindings: Record<string, unknown>, wanted: string): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  const body = `${example.replaceAll(/^import .*$/gm, '')}\nreturn ${wanted}`
  return new AsyncFunction(...Object.keys(bindings), body)(...Object.values(bindings))
}

it('the README predicts with a model from a file and learns what the answer took', async () => {
  const core = await createCore()
  const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'list', 'ten', 'rivers', '.']
  const shape = { vocabulary: 8, width: 8, heads: 2, layers: 1, feedForward: 8, positions: 512, models: 2 }
  const files = {
    'proxy.onnx': tinyBertModel(shape, tinyBertWeights(core, shape, 1)),
    'vocab.txt': vocabulary.join('\n'),
  }
  const readFile = async (name: keyof typeof files) => files[name]
  const { tokens, score } = (await run(predict!, { ...onnx, readFile }, '{ tokens, score }')) as Record<string, number>
  expect(score).toBeGreaterThanOrEqual(0)
  expect(tokens).toBeGreaterThan(0)
})

it('the README writes a policy and an encoder that onnxruntime opens', async () => {
  const core = await createCore()
  const spaces = { observation: boxSpace(['load']), action: boxSpace(['replicas']) }
  const agent = createDdpg(core, { ...spaces, seed: 1 })
  const metaLearner = createMetaLearner(core, { seed: 1 })
  metaLearner.registerBaseLearner('autoscaling', { kind: 'rl', ...spaces })
  const written: Record<string, Uint8Array> = {}
  const writeFile = async (name: string, bytes: Uint8Array) => {
    written[name] = bytes
  }
  await run(exported!, { ...onnx, writeFile, agent, metaLearner }, '0')
  expect(Object.keys(written)).toEqual(['policy.onnx', 'encoder.onnx'])
  for (const bytes of Object.values(written)) await (await ort.InferenceSession.create(bytes)).release()
})
