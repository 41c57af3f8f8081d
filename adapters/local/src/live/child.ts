import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import { AdapterError } from '@trimtab/core'
import { setNiceness } from '../priority.js'

/** A program of ours in a process of its own: a session whose priority can be set, and that Ctrl-C leaves to its parent. */
export class Child<Message extends object> {
  /** Resolves when the process is gone, whatever ended it, with the signal that did. */
  readonly gone: Promise<NodeJS.Signals | null>
  readonly #child: ChildProcess
  readonly #name: string

  /** @param name  for messages */
  constructor(name: string, program: string, niceness: number, onMessage: (message: Message) => void) {
    this.#name = name
    this.#child = fork(program, [], { detached: true, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    const { pid } = this.#child
    this.gone = new Promise((resolve) => {
      this.#child.on('error', () => pid === undefined && resolve(null)) // the system has no process left to give
      this.#child.on('exit', (_, signal) => resolve(signal))
    })
    this.#child.on('message', onMessage)
    if (pid !== undefined && niceness !== 0) setNiceness(pid, niceness)
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

  /** What it writes. */
  get output(): readonly NodeJS.ReadableStream[] {
    return [this.#child.stdout!, this.#child.stderr!]
  }

  send(message: Serializable): void {
    this.#child.send(message, () => {}) // who is gone has said so
  }

  kill(): void {
    this.#child.kill('SIGKILL')
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
