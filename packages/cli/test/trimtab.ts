// The command as users run it: the built one, in processes of its own.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const BIN: string = fileURLToPath(new URL('../dist/bin.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/**
 * Starts the command; what it prints is kept where it goes into a pipe.
 * @param shell  a line that runs it by `exec "$0" "$@"`; without one it is run itself
 */
export function start(argv: readonly string[], options: SpawnOptions = {}, shell?: string): Running {
  const call = [process.execPath, BIN, ...argv]
  const [program, ...rest] = shell === undefined ? call : ['sh', '-c', shell, ...call]
  const child = spawn(program!, rest, options)
  let [out, err] = ['', '']
  child.stdout?.on('data', (text) => (out += text))
  child.stderr?.on('data', (text) => (err += text))
  child.stdin?.on('error', () => {}) // it need not read to the end
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, out, err })),
  )
  return { child, ended }
}

/** The largest memory that a running process ever had, MiB; only Linux tells. */
export function peakMiB({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024
}
