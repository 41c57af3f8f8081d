import { availableParallelism } from 'node:os'
import {
  type BatchThreads,
  ConfigError,
  type GruBatch,
  type GruOptions,
  type Logger,
  type ThreadedGru,
} from '@trimtab/core'
import { WorkerPool } from './worker-pool.js'

/** How many threads, and who hears that they are given up. */
export interface EncoderThreadsOptions {
  /** Each has a core of its own and starts with the first batch that is worth it. Default: one for each CPU. */
  readonly size?: number
  /** Is told once, as a warning, when the threads are given up. */
  readonly logger?: Logger
}

/** Multiply-adds from which threads pay: about two milliseconds of one, many times what the messages cost. */
const WORTH = 2e7

/**
 * Sequences that go through a GRU together: fewer than four share no weight that was loaded, and more than twenty leave the first-level
 * cache (assembly/nn/gemm.ts).
 */
const [LEAST_ROWS, MOST_ROWS] = [4, 20]

/** The job of encoder-jobs.js. */
interface Jobs {
  readonly finalStates: (input: {
    readonly made?: { readonly build: string; readonly options: GruOptions; readonly parameters: Float32Array }
    readonly batch: GruBatch
    readonly wanted: number
  }) => Promise<Float32Array>
}

/**
 * Threads for the embeddings of `createCore({ threads })`: `MetaLearner.embedMany` shares a batch's sequences out among them, and the thread
 * that calls stays free meanwhile. One thread or many, or none: the same bits. Sequences travel by message, weights only when they have
 * changed, so that nothing need be shared. A thread that fails, a host without threads, `dispose` during a call: the core computes that call
 * and all that follow, and the logger is warned once. On Node, Deno and Bun; idle threads do not keep the process alive.
 *
 * @example
 * const threads = new EncoderThreads({ size: 2 })
 * const core = await createCore({ threads })
 * const embeddings = await meta.embedMany(pairs) // of a meta learner made with that core
 * await threads.dispose()
 */
export class EncoderThreads implements BatchThreads {
  readonly size: number
  readonly #logger: Logger | undefined
  readonly #threads: readonly EncoderThread[]
  #unused: string | undefined
  #isWarned = false

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: EncoderThreadsOptions = {}) {
    const { size = availableParallelism(), logger } = options
    if (!Number.isInteger(size) || size < 1) {
      throw new ConfigError('config_invalid', `encoder threads: size must be a whole number >= 1, got ${size}`)
    }
    this.size = size
    this.#logger = logger
    this.#threads = Array.from({ length: size }, () => new EncoderThread())
  }

  /** Why the core computes everything from now on; undefined while threads take batches. */
  get unused(): string | undefined {
    return this.#unused
  }

  /** What the core asks: see `BatchThreads`. */
  async finalStates(gru: ThreadedGru, sequences: readonly Float32Array[]): Promise<Float32Array | undefined> {
    if (workOf(gru, sequences) < WORTH) return undefined
    try {
      if (this.#unused === undefined) return await this.#share(gru, sequences)
    } catch (cause) {
      this.#giveUp(cause instanceof Error ? cause.message : String(cause))
    }
    if (!this.#isWarned)
      this.#logger?.warn(`encoder threads are not used any more (${this.#unused}): the thread that asks computes`)
    this.#isWarned = true
    return undefined
  }

  /** Stops the threads; what they compute, the core computes instead. May be called twice. */
  async dispose(): Promise<void> {
    this.#unused ??= 'they were disposed of'
    await Promise.all(this.#threads.map((thread) => thread.dispose()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  /** Each thread takes the next few sequences until there are none: a slow one takes fewer. */
  async #share(gru: ThreadedGru, sequences: readonly Float32Array[]): Promise<Float32Array> {
    const { units, inputSize, hiddenSize: H } = gru
    const N = sequences.length
    const states = new Float32Array(units * N * H)
    const rows = rowsOfShare(N, this.size)
    let next = 0
    await Promise.all(
      this.#threads.map(async (thread) => {
        while (next < N) {
          const first = next
          next = Math.min(N, first + rows)
          const batch = batchOf(sequences.slice(first, next), inputSize)
          const size = batch.batch * H
          const own = await thread.finalStates(gru, batch, units * size)
          for (let unit = 0; unit < units; unit++)
            states.set(own.subarray(unit * size, (unit + 1) * size), (unit * N + first) * H)
        }
      }),
    )
    return states
  }

  #giveUp(reason: string): void {
    this.#unused ??= reason
    void this.dispose()
  }
}

/** A worker and whose weights it holds. */
class EncoderThread {
  // A pool of one keeps its GRU: jobs of a larger one go to whichever worker is free.
  readonly #pool = new WorkerPool<Jobs>({ module: new URL('../encoder-jobs.js', import.meta.url), size: 1 })
  #held: object | undefined

  finalStates(gru: ThreadedGru, batch: GruBatch, wanted: number): Promise<Float32Array> {
    if (this.#held === gru.revision) return this.#pool.run('finalStates', { batch, wanted })
    this.#held = gru.revision
    const { inputSize, hiddenSize, layers, maxSteps, build } = gru
    const options = { inputSize, hiddenSize, layers, maxSteps, maxBatch: MOST_ROWS, bidirectional: true }
    return this.#pool.run('finalStates', { made: { build, options, parameters: gru.parameters() }, batch, wanted })
  }

  dispose(): Promise<void> {
    return this.#pool.dispose()
  }
}

/** Multiply-adds. */
function workOf({ inputSize, hiddenSize: H, layers }: ThreadedGru, sequences: readonly Float32Array[]): number {
  const steps = sequences.reduce((sum, { length }) => sum + length, 0) / inputSize
  const inputs = inputSize + (layers - 1) * 2 * H // of all layers
  return steps * 2 * 3 * H * (inputs + layers * H)
}

/** As many shares as threads, or so many times as many that none has more than MOST_ROWS. */
function rowsOfShare(sequences: number, threads: number): number {
  const rounds = Math.ceil(sequences / (threads * MOST_ROWS))
  return Math.max(LEAST_ROWS, Math.ceil(sequences / (threads * rounds)))
}

/** Sequences of their own lengths, padded to the longest. */
function batchOf(sequences: readonly Float32Array[], inputSize: number): GruBatch {
  const lengths = Int32Array.from(sequences, ({ length }) => length / inputSize)
  const steps = Math.max(...lengths)
  const x = new Float32Array(sequences.length * steps * inputSize)
  for (const [i, sequence] of sequences.entries()) x.set(sequence, i * steps * inputSize)
  return { x, batch: sequences.length, steps, lengths }
}
