// Web Workers as the threads of an encoder: the side of the page, and the side of the worker.
import type { Logger } from '../contracts.js'
import { type EncoderRequest, encoderJob } from './encoder-job.js'
import { type EncoderThread, SharedEncoder } from './shared-encoder.js'

/** Where messages come from and go to: what a Web Worker and its global scope have in common. */
export interface EncoderScope {
  /** Sends, and hands over what is listed. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Calls back with each message. */
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** What is asked of a Web Worker. */
export interface EncoderWorker extends EncoderScope {
  /** Calls back with each message, and when the script fails, cannot be loaded or sends what cannot be read. */
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error' | 'messageerror', listener: (event: object) => void): void
  /** Stops it at once. */
  terminate(): void
}

/** Which workers, how many, and who hears that they are given up. */
export interface EncoderWorkersOptions {
  /** Starts one whose script calls `serveEncoder()`: bundlers find it by `new URL` in `new Worker`. Called with the first batches that are worth it. */
  readonly worker: () => EncoderWorker
  /** Default: one for each CPU that the browser tells of, or two. */
  readonly size?: number
  /** Is told once, as a warning, when the workers are given up. */
  readonly logger?: Logger
}

/** What goes there and comes back. The first message of a worker says that it is there. */
interface Question {
  readonly id: number
  readonly request: EncoderRequest
}
type Answer =
  | { readonly ready: true }
  | { readonly id: number; readonly states: Float32Array }
  | { readonly id: number; readonly error: string }

interface Settle<T> {
  resolve(value: T): void
  reject(cause: Error): void
}

/** A worker that has not begun to serve by then never will. */
const START_MS = 10_000

/**
 * Web Workers for the embeddings of `createCore({ threads })`, as `EncoderThreads` of `@trimtab/node` are: sequences are shared out, one worker
 * or many or none give the same bits, and the page stays free meanwhile. By message: the page need not be isolated. A worker that fails or does not
 * serve within ten seconds, and `dispose` during a call: the core computes that call and all that follow, and the logger is warned once.
 *
 * @example
 * // encoder-worker.js: import { serveEncoder } from 'trimtab/threads'; serveEncoder()
 * const worker = () => new Worker(new URL('./encoder-worker.js', import.meta.url), { type: 'module' })
 * const core = await createCore({ threads: new EncoderWorkers({ worker }) })
 * const embeddings = await meta.embedMany(pairs) // of a meta learner made with that core
 */
export class EncoderWorkers extends SharedEncoder {
  /** @throws {ConfigError} `config_invalid` */
  constructor({ worker, size = navigator.hardwareConcurrency ?? 2, logger }: EncoderWorkersOptions) {
    super(size, () => new WorkerThread(worker()), logger)
  }
}

/** The side of the page. */
class WorkerThread implements EncoderThread {
  readonly #worker: EncoderWorker
  /** Whoever waits for an answer, by the number of the question. */
  readonly #waiting = new Map<number, Settle<Float32Array>>()
  readonly #ready: Promise<void>
  #begun!: Settle<void>
  readonly #clock: ReturnType<typeof setTimeout>
  #failed: Error | undefined
  #asked = 0

  constructor(worker: EncoderWorker) {
    this.#worker = worker
    this.#ready = new Promise((resolve, reject) => {
      this.#begun = { resolve, reject }
    })
    this.#ready.catch(() => {}) // whoever asks hears of it
    const fail = (message: string): void => this.#fail(new Error(message))
    this.#clock = setTimeout(
      () => fail(`a worker did not serve within ${START_MS / 1000} s: does its script call serveEncoder()?`),
      START_MS,
    )
    worker.addEventListener('message', ({ data }) => this.#hear(data as Answer))
    worker.addEventListener('error', (event) =>
      fail(`a worker failed: ${('message' in event && event.message) || 'its script could not be loaded'}`),
    )
    worker.addEventListener('messageerror', () => fail('a worker sent what cannot be read'))
  }

  async finalStates(request: EncoderRequest): Promise<Float32Array> {
    await this.#ready
    if (this.#failed) throw this.#failed // meanwhile: nobody would answer
    return new Promise((resolve, reject) => {
      const id = this.#asked++
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, request } satisfies Question, [request.batch.x.buffer as ArrayBuffer])
    })
  }

  dispose(): void {
    this.#fail(new Error('the worker was disposed of'))
    this.#worker.terminate()
  }

  #hear(answer: Answer): void {
    if ('ready' in answer) {
      clearTimeout(this.#clock)
      this.#begun.resolve()
      return
    }
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('states' in answer) waiting?.resolve(answer.states)
    else waiting?.reject(new Error(answer.error))
  }

  #fail(cause: Error): void {
    this.#failed ??= cause
    clearTimeout(this.#clock)
    this.#begun.reject(cause)
    for (const { reject } of this.#waiting.values()) reject(cause)
    this.#waiting.clear()
  }
}

/**
 * The side of the worker: all that its script needs to call.
 * @param scope  whose messages are answered; the worker's own unless told
 */
export function serveEncoder(scope: EncoderScope = globalThis as unknown as EncoderScope): void {
  const finalStates = encoderJob()
  let last: Promise<void> = Promise.resolve()
  const answer = async ({ id, request }: Question): Promise<void> => {
    try {
      const states = await finalStates(request)
      scope.postMessage({ id, states } satisfies Answer, [states.buffer])
    } catch (cause) {
      scope.postMessage({ id, error: cause instanceof Error ? cause.message : String(cause) } satisfies Answer, [])
    }
  }
  scope.addEventListener('message', ({ data }) => {
    last = last.then(() => answer(data as Question))
  })
  scope.postMessage({ ready: true } satisfies Answer, [])
}
