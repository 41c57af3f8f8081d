import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { AdapterError } from '@trimtab/core'
import { setNiceness } from './priority.js'

/** What runs, how it ranks, and who hears of it. */
export interface ChildOptions<Message extends object> {
  /** For messages. */
  readonly name: string
  readonly program: string
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[]
  /** Against this process; below 0 goes first, where the system allows it. */
  readonly niceness: number
  /** Options of Node. Default: none. */
  readonly execArgv?: readonly string[]
  /** Whether it has one; see `lifeline`. Default false. */
  readonly hasLifeline?: boolean
  readonly onMessage: (message: Message) => void
}

/**
 * A program of ours in a process of its own: a session whose priority can be set, and that Ctrl-C leaves to its parent. What it has started
 * ends with it.
 */
export class Child<Message extends object> {
  /** Resolves when the process is gone and all that it wrote was read, whatever ended it, with the signal that did. */
  readonly gone: Promise<NodeJS.Signals | null>
  readonly #child: ChildProcess
  readonly #name: string

  constructor(options: ChildOptions<Message>) {
    const { name, program, args = [], niceness, execArgv = [], hasLifeline = false, onMessage } = options
    this.#name = name
    this.#child = fork(program, args, {
      ...{ detached: true, execArgv: [...execArgv] },
      stdio: ['ignore', 'pipe', 'pipe', ...(hasLifeline ? (['pipe'] as const) : []), 'ipc'],
    })
    const { pid } = this.#child
    this.gone = new Promise((resolve) => {
      this.#child.on('error', () => pid === undefined && resolve(null)) // the system has no process left to give
      this.#child.on('exit', () => killGroup(pid))
      this.#child.on('close', (_, signal) => resolve(signal))
    })
    this.#child.on('message', onMessage)
    if (pid !== undefined) setNiceness(pid, niceness)
  }

  /** Whether the system had a process to give. */
  get isStarted(): boolean {
    return this.#child.pid !== undefined
  }

  /** @throws {AdapterError} `process_missing` */
  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined)
      throw new AdapterError(
        'process_missing',
        `${this.#name}: the system gives no process: end others, or raise its limit`,
      )
    return pid
  }

  /** What it writes; of one that is started. */
  get output(): readonly [stdout: Readable, stderr: Readable] {
    return [this.#child.stdout!, this.#child.stderr!]
  }

  /** A pipe beside those, its descriptor 3, for what is told whatever its event loop does. */
  get lifeline(): Readable {
    return this.#child.stdio[3] as Readable
  }

  /** @param onLost  told when it cannot hear any more */
  send(message: Serializable, onLost: () => void = () => {}): void {
    this.#child.send(message, (error) => error && onLost()) // who is gone has said so
  }

  /** Ends it, and what it has started, at once. @returns whether it was still there */
  kill(): boolean {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return false
    killGroup(pid)
    return true
  }

  /** Rejects when the process ends before it was told to. @throws {AdapterError} `process_ended` */
  async failWhenGone(): Promise<never> {
    const signal = await this.gone
    throw new AdapterError(
      'process_ended',
      `${this.#name} has ended${signal ? ` by ${signal}` : ''} before it was told to`,
    )
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // nobody is left in it
  }
}
