import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { notChecked } from '../../../../test/not-checked.js'

/** Whether the fake library can be made here. */
export const HAS_GCC: boolean = spawnSync('gcc', ['--version']).status === 0

/** In place of a suite that cannot run. */
export const sayUnchecked = (what: string): void => notChecked(what, 'gcc, which compiles a fake libnvidia-ml.so.1')

/** What can be wrong with the fake GPU: see `nvml.c`. */
export type Weather = Readonly<Record<string, number>>

/** A compiled stand-in for NVML with its control file and journal, in a folder of its own. */
export class FakeNvml {
  readonly folder: string
  readonly library: string
  /** For child processes; this process gets it by `install`. */
  readonly env: Readonly<Record<string, string>>
  readonly leaseFolder: string
  readonly #journal: string
  readonly #control: string

  constructor(flags: readonly string[] = []) {
    this.folder = mkdtempSync(join(tmpdir(), 'trimtab-nvml-'))
    this.library = join(this.folder, 'libnvidia-ml.so.1')
    this.leaseFolder = join(this.folder, 'leases')
    this.#journal = join(this.folder, 'journal')
    this.#control = join(this.folder, 'control')
    this.env = { FAKE_NVML_CONTROL: this.#control, FAKE_NVML_JOURNAL: this.#journal }
    const source = fileURLToPath(new URL('./nvml.c', import.meta.url))
    execFileSync('gcc', [
      '-Wall',
      '-Wextra',
      '-Werror',
      '-shared',
      '-fPIC',
      '-O1',
      ...flags,
      '-o',
      this.library,
      source,
    ])
  }

  /** The library reads its environment by itself: Node's `process.env` is the real one in a main thread. */
  install(): this {
    Object.assign(process.env, this.env)
    return this
  }

  /** Replaces what was said before: no argument is fine weather. */
  set(weather: Weather = {}): void {
    writeFileSync(
      this.#control,
      Object.entries(weather)
        .map(([key, value]) => `${key} ${value}\n`)
        .join(''),
    )
  }

  /** What was set, without the process numbers: `lock 0 705 705`, `reset 0`. */
  journal(): string[] {
    if (!existsSync(this.#journal)) return []
    const lines = readFileSync(this.#journal, 'utf8').trim().split('\n')
    return lines.map((line) => line.replace(/ \d+$/, ''))
  }

  /** The clock that a GPU is left with, as the driver keeps it: `undefined` when nothing is locked. */
  lockedMhz(index = 0): number | undefined {
    const last = this.journal().findLast((line) => line.split(' ')[1] === String(index))
    const mhz = last?.startsWith('lock') ? last.split(' ')[3] : undefined
    return mhz === undefined ? undefined : Number(mhz)
  }

  forget(): void {
    rmSync(this.#journal, { force: true })
    rmSync(this.leaseFolder, { recursive: true, force: true })
    this.set()
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
