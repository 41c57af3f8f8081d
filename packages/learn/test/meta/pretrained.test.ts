import { type Core, createCore, type Space } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type BaseLearnerChoice,
  boxSpace,
  createBaseLearner,
  createMetaLearner,
  discreteSpace,
  type MetaOptions,
  metaPresets,
  readPretrained,
  readSafetensors,
  type StoredTensor,
  writePretrained,
  writeSafetensors,
} from '../../src/index.js'
import { learnedCounts } from '../../src/meta/learned-shapes.js'
import { addPrefix } from '../../src/meta/tensors.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const observation = boxSpace(['load', 'latency'])
const box = boxSpace(['cores', 'replicas'])
const choice = discreteSpace('level', 5)
const set: MetaOptions = { ...metaPresets.set, hiddenSize: 3, layers: 3, dense: [5, 4] }
const gru: MetaOptions = { ...set, kind: 'gru', layers: 2, dense: [4] }
const small = { hidden: [6, 3], batchSize: 4, capacity: 16, warmUp: 4 }

/** A model that was taught nothing, as a file. */
function fileOf(
  algorithm: string,
  action: Space,
  meta: MetaOptions,
  options: BaseLearnerChoice['options'],
): Uint8Array {
  const base = { algorithm, preset: 'default', options }
  const agent = createBaseLearner(core, {
    task: 't',
    base,
    observation,
    action,
    contextSize: meta.dense.at(-1)!,
    seed: 1,
  })
  const learner = createMetaLearner(core, { options: meta, maxContexts: 1, seed: 1 })
  learner.registerBaseLearner('t', { kind: 'rl', observation, action })
  const learned = [...addPrefix(agent.learned(), 'agent.'), ...addPrefix(learner.learned(), 'meta.')]
  agent.dispose()
  learner.dispose()
  const header = { task: 't', base, meta, observation, action, seed: 1, rounds: 0, trainingData: '' }
  return writePretrained({ header, learned, pool: [], drops: [], episodes: [] })
}

/** The file with another description of the same tensors. */
function described(file: Uint8Array, changes: Readonly<Record<string, unknown>>): Uint8Array {
  const { tensors, metadata } = readSafetensors(file)
  const texts = Object.entries(changes).map(([key, value]) => [key, JSON.stringify(value)])
  return writeSafetensors([...tensors.values()], { ...Object.fromEntries(metadata), ...Object.fromEntries(texts) })
}

describe('a pretrained model', () => {
  it.each([
    ['DDPG, of a set', 'ddpg', box, set, small],
    ['DDPG, of a GRU', 'ddpg', box, gru, small],
    ['DQN', 'dqn', choice, set, small],
    ['PPO on a box', 'ppo', box, set, { hidden: [6], rolloutSteps: 8 }],
    ['PPO on choices', 'ppo', choice, set, { hidden: [], rolloutSteps: 8 }],
    ['DDPG, with the layers of its defaults', 'ddpg', box, { ...set, layers: 1 }, {}],
  ] as const)('is read and made again, its networks counted exactly: %s', (_, algorithm, action, meta, options) => {
    const file = fileOf(algorithm, action, meta, options)
    const model = readPretrained(file)
    expect(model.save()).toEqual(file)
    model.createAgent(core, { seed: 2 }).dispose()
    model.createMetaLearner(core).dispose()
  })

  const hostile = [65_536]
  const widths = { names: ['level'], low: ['0'], high: [String(2 ** 31)], kind: 'discrete' }
  it.each([
    [
      'a wide embedding',
      { meta: { ...set, dense: hostile } },
      'tensor_mismatch',
      /F32 \[262186\], the saved state has F32 \[86\]/,
    ],
    ['wide layers behind the mean', { meta: { ...set, dense: [2 ** 27, 4] } }, 'tensor_mismatch', /saved state has/],
    ['a wide step net', { meta: { ...set, hiddenSize: 2 ** 27 } }, 'tensor_mismatch', /saved state has F32 \[86\]/],
    ['a deep step net', { meta: { ...set, layers: 2 ** 27 } }, 'tensor_mismatch', /saved state has F32 \[86\]/],
    ['a GRU that it is not', { meta: { ...set, kind: 'gru' } }, 'tensor_mismatch', /saved state has F32 \[86\]/],
    ['an embedding of half a number', { meta: { ...set, dense: [0.5] } }, 'pretrained_invalid', /encoder/],
    ['an encoder without layers', { meta: { ...set, layers: 0 } }, 'pretrained_invalid', /encoder/],
    [
      'an encoder that wraps at 32 bits',
      { meta: { ...set, hiddenSize: 2 ** 32 + 3 } },
      'pretrained_invalid',
      /encoder/,
    ],
    ['an encoder of an unknown kind', { meta: { ...set, kind: 'constructor' } }, 'pretrained_invalid', /encoder/],
    ['contexts of 2^27 steps', { meta: { ...set, maxSteps: 2 ** 27 } }, 'pretrained_invalid', /ask for 20480 MiB/],
    [
      'contexts of 2^20 sequences',
      { meta: { ...set, maxSequences: 2 ** 20 } },
      'pretrained_invalid',
      /ask for 2560 MiB/,
    ],
    ['contexts of half a step', { meta: { ...set, maxSteps: 0.5 } }, 'pretrained_invalid', /encoder/],
    ['contexts that are a text', { meta: { ...set, maxSequences: '8' } }, 'pretrained_invalid', /encoder/],
    ['no encoder', { meta: null }, 'pretrained_invalid', /networks/],
    [
      'wide hidden layers',
      { base: base({ hidden: [2 ** 20, 3] }) },
      'tensor_mismatch',
      /F32 \[10485771\].* F32 \[71\]/,
    ],
    ['hidden layers that wrap', { base: base({ hidden: [2 ** 31, 3] }) }, 'pretrained_invalid', /layers of its agent/],
    ['hidden layers that are a text', { base: base({ hidden: '6' }) }, 'pretrained_invalid', /layers of its agent/],
    [
      'an agent that is none',
      { base: { algorithm: 'toString' } },
      'pretrained_invalid',
      /is a toString; there are ddpg/,
    ],
    ['2^31 choices', { action: widths }, 'pretrained_invalid', /ask for \d+ MiB/],
    ['an observation of 16,384 names', { observation: many(2 ** 14) }, 'tensor_mismatch', /saved state has F32/],
  ])('is refused where it describes %s, before anything is laid out', (_, changes, code, message) => {
    const file = described(fileOf('ddpg', box, set, small), changes)
    const before = [core.usedBytes, core.memory.buffer.byteLength]
    const read = (): unknown => readPretrained(file)
    expect(read).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
    expect(read).toThrow(message)
    expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
  })

  it.each([['agent.'], ['meta.']])('is refused where a number that %s learned is none', (part) => {
    const { tensors, metadata } = readSafetensors(fileOf('ddpg', box, set, small))
    const isLearned = ({ name, dtype }: StoredTensor) => name.startsWith(`learned.${part}`) && dtype === 'F32'
    const learned = [...tensors.values()].filter(isLearned)
    expect(learned.length).toBeGreaterThan(0)
    for (const tensor of learned) {
      const numbers = new Float32Array(tensor.bytes.slice().buffer)
      numbers[numbers.length - 1] = Number.NaN
      const damaged = { ...tensor, bytes: new Uint8Array(numbers.buffer) }
      const others = [...tensors.values()].filter((other) => other !== tensor)
      const file = writeSafetensors([...others, damaged], Object.fromEntries(metadata))
      expect(() => readPretrained(file)).toThrow(expect.objectContaining({ code: 'tensor_not_finite' }))
    }
  })

  it.each([
    ['a rollout of 2^27 steps', { rolloutSteps: 2 ** 27 }, /ask for \d+ MiB/],
    ['batches of 2^27 steps', { miniBatchSize: 2 ** 27 }, /ask for \d+ MiB/],
    ['no whole rollout', { rolloutSteps: -1 }, /rollout/],
  ])('is refused where its PPO describes %s', (_, options, message) => {
    const file = fileOf('ppo', choice, set, { hidden: [6], rolloutSteps: 8 })
    const changes = {
      base: { algorithm: 'ppo', preset: 'default', options: { hidden: [6], rolloutSteps: 8, ...options } },
    }
    expect(() => readPretrained(described(file, changes))).toThrow(message)
  })

  it.each(Object.entries(metaPresets))('of the preset %s may have room for ten times its steps', (_, preset) => {
    const base = { algorithm: 'ddpg', preset: 'default', options: small }
    const meta = { ...preset, maxSteps: 10 * preset.maxSteps }
    const refuse = (what: string): never => expect.fail(what)
    expect(learnedCounts({ base, meta, observation, action: box }, refuse).size).toBeGreaterThan(0)
  })

  it('is refused without its encoder', () => {
    const { tensors, metadata } = readSafetensors(fileOf('ddpg', box, set, small))
    const rest = [...tensors.values()].filter(({ name }) => !name.startsWith('learned.meta.'))
    expect(() => readPretrained(writeSafetensors(rest, Object.fromEntries(metadata)))).toThrow(
      expect.objectContaining({ code: 'tensor_missing' }),
    )
  })
})

function base(options: BaseLearnerChoice['options']): BaseLearnerChoice {
  return { algorithm: 'ddpg', preset: 'default', options: { ...small, ...options } }
}

function many(size: number): unknown {
  const of = (text: string): string[] => Array(size).fill(text)
  return { names: of(''), low: of('0'), high: of('1'), kind: 'box' }
}
