import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { AdapterError } from '@trimtab/core'
import { STRONGEST } from '@trimtab/tasks/microservices'
import { STRESSOR_PROGRAM } from '../programs.js'
import type { Disturbance, DisturbanceTotals } from './disturbance.js'

/** What is used up. */
export type StressKind = 'cpu' | 'llc' | 'memory-bandwidth' | 'disk-io'

/** What a stressor uses up, and beside whom. */
export interface StressorOptions {
  readonly kind: StressKind
  /** The highest level it will be told. */
  readonly mostLevel: number
  /** Beside whom: it runs on the CPUs on which this process may run. */
  readonly pid?: number
  /** Files `cgroup.procs` of groups that it joins: what it uses then counts against their limits. */
  readonly cgroups?: readonly string[]
  /** Where disk-io writes; the file has no name, so that nothing of it stays. */
  readonly folder?: string
}

const MOST_COMPETITORS = 32

/**
 * A process that uses up a resource beside a victim. It ends with the process that started it, however that ends, and leaves nothing.
 *
 * `cpu` at level l takes the part p = 0.97 l of a CPU from one thread that wants it all: p / (1 − p) threads compete with it. The others
 * work the part p of the time, one thread on each CPU.
 */
export class Stressor implements Disturbance {
  readonly #child: ChildProcess
  readonly #gone: Promise<void>
  #measured: DisturbanceTotals = {}

  private constructor(child: ChildProcess, gone: Promise<void>) {
    this.#child = child
    this.#gone = gone
    child.on('message', (message: { readonly measured?: DisturbanceTotals }) => {
      if (message.measured) this.#measured = message.measured
    })
  }

  /** Resolves when it runs, at level 0. @throws {AdapterError} `stressor_failed` */
  static async start({ kind, mostLevel, pid, cgroups = [], folder }: StressorOptions): Promise<Stressor> {
    const cpus = pid === undefined ? undefined : cpusOf(pid)
    const isPinned = cpus !== undefined && cpus !== cpusOf(process.pid)
    const perCpu = kind === 'cpu' ? Math.ceil(competitorsAt(mostLevel)) : 1
    const threads = Math.max(1, perCpu * (cgroups.length > 0 ? 1 : countCpus(cpus)))
    const call = [process.execPath, STRESSOR_PROGRAM, JSON.stringify({ kind, threads, perCpu, cgroups, folder })]
    const [program, ...rest] = isPinned ? ['taskset', '-c', cpus, ...call] : call
    const child = spawn(program!, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()).on('error', () => resolve()))
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string, cause?: unknown): void =>
        reject(new AdapterError('stressor_failed', `a stressor of ${kind} does not start: ${reason}`, { cause }))
      child.once('message', () => resolve())
      child.once('error', (error) => fail(error.message, error))
      child.once('exit', (code, signal) => fail(`it ended with ${signal ?? code}`))
    })
    return new Stressor(child, gone)
  }

  /** Of its process. */
  get pid(): number {
    return this.#child.pid!
  }

  /** @param level  0 … `mostLevel` */
  setLevel(level: number): void {
    this.#child.send({ level }, () => {}) // one that ended does nothing any more
  }

  /** Totals as it told them last, five times a second: `cpuSeconds`, and `bytes` where it moves some. */
  measure(): DisturbanceTotals {
    return this.#measured
  }

  /** Ends the process. May be called twice. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#gone
  }
}

function competitorsAt(level: number): number {
  const part = STRONGEST.interference * level
  return Math.min(MOST_COMPETITORS, part / (1 - part))
}

/** The CPUs on which a process may run, as `0-3,8`; undefined where nothing tells. */
function cpusOf(pid: number): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function countCpus(cpus: string | undefined): number {
  if (cpus === undefined) return availableParallelism()
  const sizes = cpus.split(',').map((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return to! - from! + 1
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}
