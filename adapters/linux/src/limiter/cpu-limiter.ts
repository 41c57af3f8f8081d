import { AdapterError, Problems } from '@trimtab/core'
import { restoreOnExit } from '@trimtab/node/files'
import { identifyProcess, LimitedProcess } from './limited-process.js'
import { Watchdog } from './watchdog.js'

/** How a limiter saves up, and who is told. */
export interface CpuLimiterOptions {
  /** How long nothing must be used until no more is saved up. @default 250 ms */
  readonly burstMs?: number
  /** What should be known: a process that has ended, a watchdog that was killed. @default nobody is told */
  readonly onNotice?: (message: string) => void
}

const PERIOD_MS = 10
const OPTIONS = ['burstMs', 'onNotice']

/**
 * CPU limits without cgroups, for the processes of one user: what each has used is looked up a hundred times a second, and it is stopped
 * (SIGSTOP) while it owes time. Over seconds a process that wants more gets its share to 2 %. No process stays stopped: they are continued
 * on every way out, and by a process of its own (the watchdog) when this one is killed.
 *
 * What a process does besides CPU stops too. Children are processes of their own, and a thread that ended between two looks is not counted.
 */
export class CpuLimiter {
  readonly #processes = new Map<number, LimitedProcess>()
  readonly #burstMs: number
  readonly #onNotice: (message: string) => void
  readonly #watchdog: Watchdog
  readonly #forget: () => void
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  constructor(options: CpuLimiterOptions = {}) {
    const { burstMs = 250, onNotice = () => {} } = options
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.check(burstMs > 0 && Number.isFinite(burstMs), `burstMs must be a number > 0, got ${burstMs}`)
    problems.throwIfAny('CPU limiter')
    this.#burstMs = burstMs
    this.#onNotice = onNotice
    this.#watchdog = new Watchdog(() => {
      this.dispose()
      onNotice('the watchdog has ended: nothing is limited any more, so that nothing can stay stopped')
    })
    this.#forget = restoreOnExit({ restore: () => this.#continueAll(), dispose: () => this.dispose() })
  }

  /**
   * Holds a process to `cpuCores` from now on; `Infinity` lets it go.
   *
   * @throws {ConfigError} `config_invalid`
   * @throws {AdapterError} `linux_gone`, `linux_forbidden`; `limiter_disposed`: also when the watchdog has ended
   */
  async set(pid: number, cpuCores: number): Promise<void> {
    const problems = new Problems()
    problems.check(Number.isSafeInteger(pid) && pid > 1, `pid must be the number of a process, got ${pid}`)
    problems.check(cpuCores > 0, `cpuCores must be > 0 (Infinity: no limit), got ${cpuCores}`)
    problems.throwIfAny('CPU limit')
    this.#requireOpen()
    this.remove(pid)
    if (cpuCores === Number.POSITIVE_INFINITY) return
    await this.#watchdog.watch(identifyProcess(pid)) // before it may be stopped
    this.#requireOpen()
    const limit = { cores: cpuCores, burstMs: this.#burstMs, nowMs: performance.now() }
    this.#processes.set(pid, new LimitedProcess(identifyProcess(pid), limit))
    this.#timer ??= setInterval(() => this.#tick(), PERIOD_MS)
  }

  /** Lets a process go, and run. */
  remove(pid: number): void {
    this.#processes.get(pid)?.continue()
    this.#processes.delete(pid)
    this.#watchdog.forget(pid)
    if (this.#processes.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    const nowMs = performance.now()
    for (const [pid, limited] of this.#processes) {
      if (limited.tick(nowMs)) continue
      this.remove(pid)
      this.#onNotice(`process ${pid} has ended`)
    }
  }

  #continueAll(): void {
    for (const limited of this.#processes.values()) limited.continue()
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new AdapterError('limiter_disposed', 'this limiter has ended: make another one')
  }

  /** Lets all go. May be called twice. */
  dispose(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    for (const pid of [...this.#processes.keys()]) this.remove(pid)
    this.#forget()
    this.#watchdog.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
