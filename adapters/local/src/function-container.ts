import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Clock } from '@trimtab/core'
import type { JsonObject } from '@trimtab/openwhisk/server'
import { Child } from './child.js'
import { LogSplitter } from './log-splitter.js'
import { CONTAINER_PROGRAM } from './programs.js'

/** Where a function's code is: a module or script on disk, or its text. */
export type FunctionSource = { readonly file: string } | { readonly code: string }

/** What a container is made of. */
export interface ContainerOptions {
  readonly source: FunctionSource
  /** One that holds more is killed. Looked at ten times a second, so that a fast one gets beyond it for a moment. */
  readonly memoryMiB: number
  /** 0 … 19: below the platform's own priority, where the system lets it be set. */
  readonly niceness?: number
  /** One whose function is not there after so long is killed. */
  readonly startTimeoutMs: number
  readonly clock: Clock
}

/** What became of a call. Where there is neither result nor message, the process is gone: by itself (`exit`), or it was killed. */
export type CallEnd =
  | { readonly how: 'result'; readonly result: JsonObject; readonly cpuMs: number }
  | { readonly how: 'thrown'; readonly message: string; readonly cpuMs: number }
  | { readonly how: Ended }

/** What ended a process. */
type Ended = 'memory' | 'timeout' | 'stopped' | 'exit'

/** How a call is watched: what it writes, line by line, and how long it may take. */
export interface FunctionCallOptions {
  readonly timeoutMs: number
  /** Told each line that the call writes; some may come after its answer. */
  readonly onLog: (stream: 'stdout' | 'stderr', line: string) => void
}

type Message =
  | { readonly ready: true }
  | { readonly failed: string }
  | { readonly result: JsonObject; readonly cpuMs: number }
  | { readonly thrown: string; readonly cpuMs: number }

const MIB = 2 ** 20

/**
 * One function in a process of its own that runs one call at a time. It dies with the process that started it, however that ends: a
 * thread in it watches the lifeline, whatever the function does. Stopping takes the whole process group.
 */
export class FunctionContainer {
  readonly startedAt: number
  /** Resolves when calls may come; rejects with what the code said, or when the process ended before. */
  readonly ready: Promise<void>
  /** Resolves when the process is gone, whatever ended it. */
  readonly gone: Promise<void>
  readonly #child: Child<Message>
  readonly #logs: readonly LogSplitter[]
  readonly #mostMiB: number
  #endedBy: Ended = 'exit'
  #finish: ((end: CallEnd) => void) | undefined
  #memoryBytes = Number.NaN
  #cpuMs = 0

  constructor({ source, memoryMiB, niceness = 0, startTimeoutMs, clock }: ContainerOptions) {
    this.#mostMiB = memoryMiB
    this.startedAt = clock.now()
    let [serve, fail] = [() => {}, (_: Error) => {}]
    this.ready = new Promise((resolve, reject) => {
      serve = resolve
      fail = reject
    })
    this.#child = new Child({
      ...{ name: 'a container', program: CONTAINER_PROGRAM, niceness, hasLifeline: true },
      execArgv: [`--max-old-space-size=${memoryMiB}`],
      onMessage: (message) => {
        if ('ready' in message) serve()
        else if ('failed' in message) fail(new Error(message.failed))
        else if ('result' in message) this.#answer({ how: 'result', ...message })
        else this.#answer({ how: 'thrown', message: message.thrown, cpuMs: message.cpuMs })
      },
    })
    this.gone = this.#child.gone.then((signal) => {
      if (signal === 'SIGABRT') this.#endedBy = 'memory' // V8's own word for a heap that is full
      fail(new Error(`the process ended before the function was there (${this.#endedBy})`))
    })
    const timer = setTimeout(() => this.#kill('timeout'), startTimeoutMs)
    const startIsOver = () => clearTimeout(timer)
    this.ready.then(startIsOver, startIsOver) // who waits for it hears why
    this.gone.then(() => this.#answer({ how: this.#endedBy }))
    const { isStarted, output } = this.#child
    const endOfLog = randomUUID() // no function knows it
    this.#logs = isStarted ? output.map((stream) => new LogSplitter(stream, endOfLog)) : []
    if (!isStarted) return
    this.#watch(this.#child.lifeline)
    this.#child.send({ source, endOfLog })
  }

  /** `undefined`: the system could not start it. */
  get pid(): number | undefined {
    return this.#child.isStarted ? this.#child.pid : undefined
  }

  /** What it held when it last told; NaN: it has not yet. */
  get memoryMiB(): number {
    return this.#memoryBytes / MIB
  }

  /** CPU time since its start. */
  get cpuMs(): number {
    return this.#cpuMs
  }

  /** Runs the function once; only when `ready`, and never two at once. */
  call(params: JsonObject, { timeoutMs, onLog }: FunctionCallOptions): Promise<CallEnd> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#kill('timeout'), timeoutMs)
      this.#finish = (end) => {
        clearTimeout(timer)
        this.#finish = undefined
        resolve(end)
      }
      const [out, err] = this.#logs
      out?.expect((line) => onLog('stdout', line))
      err?.expect((line) => onLog('stderr', line))
      this.#child.send({ params }, () => this.#kill('exit'))
    })
  }

  /** Ends it at once, a call that runs included. May be called twice. */
  async stop(): Promise<void> {
    this.#kill('stopped')
    await this.gone
  }

  #answer(end: CallEnd): void {
    this.#finish?.(end)
  }

  #watch(lifeline: Readable): void {
    lifeline.on('error', () => {}) // it ends with the process
    let rest = ''
    lifeline.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      const [memoryBytes, cpuUs] = (lines.at(-1) ?? '').split(' ').map(Number)
      if (cpuUs === undefined) return
      this.#memoryBytes = memoryBytes!
      this.#cpuMs = cpuUs / 1000
      if (this.memoryMiB > this.#mostMiB) this.#kill('memory')
    })
  }

  #kill(reason: Ended): void {
    if (this.#child.kill()) this.#endedBy = reason
  }
}
