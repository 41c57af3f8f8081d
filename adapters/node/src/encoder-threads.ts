import { availableParallelism } from 'node:os'
import type { Logger } from '@trimtab/core'
import { type EncoderRequest, type EncoderThread, SharedEncoder } from '@trimtab/core/internal'
import { WorkerPool } from './worker-pool.js'

/** How many threads, and who hears that they are given up. */
export interface EncoderThreadsOptions {
  /** Each has a core of its own and starts with the first batch that is worth it. Default: one for each CPU. */
  readonly size?: number
  /** Is told once, as a warning, when the threads are given up. */
  readonly logger?: Logger
}

/** The job of encoder-jobs.js. */
interface Jobs {
  readonly finalStates: (request: EncoderRequest) => Promise<Float32Array>
}

/**
 * Threads for the embeddings of `createCore({ threads })`: `MetaLearner.embedMany` shares a batch's sequences out among them, and the thread
 * that calls stays free meanwhile. One thread or many, or none: the same bits. Sequences travel by message, weights only when they have
 * changed, so that nothing need be shared. A thread that fails, a host without threads, `dispose` during a call: the core computes that call
 * and all that follow, and the logger is warned once. On Node, Deno and Bun; idle threads do not keep the process alive. Browsers have
 * `EncoderWorkers` of `@trimtab/core/threads`.
 *
 * @example
 * const threads = new EncoderThreads({ size: 2 })
 * const core = await createCore({ threads })
 * const embeddings = await meta.embedMany(pairs) // of a meta learner made with that core
 * await threads.dispose()
 */
export class EncoderThreads extends SharedEncoder {
  /** @throws {ConfigError} `config_invalid` */
  constructor({ size = availableParallelism(), logger }: EncoderThreadsOptions = {}) {
    super(size, startThread, logger)
  }
}

/** A pool of one keeps its GRU: jobs of a larger one go to whichever worker is free. */
function startThread(): EncoderThread {
  const pool = new WorkerPool<Jobs>({ module: new URL('../encoder-jobs.js', import.meta.url), size: 1 })
  return { finalStates: (request) => pool.run('finalStates', request), dispose: () => pool.dispose() }
}
