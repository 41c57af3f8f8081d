import { createInterface } from 'node:readline'
import type { PodSize } from '@trimtab/tasks/autoscaling'
import { Child } from '../child.js'
import type { Hold, Limiter } from './limiter.js'
import { cpuMsOf, residentMiB } from './process-usage.js'

/** What a pod runs, and who hears of it. */
export interface PodOptions {
  readonly id: number
  /** A program for Node: says `{ port }` by IPC when it serves, drains when told `{ drain: true }`, ends when its parent is gone. */
  readonly program: string
  readonly args?: readonly string[]
  readonly size: Readonly<PodSize>
  readonly limiter: Limiter
  readonly niceness: number
  readonly onLog: (line: string) => void
}

/** Why a pod is not there any more. */
export type PodEnd = 'stopped' | 'memory' | 'exit'

/** What could not be done to a process that has ended, its end says; all else is an error. */
function ignoreEnded(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code !== 'linux_gone') throw error
}

/** A server in a process of its own, held to a size from its first moment on. It dies with the process that started it. */
export class Pod {
  readonly id: number
  /** Resolves when it serves, with its port and how long that took; `undefined`: it ended before. Rejects when it cannot be held. */
  readonly ready: Promise<{ readonly port: number; readonly startMs: number } | undefined>
  readonly gone: Promise<PodEnd>
  readonly #child: Child<{ readonly port: number }>
  readonly #hold: Promise<Hold | undefined>
  #isStopped = false
  #cpuMs = 0 // when CPU time was last taken

  constructor({ id, program, args = [], size, limiter, niceness, onLog }: PodOptions) {
    const startMs = performance.now()
    this.id = id
    let tellReady: (ready: Awaited<Pod['ready']>) => void
    const isServing = new Promise<Awaited<Pod['ready']>>((resolve) => {
      tellReady = resolve
    })
    this.#child = new Child({
      ...{ name: `pod ${id}`, program, args, niceness },
      onMessage: ({ port }) => {
        this.takeCpuMs() // what its start took is not load
        tellReady({ port, startMs: performance.now() - startMs })
      },
    })
    for (const input of this.#child.output) createInterface({ input }).on('line', onLog)
    this.#hold = limiter.hold(this.pid, size).catch(ignoreEnded)
    this.ready = this.#hold.then(() => isServing)
    this.ready.catch(() => {}) // told to who asks
    this.gone = this.#child.gone.then(async () => {
      tellReady(undefined)
      const hold = await this.#hold.catch(() => undefined)
      const end = hold?.wasKilled ? 'memory' : this.#isStopped ? 'stopped' : 'exit'
      hold?.release()
      return end
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Holds it to another size. */
  async resize(size: Readonly<PodSize>): Promise<void> {
    const hold = await this.#hold
    await hold?.set(size).catch(ignoreEnded)
  }

  /** CPU time since this was last asked; NaN when it is gone. */
  takeCpuMs(): number {
    const now = cpuMsOf(this.pid)
    const taken = now - this.#cpuMs
    this.#cpuMs = now
    return taken
  }

  get memoryMiB(): number {
    return residentMiB(this.pid)
  }

  /** It answers who is there, and ends. */
  drain(): void {
    this.#isStopped = true
    this.#child.send({ drain: true })
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    this.#isStopped = true
    this.#child.kill()
    await this.gone
  }
}
