import { AdapterError, ConfigError } from '@trimtab/core'
import { restoreOnExit, stateFolders } from '@trimtab/node/files'
import { type GpuClock, supportedClock } from '@trimtab/serve'
import { lockableClocks, type NvmlGpu } from './gpu.js'
import { Lease } from './lease.js'
import type { GpuNotice } from './notice.js'
import { restoreLeft } from './restore-left.js'
import { NvmlGpuLostError, NvmlPermissionError, NvmlUnsupportedError } from './status.js'
import type { NvmlSample } from './telemetry.js'
import { judgeLock, type LockVerdict } from './verdict.js'

/** Where a lease of the GPU is noted, and who is told. */
export interface NvmlClockOptions {
  /** Where this process says that it drives the GPU, so that a crash can be mended. @default /run/trimtab, or a folder of this user's */
  readonly leaseFolder?: string
  /** Seconds of a monotone clock. @default performance.now */
  readonly now?: () => number
  /** What should be known, each kind once. @default nobody is told */
  readonly onNotice?: (notice: GpuNotice) => void
}

/** A reading, with what became of the lock. */
export interface LockedSample extends NvmlSample {
  readonly lockedMhz: number | undefined
  readonly verdict: LockVerdict | undefined
}

const SETTLE_SECONDS = 0.25 // a new clock shows within milliseconds; drivers were seen to take two readings of 100 ms

/** Whether nothing was set for certain. After a time-out or an unknown error it may have been. */
const isRefusal = (error: unknown): boolean =>
  error instanceof NvmlPermissionError || error instanceof NvmlUnsupportedError || error instanceof NvmlGpuLostError

/**
 * The clock of one NVIDIA GPU: locks it, looks whether that was honoured, and gives it back on every way out: `dispose`, the end of
 * the program, an exception, SIGINT, SIGTERM, SIGHUP. After SIGKILL the next process that opens the GPU does, or `restoreAll`.
 *
 * Giving back is a reset to the driver's own choice: NVML does not tell what an administrator had locked before.
 */
export class NvmlGpuClock implements GpuClock {
  readonly name: string
  readonly supportedClocksMhz: readonly number[]
  readonly gpu: NvmlGpu
  readonly #lease: Lease
  readonly #now: () => number
  readonly #onNotice: (notice: GpuNotice) => void
  readonly #said = new Set<GpuNotice['kind']>()
  readonly #forget: () => void
  #locked: { readonly mhz: number; readonly since: number } | undefined
  #isOpen = true

  /**
   * Claims the GPU for this process, and gives back what a dead one has left locked.
   *
   * @throws {AdapterError} `gpu_in_use`, `lease_unwritable`
   * @throws {NvmlError} the GPU lists no clocks, is lost, a left clock may not be reset
   */
  static open(gpu: NvmlGpu, options: NvmlClockOptions = {}): NvmlGpuClock {
    return new NvmlGpuClock(gpu, options)
  }

  private constructor(gpu: NvmlGpu, options: NvmlClockOptions) {
    this.gpu = gpu
    this.name = gpu.uuid
    this.#now = options.now ?? (() => performance.now() / 1000)
    this.#onNotice = options.onNotice ?? (() => {})
    this.supportedClocksMhz = lockableClocks(gpu)
    const folders = options.leaseFolder === undefined ? stateFolders() : [options.leaseFolder]
    this.#lease = Lease.claim(folders, gpu.uuid, new Date())
    try {
      restoreLeft(gpu, folders, (message) => this.#say('restored', message))
    } catch (error) {
      this.#lease.release()
      throw error
    }
    this.#forget = restoreOnExit({ restore: () => this.#tryRestore(), dispose: () => this.#disposeQuietly() })
    this.#sayWhatIsSpecial()
  }

  /** @throws {NvmlGpuLostError} */
  async read(): Promise<LockedSample> {
    const sample = this.gpu.sample(this.#now())
    if (sample.energySource === 'integrated')
      this.#say('energy_integrated', 'no energy counter: energy is power integrated over the readings')
    return { ...sample, lockedMhz: this.#locked?.mhz, verdict: this.#judge(sample) }
  }

  /**
   * Holds the clock at `mhz`, or at the next supported clock above.
   *
   * @throws {ConfigError} `config_invalid`: not a clock
   * @throws {NvmlPermissionError} not permitted: see `observeWhenRefused`
   * @throws {NvmlError} anything else that NVML says
   */
  async lock(mhz: number): Promise<void> {
    if (!this.#isOpen)
      throw new AdapterError('gpu_clock_disposed', `the clock of ${this.name} was given back for good: open it again`)
    if (!(mhz > 0 && Number.isFinite(mhz)))
      throw new ConfigError('config_invalid', `a clock must be a number of MHz above 0, got ${mhz}`)
    const target = supportedClock(this.supportedClocksMhz, mhz)
    if (target !== mhz) this.#say('snapped', `there is no clock of ${mhz} MHz: ${target} MHz is locked in its place`)
    this.#judge(this.gpu.sample(this.#now())) // a scaler that changes its mind every second would never hear otherwise
    const before = this.#locked?.mhz
    this.#lease.record(target)
    try {
      this.gpu.nvml.setLockedClocks(this.gpu.device, this.gpu.subject, target, target)
    } catch (error) {
      if (isRefusal(error)) this.#lease.record(before)
      else this.#locked = { mhz: target, since: this.#now() } // it may be: a reset too many does no harm
      throw error
    }
    this.#locked = { mhz: target, since: this.#now() }
  }

  /** Without a lock of ours nothing is called: another's would be undone. */
  async reset(): Promise<void> {
    this.#restore()
  }

  /**
   * Gives the clock back for good. May be called twice.
   * @throws {NvmlError} it could not: the lease stays, and the next process that opens the GPU tries again
   */
  dispose(): void {
    if (!this.#isOpen) return
    this.#restore()
    this.#isOpen = false
    this.#forget()
    this.#lease.release()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #judge(sample: NvmlSample): LockVerdict | undefined {
    const locked = this.#locked
    if (!locked || sample.seconds - locked.since < SETTLE_SECONDS) return undefined
    const [first = 0, second = first] = this.supportedClocksMhz
    const verdict = judgeLock(locked.mhz, second - first, sample)
    if (verdict.state === 'not honoured') this.#say('not_honoured', verdict.message)
    return verdict
  }

  #restore(): void {
    if (!this.#locked) return
    this.gpu.nvml.resetLockedClocks(this.gpu.device, this.gpu.subject)
    this.#locked = undefined
    this.#lease.record(undefined)
  }

  #tryRestore(): void {
    this.#sayWhenLeft(() => this.#restore())
  }

  #disposeQuietly(): void {
    this.#sayWhenLeft(() => this.dispose())
  }

  /** On the way out there is nobody to throw at. */
  #sayWhenLeft(act: () => void): void {
    try {
      act()
    } catch (error) {
      const left = this.#locked ? `the clock stays locked at ${this.#locked.mhz} MHz` : 'the lease stays'
      this.#say('left_locked', `${left}: ${(error as Error).message}; later: trimtab gpu reset`)
    }
  }

  #sayWhatIsSpecial(): void {
    const { gpu } = this
    const slice = gpu.slice ? `${gpu.slice} is a slice of it; ` : ''
    if (gpu.isMig)
      this.#say(
        'mig_shared',
        `${slice}MIG is on: all slices share the one clock, so that the slowest must decide; utilisation is not offered`,
      )
    if (gpu.isPersistent === false)
      this.#say(
        'not_persistent',
        'persistence mode is off: the driver forgets a lock when no program uses the GPU (nvidia-smi -pm 1)',
      )
  }

  #say(kind: GpuNotice['kind'], text: string): void {
    if (this.#said.has(kind)) return
    this.#said.add(kind)
    this.#onNotice({ kind, message: `${this.gpu.subject}: ${text}` })
  }
}
