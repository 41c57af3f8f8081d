import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { AdapterError, ConfigError } from '@trimtab/core'
import { type ErrorDescription, toError } from './job-error.js'

/** The names of a module's functions: its jobs. */
export type JobName<Jobs> = {
  [Name in keyof Jobs]: Jobs[Name] extends (...parameters: never[]) => unknown ? Name : never
}[keyof Jobs] &
  string

/** What a job of a module takes: the type of its first parameter. */
export type JobInput<Job> = Job extends (input: infer Input, ...rest: never[]) => unknown ? Input : never

/** What a job comes to: its result, awaited. */
export type JobOutput<Job> = Job extends (...parameters: never[]) => infer Output ? Awaited<Output> : never

/** Which jobs a pool has, and how many workers. */
export interface WorkerPoolOptions {
  /** The module whose exported functions are the jobs: `new URL('./jobs.js', import.meta.url)`. Each worker imports it once. */
  readonly module: URL
  /** Workers, started when there is work for them; default: one for each CPU. */
  readonly size?: number
}

/** How one job is watched and stopped. */
export interface RunOptions {
  /** Takes a waiting job out of the queue; a running one is stopped together with its worker, which is replaced. */
  readonly signal?: AbortSignal
  /** Called with each value that the job passes to its second parameter. */
  readonly onProgress?: (progress: unknown) => void
}

/** How a list of jobs is watched and stopped. */
export interface MapOptions {
  readonly signal?: AbortSignal
  /** Called with each value that a job reports, and the place of its input in the list. */
  readonly onProgress?: (progress: unknown, index: number) => void
}

type Message = { id: number } & ({ progress: unknown } | { output: unknown } | { error: ErrorDescription })

interface Task {
  readonly id: number
  readonly job: string
  readonly input: unknown
  readonly onProgress: ((progress: unknown) => void) | undefined
  /** Either settles the promise once; later calls do nothing. */
  readonly resolve: (output: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Seat {
  readonly worker: Worker
  task: Task | undefined
}

/**
 * Runs the exported functions of a module in worker threads, the same on Node, Deno and Bun.
 *
 * A job is `(input, report) => output`, sync or async; input, output and what it reports must be cloneable. Jobs share nothing, so
 * that results do not depend on the number of workers. A job that throws rejects with the same message, code and cause; one
 * that takes its worker down rejects with `worker_crashed`, and the worker is replaced. An idle pool does not keep the process alive.
 *
 * @example
 * const pool = new WorkerPool<typeof import('./jobs.js')>({ module: new URL('./jobs.js', import.meta.url) })
 * const results = await pool.map('evaluate', seeds.map((seed) => ({ seed })))
 * await pool.dispose()
 */
export class WorkerPool<Jobs = Record<string, (input: unknown) => unknown>> {
  readonly size: number
  readonly #module: URL
  readonly #seats = new Set<Seat>()
  readonly #queue: Task[] = []
  readonly #watched = new Map<AbortSignal, { readonly tasks: Set<Task>; readonly abort: () => void }>()
  #nextId = 0
  #isDisposed = false

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WorkerPoolOptions) {
    const { module, size = availableParallelism() } = options
    if (!Number.isInteger(size) || size < 1) {
      throw new ConfigError('config_invalid', `worker pool: size must be a whole number >= 1, got ${size}`)
    }
    this.#module = module
    this.size = size
  }

  /**
   * Runs one job as soon as a worker is free.
   *
   * @throws {TrimtabError} what the job threw, with its name, code, stack and cause; `job_unknown`, `job_not_cloneable`
   * @throws {AdapterError} `worker_crashed`, `worker_pool_disposed`; the signal's reason
   */
  run<Name extends JobName<Jobs>>(
    job: Name,
    input: JobInput<Jobs[Name]>,
    options: RunOptions = {},
  ): Promise<JobOutput<Jobs[Name]>> {
    const { signal, onProgress } = options
    return new Promise((resolve, reject) => {
      if (this.#isDisposed) throw disposedError()
      signal?.throwIfAborted()
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          this.#unwatch(signal, task)
          then(value)
        }
      const task: Task = {
        id: this.#nextId++,
        job,
        input,
        onProgress,
        resolve: settle(resolve as (output: unknown) => void),
        reject: settle(reject),
      }
      this.#watch(signal, task)
      this.#queue.push(task)
      this.#dispatch()
    })
  }

  /** Runs a job for each input and returns the outputs in the order of the inputs. The first failure stops the rest. */
  async map<Name extends JobName<Jobs>>(
    job: Name,
    inputs: readonly JobInput<Jobs[Name]>[],
    options: MapOptions = {},
  ): Promise<JobOutput<Jobs[Name]>[]> {
    const { signal, onProgress } = options
    const rest = new AbortController()
    const stop = () => rest.abort(signal?.reason)
    signal?.throwIfAborted()
    signal?.addEventListener('abort', stop)
    try {
      return await Promise.all(
        inputs.map((input, index) =>
          this.run(job, input, {
            signal: rest.signal,
            ...(onProgress && { onProgress: (progress) => onProgress(progress, index) }),
          }),
        ),
      )
    } catch (error) {
      rest.abort(error)
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Stops everything: waiting and running jobs reject with `worker_pool_disposed`. Resolves when all workers are gone. */
  async dispose(): Promise<void> {
    this.#isDisposed = true
    for (const task of this.#queue.splice(0)) task.reject(disposedError())
    await Promise.all([...this.#seats].map((seat) => this.#vacate(seat, disposedError())))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const seat = [...this.#seats].find(({ task }) => task === undefined) ?? this.#seatOne()
      if (seat === undefined) return
      this.#begin(seat, this.#queue.shift()!)
    }
  }

  #begin(seat: Seat, task: Task): void {
    try {
      seat.worker.postMessage({ id: task.id, job: task.job, input: task.input })
    } catch (cause) {
      const message = `the input of ${task.job} cannot be cloned: pass plain data, typed arrays, maps and sets`
      task.reject(new AdapterError('job_not_cloneable', message, { cause }))
      return
    }
    seat.task = task
    seat.worker.ref()
  }

  /** Starts another worker, unless there are enough. */
  #seatOne(): Seat | undefined {
    if (this.#seats.size >= this.size) return undefined
    const worker = new Worker(new URL('../worker.js', import.meta.url), { workerData: { module: this.#module.href } })
    const seat: Seat = { worker, task: undefined }
    this.#seats.add(seat)
    worker.on('message', (message: Message) => this.#hear(seat, message))
    worker.on('messageerror', (cause) => this.#crash(seat, 'sent what cannot be read', cause))
    worker.on('error', (cause) => this.#crash(seat, 'threw outside a job', cause))
    worker.on('exit', (code) => this.#crash(seat, `exited with code ${code}`))
    worker.unref() // after the listeners, which make it hold the process
    return seat
  }

  #hear(seat: Seat, message: Message): void {
    const { task } = seat
    if (task === undefined || task.id !== message.id) return
    if ('progress' in message) {
      this.#report(task, message.progress)
      return
    }
    seat.task = undefined
    seat.worker.unref()
    if ('output' in message) task.resolve(message.output)
    else task.reject(toError(message.error))
    this.#dispatch()
  }

  /** A listener that throws fails its own job, not the process. */
  #report(task: Task, progress: unknown): void {
    try {
      task.onProgress?.(progress)
    } catch (error) {
      this.#cancel([task], error)
    }
  }

  #crash(seat: Seat, what: string, cause?: unknown): void {
    const job = seat.task === undefined ? '' : ` while it ran ${seat.task.job}`
    void this.#vacate(seat, new AdapterError('worker_crashed', `a worker ${what}${job}`, { cause }))
    this.#dispatch()
  }

  /** Waiting jobs leave the queue before running ones leave room for them. */
  #cancel(tasks: readonly Task[], reason: unknown): void {
    for (const task of tasks) {
      const waiting = this.#queue.indexOf(task)
      if (waiting >= 0) this.#queue.splice(waiting, 1)
      task.reject(reason)
    }
    for (const seat of this.#seats) {
      if (seat.task !== undefined && tasks.includes(seat.task)) void this.#vacate(seat, reason)
    }
    this.#dispatch()
  }

  /** One listener for each signal, whatever the number of its jobs. */
  #watch(signal: AbortSignal | undefined, task: Task): void {
    if (signal === undefined) return
    const watched = this.#watched.get(signal)
    if (watched !== undefined) {
      watched.tasks.add(task)
      return
    }
    const tasks = new Set([task])
    const abort = () => this.#cancel([...tasks], signal.reason)
    this.#watched.set(signal, { tasks, abort })
    signal.addEventListener('abort', abort)
  }

  #unwatch(signal: AbortSignal | undefined, task: Task): void {
    const watched = signal && this.#watched.get(signal)
    if (signal === undefined || watched === undefined) return
    watched.tasks.delete(task)
    if (watched.tasks.size > 0) return
    this.#watched.delete(signal)
    signal.removeEventListener('abort', watched.abort)
  }

  /** Stops a worker; the job it ran, if any, rejects. */
  async #vacate(seat: Seat, reason: unknown): Promise<void> {
    if (!this.#seats.delete(seat)) return
    const { task } = seat
    seat.task = undefined
    task?.reject(reason)
    await seat.worker.terminate()
  }
}

function disposedError(): AdapterError {
  return new AdapterError('worker_pool_disposed', 'the worker pool was disposed; make a new one')
}
