// A batch's sequences shared out among threads, whatever a host's threads are.
import type { BatchThreads, ThreadedGru } from '../batch-threads.js'
import type { Logger } from '../contracts.js'
import { ConfigError } from '../errors.js'
import type { GruBatch } from '../nn/gru.js'
import type { EncoderRequest } from './encoder-job.js'

/** A thread that does `encoderJob`. */
export interface EncoderThread {
  /** Requests are answered in their order. Rejects when the thread has failed. */
  finalStates(request: EncoderRequest): Promise<Float32Array>
  /** Stops it: what it has not answered rejects. */
  dispose(): void | Promise<void>
}

/** Multiply-adds from which threads pay: about two milliseconds of one, many times what the messages cost. */
const WORTH = 2e7

/**
 * Sequences that go through a GRU together: fewer than four share no weight that was loaded, and more than twenty leave the first-level
 * cache (assembly/nn/gemm.ts).
 */
const [LEAST_ROWS, MOST_ROWS] = [4, 20]

/** What `EncoderThreads` and `EncoderWorkers` are but for their threads. */
export class SharedEncoder implements BatchThreads {
  /** How many threads. */
  readonly size: number
  readonly #logger: Logger | undefined
  readonly #seats: readonly Seat[]
  #unused: string | undefined
  #isWarned = false

  /** @param start  makes a thread, when there is work for it. @throws {ConfigError} `config_invalid` */
  constructor(size: number, start: () => EncoderThread, logger: Logger | undefined) {
    if (!Number.isInteger(size) || size < 1) {
      throw new ConfigError('config_invalid', `encoder threads: size must be a whole number >= 1, got ${size}`)
    }
    this.size = size
    this.#logger = logger
    this.#seats = Array.from({ length: size }, () => new Seat(start))
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
    await Promise.all(this.#seats.map((seat) => seat.dispose()))
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
      this.#seats.map(async (seat) => {
        while (next < N) {
          const first = next
          next = Math.min(N, first + rows)
          const batch = batchOf(sequences.slice(first, next), inputSize)
          const size = batch.batch * H
          const own = await seat.finalStates(gru, batch, units * size)
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

/** A thread from its first request on, and whose weights it holds. */
class Seat {
  readonly #start: () => EncoderThread
  #thread: EncoderThread | undefined
  #held: object | undefined

  constructor(start: () => EncoderThread) {
    this.#start = start
  }

  finalStates(gru: ThreadedGru, batch: GruBatch, wanted: number): Promise<Float32Array> {
    this.#thread ??= this.#start()
    if (this.#held === gru.revision) return this.#thread.finalStates({ batch, wanted })
    this.#held = gru.revision
    const { inputSize, hiddenSize, layers, maxSteps, build } = gru
    const options = { inputSize, hiddenSize, layers, maxSteps, maxBatch: MOST_ROWS, bidirectional: true }
    return this.#thread.finalStates({ made: { build, options, parameters: gru.parameters() }, batch, wanted })
  }

  async dispose(): Promise<void> {
    await this.#thread?.dispose()
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
