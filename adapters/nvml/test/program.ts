import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../../../test/bundle.js'
import type { FakeNvml } from './fake/index.js'

/**
 * Makes a program from a fixture and our sources in `folder`, beside a koffi where `koffi` says so.
 * @returns its path
 */
export async function bundleWithKoffi(
  fixture: URL,
  folder: string,
  { koffi }: { readonly koffi: boolean },
): Promise<string> {
  const program = await bundleProgram(fixture, folder)
  if (koffi) {
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    const installed = dirname(fileURLToPath(import.meta.resolve('koffi')))
    symlinkSync(installed, join(folder, 'node_modules/koffi'))
  }
  return program
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lines: readonly string[]
  readonly errors: string
}

/** A running program: what it printed, and how it ends. */
export class RunningProgram {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly #waiting: { readonly line: RegExp; readonly resolve: () => void }[] = []

  /** @param command  what runs the program, the program, and what it is told */
  constructor(command: readonly string[], fake: FakeNvml) {
    this.#child = spawn(command[0]!, command.slice(1), {
      env: { ...process.env, ...fake.env },
      cwd: fake.folder,
    })
    let rest = ''
    this.#child.stdout!.on('data', (chunk) => {
      const parts = (rest + chunk).split('\n')
      rest = parts.pop()!
      this.#lines.push(...parts)
      for (const { line, resolve } of this.#waiting) if (this.#has(line)) resolve()
    })
    let errors = ''
    this.#child.stderr!.on('data', (chunk) => {
      errors += chunk
    })
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject)
      this.#child.on('close', (code, signal) => resolve({ code, signal, lines: this.#lines, errors }))
    })
  }

  /** Resolves when the program has printed such a line; rejects when it ends without. */
  printed(line: RegExp): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      if (this.#has(line)) resolve()
      else this.#waiting.push({ line, resolve })
    })
    const early = this.ended.then(({ lines, errors }) => {
      if (!this.#has(line)) throw new Error(`ended before it said ${line}: ${lines.join('\n')}\n${errors}`)
    })
    return Promise.race([seen, early])
  }

  #has(line: RegExp): boolean {
    return this.#lines.some((printed) => line.test(printed))
  }

  /** What it reads from stdin. */
  say(text: string): void {
    this.#child.stdin!.write(text)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}
