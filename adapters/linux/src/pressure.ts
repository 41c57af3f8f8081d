// Pressure stall information: how much of the time tasks waited. Source: the kernel's accounting/psi.rst.
import type { KernelFiles } from './kernel-files.js'

/** Shares of time, 0 … 1, and totals; NaN where the kernel does not say. */
export interface Pressure {
  /** Some task waited, over the last 10 s. */
  readonly some01: number
  /** All tasks that could run waited. */
  readonly full01: number
  readonly someMicroseconds: number
  readonly fullMicroseconds: number
}

/** @param path  /proc/pressure/cpu, or `cpu.pressure` of a group of version 2; of `memory` and `io` likewise */
export function readPressure(files: KernelFiles, path: string): Pressure {
  const text = files.read(path) ?? ''
  const [some, full] = ['some', 'full'].map((kind) => {
    const [, avg10, total] = new RegExp(`^${kind} avg10=([\\d.]+) .*total=(\\d+)$`, 'm').exec(text) ?? []
    return { share: Number(avg10 ?? Number.NaN) / 100, total: Number(total ?? Number.NaN) }
  })
  return { some01: some!.share, full01: full!.share, someMicroseconds: some!.total, fullMicroseconds: full!.total }
}
