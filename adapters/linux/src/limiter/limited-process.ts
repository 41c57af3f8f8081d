import process from 'node:process'
import { AdapterError } from '@trimtab/core'
import { startTimeOf } from '@trimtab/node/files'
import { kernelFiles } from '../kernel-files.js'
import { readTaskTimes, type TaskTimes } from '../schedstat.js'
import { TokenBucket } from './token-bucket.js'

/** A process that may be stopped, and not another one that has its number later. */
export interface StoppableProcess {
  readonly pid: number
  readonly startTime: string
}

/** @throws {AdapterError} `linux_gone`; `linux_forbidden`: another user's */
export function identifyProcess(pid: number): StoppableProcess {
  const startTime = startTimeOf(pid)
  if (startTime === undefined) throw new AdapterError('linux_gone', `there is no process ${pid}`)
  try {
    process.kill(pid, 0)
  } catch (cause) {
    throw new AdapterError('linux_forbidden', `process ${pid} is another user's: it cannot be stopped`, { cause })
  }
  return { pid, startTime }
}

/** One process that is stopped and continued, so that all its threads together use no more than their share from now on. */
export class LimitedProcess {
  readonly #pid: number
  readonly #startTime: string
  readonly #bucket: TokenBucket
  #seen: ReadonlyMap<string, TaskTimes>
  #atMs: number
  #isStopped = false

  constructor(
    { pid, startTime }: StoppableProcess,
    { cores, burstMs, nowMs }: { readonly cores: number; readonly burstMs: number; readonly nowMs: number },
  ) {
    this.#pid = pid
    this.#startTime = startTime
    this.#bucket = new TokenBucket(cores, burstMs)
    this.#seen = readTaskTimes(kernelFiles, '/proc', pid)
    this.#atMs = nowMs
  }

  /**
   * Looks what it has used, and stops or continues it.
   * @returns whether it is still there
   */
  tick(nowMs: number): boolean {
    const now = readTaskTimes(kernelFiles, '/proc', this.#pid)
    if (now.size === 0) return false
    let usedNs = 0
    for (const [task, { runNanoseconds }] of now) usedNs += runNanoseconds - (this.#seen.get(task)?.runNanoseconds ?? 0)
    const mayRun = this.#bucket.advance(nowMs - this.#atMs, usedNs / 1e6)
    this.#seen = now
    this.#atMs = nowMs
    return mayRun ? this.continue() : this.#stop()
  }

  #stop(): boolean {
    if (!this.#isStopped) this.#isStopped = this.#signal('SIGSTOP')
    return this.#isStopped
  }

  /** @returns whether it is still there */
  continue(): boolean {
    if (!this.#isStopped) return true
    this.#isStopped = false
    return this.#signal('SIGCONT')
  }

  /** Never to another process that has its number now. */
  #signal(signal: NodeJS.Signals): boolean {
    try {
      return startTimeOf(this.#pid) === this.#startTime && process.kill(this.#pid, signal)
    } catch {
      return false // it has ended in this moment
    }
  }
}
