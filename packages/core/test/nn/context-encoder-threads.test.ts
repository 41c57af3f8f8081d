import { describe, expect, it } from 'vitest'
import { type BatchThreads, type Core, createCore, Gru, type ThreadedGru } from '../../src/index.js'
import { ContextEncoder, type ContextEncoderOptions } from '../../src/internal.js'
import { contextOf, ENCODER, encodeOn } from '../webgpu/batches.js'

const plain = await createCore()
const contexts = [[3, 9], [], [1], [9, 9, 2, 4]].map((lengths, g) => contextOf(plain, lengths, 5, g))

/** Threads as they should be, on this one: each sequence alone, last sequence first. */
class Sequential implements BatchThreads {
  readonly asked: ThreadedGru[] = []
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  async finalStates(gru: ThreadedGru, sequences: readonly Float32Array[]): Promise<Float32Array> {
    this.asked.push(gru)
    const { units, hiddenSize: H, inputSize } = gru
    using own = new Gru(this.#core, { ...gru, bidirectional: true })
    own.setParameters(gru.parameters())
    const states = new Float32Array(units * sequences.length * H)
    const alone = new Float32Array(own.units * H)
    for (let i = sequences.length - 1; i >= 0; i--) {
      const x = sequences[i]!
      own.forward({ x, batch: 1, steps: x.length / inputSize }, alone)
      const pooled = alone.subarray(alone.length - units * H)
      for (let unit = 0; unit < units; unit++)
        states.set(pooled.subarray(unit * H, (unit + 1) * H), (unit * sequences.length + i) * H)
    }
    return states
  }
}

const SHAPES: Record<string, Partial<ContextEncoderOptions>> = {
  'two layers': {},
  'one layer': { layers: 1 },
  'the states of all layers': { allHidden: true, layers: 3 },
  'a width that is padded': { hiddenSize: 11, activation: 'tanh' },
}

describe('a batch on threads', () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    for (const maxContexts of [1, 3, 8]) {
      it(`has the bits of the core alone: ${name}, ${maxContexts} contexts at a time`, async () => {
        const threads = new Sequential(plain)
        const options = { ...ENCODER, ...shape, maxContexts }
        const found = await encodeOn(await createCore({ threads }), options, contexts)
        expect(found).toEqual(await encodeOn(plain, options, contexts))
        expect(threads.asked.length).toBe(1)
      })
    }
  }

  it('names its weights anew only when they may have changed', async () => {
    const threads = new Sequential(plain)
    using encoder = new ContextEncoder(await createCore({ threads }), { ...ENCODER, maxContexts: 4, learningRate: 0.1 })
    const z = new Float32Array(contexts.length * encoder.embeddingSize)
    const revisionAfter = async (change: () => void): Promise<object> => {
      change()
      await encoder.encodeMany(contexts, z)
      return threads.asked.at(-1)!.revision
    }
    const first = await revisionAfter(() => {})
    expect(await revisionAfter(() => encoder.encode([contexts[0]!], new Float32Array(4)))).toBe(first)
    const changes = [
      () => encoder.learn(contexts, z),
      () => encoder.setParameters(encoder.parameters()),
      () => encoder.setLearned(encoder.learned()),
      () => encoder.load(encoder.save()),
    ]
    const revisions = [first]
    for (const change of changes) revisions.push(await revisionAfter(change))
    expect(new Set(revisions).size).toBe(revisions.length)
  })

  it('is computed here where they leave it', async () => {
    const threads: BatchThreads = { finalStates: async () => undefined }
    expect(await encodeOn(await createCore({ threads }), ENCODER, contexts)).toEqual(
      await encodeOn(plain, ENCODER, contexts),
    )
  })

  it('is never a set encoder’s: its steps are too little work', async () => {
    const threads = new Sequential(plain)
    await encodeOn(await createCore({ threads }), { ...ENCODER, kind: 'set' }, contexts)
    expect(threads.asked).toEqual([])
  })

  it('asks for threads that can compute', async () => {
    for (const threads of [2, {}, null])
      await expect(createCore({ threads: threads as never })).rejects.toMatchObject({ code: 'config_invalid' })
  })
})
