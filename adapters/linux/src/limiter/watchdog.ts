import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { watchdogProgram } from '../programs.js'
import type { StoppableProcess } from './limited-process.js'

/** A process of its own that knows who may be stopped, and continues them when this one is gone. */
export class Watchdog {
  readonly #child: ChildProcess
  readonly #told = new Map<number, () => void>()
  #isOpen = true

  /** @param onEnd  it has ended, or could not begin, without being told to */
  constructor(onEnd: () => void) {
    this.#child = spawn(process.execPath, [watchdogProgram()], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    const end = () => {
      for (const tell of this.#told.values()) tell()
      if (this.#isOpen) onEnd()
      this.#isOpen = false
    }
    this.#child.on('error', end)
    this.#child.on('exit', end)
    this.#child.stdin!.on('error', () => {}) // its end says it
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      for (const pid of text.split('\n').filter(Boolean)) this.#told.get(Number(pid))?.()
    })
  }

  /** Resolves when it knows, or has ended. */
  watch({ pid, startTime }: StoppableProcess): Promise<void> {
    if (!this.#isOpen) return Promise.resolve()
    return new Promise((resolve) => {
      this.#told.set(pid, () => {
        this.#told.delete(pid)
        resolve()
      })
      this.#child.stdin!.write(`${pid} ${startTime}\n`)
    })
  }

  forget(pid: number): void {
    if (this.#isOpen) this.#child.stdin!.write(`${pid}\n`)
  }

  dispose(): void {
    this.#isOpen = false
    this.#child.stdin!.end()
  }
}
