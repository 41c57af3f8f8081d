import type { Worker } from 'node:worker_threads'
import { type BatchThreads, createCore, type Logger, Random } from '@trimtab/core'
import { type Context, ContextEncoder, type ContextEncoderOptions } from '@trimtab/core/internal'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EncoderThreads } from '../src/index.js'

/** The workers that were started, and whether this host has any. */
const host = vi.hoisted(() => ({ hasThreads: true, workers: [] as Worker[] }))
vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof import('node:worker_threads')>()
  class Watched extends real.Worker {
    constructor(...[file, options]: ConstructorParameters<typeof real.Worker>) {
      if (!host.hasThreads) throw new Error('this host has no threads')
      super(file, { ...options, execArgv: [] }) // not vitest's, by which packages are found as sources
      host.workers.push(this)
    }
  }
  return { ...real, Worker: Watched }
})

const ENCODER: ContextEncoderOptions = {
  ...{ kind: 'gru', inputSize: 5, hiddenSize: 33, dense: [7, 4], learningRate: 0.1, seed: 3 },
  ...{ maxContexts: 2, maxSequences: 24, maxSteps: 100 },
}

const plain = await createCore()

/** So many sequences of 40 to 100 steps. */
function contextOf(sequences: number, seed: number): Context {
  using random = new Random(plain, seed)
  const lengths = Int32Array.from({ length: sequences }, () => 40 + random.integer(61))
  return { lengths, steps: Float32Array.from({ length: sequences * 100 * ENCODER.inputSize }, () => random.normal()) }
}

const contexts = [24, 0, 1, 17].map(contextOf)

/** Embeddings before and after the encoder has learned. */
async function embed(threads?: BatchThreads, during?: () => unknown): Promise<Float32Array[]> {
  using encoder = new ContextEncoder(await createCore(threads && { threads }), ENCODER)
  const [first, second] = Array.from({ length: 2 }, () => new Float32Array(contexts.length * encoder.embeddingSize))
  const answer = encoder.encodeMany(contexts, first!)
  await during?.()
  await answer
  encoder.learn(contexts.slice(0, 2), first!.subarray(0, 2 * encoder.embeddingSize))
  await encoder.encodeMany(contexts, second!)
  return [first!, second!]
}
const wanted = await embed()

function loggerOf(): { logger: Logger; warnings: string[] } {
  const warnings: string[] = []
  const warn = (message: string): number => warnings.push(message)
  return { logger: { debug() {}, info() {}, warn, error() {} }, warnings }
}

afterEach(() => {
  host.hasThreads = true
  host.workers = []
})

describe('EncoderThreads', () => {
  it.each([1, 2, 3])('%i: the same bits as without, also after learning', async (size) => {
    await using threads = new EncoderThreads({ size })
    expect(await embed(threads)).toEqual(wanted)
    expect(threads.unused).toBe(undefined)
    expect(host.workers.length).toBe(size)
  })

  it('start for no batch that is less work than their messages', async () => {
    await using threads = new EncoderThreads({ size: 2 })
    using encoder = new ContextEncoder(await createCore({ threads }), ENCODER)
    await encoder.encodeMany([contexts[2]!], new Float32Array(4))
    expect(host.workers).toEqual([])
  })

  it('serve two encoders at once', async () => {
    await using threads = new EncoderThreads({ size: 2 })
    expect(await Promise.all([embed(threads), embed(threads)])).toEqual([wanted, wanted])
    expect(threads.unused).toBe(undefined)
  })

  /** The core answers in the same call and in the next, with the same bits; the warning comes once. */
  async function expectFallback(reason: RegExp, during?: (threads: EncoderThreads) => unknown): Promise<void> {
    const { logger, warnings } = loggerOf()
    await using threads = new EncoderThreads({ size: 2, logger })
    expect(await embed(threads, () => during?.(threads))).toEqual(wanted)
    expect(warnings).toEqual([expect.stringMatching(reason)])
    expect(threads.unused).toMatch(reason)
  }

  it('leave everything to the core where a thread dies during a call', () =>
    expectFallback(/a worker exited/, () => host.workers[1]!.terminate()))

  it('leave everything to the core when they are disposed of during a call', () =>
    expectFallback(/disposed of/, (threads) => threads.dispose()))

  it('leave everything to the core where the host has no threads', async () => {
    host.hasThreads = false
    await expectFallback(/no threads/)
  })

  it('are one or more', () => {
    for (const size of [0, 1.5]) expect(() => new EncoderThreads({ size })).toThrow(/size must be a whole number >= 1/)
  })
})
