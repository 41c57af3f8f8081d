import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { AdapterError } from '@trimtab/core'

/** The kernel's own files (cgroupfs, resctrl, procfs): short texts behind which something happens. */
export interface KernelFiles {
  /** Without the last line break; `undefined` where there is no such file, or it may not be read. */
  read(path: string): string | undefined
  /** One call, as the kernel wants it. @throws {AdapterError} as `refusal` says */
  write(path: string, text: string): void
  /** @throws {AdapterError} as `refusal` says */
  makeFolder(path: string): void
  /** What the kernel put into it goes with it. @throws {AdapterError} as `refusal` says */
  removeFolder(path: string): void
  /** Names in a folder; none where it is not there. */
  list(path: string): readonly string[]
  /** Whether this user may write it. */
  isWritable(path: string): boolean
}

/** Those of this machine. */
export const kernelFiles: KernelFiles = {
  read: (path) => quietly(() => readFileSync(path, 'utf8').trimEnd(), undefined),
  write: (path, text) => attempt('write', path, () => writeFileSync(path, text, { flag: constants.O_WRONLY as never })),
  makeFolder: (path) => attempt('make', path, () => mkdirSync(path)),
  removeFolder: (path) => attempt('remove', path, () => rmdirSync(path)),
  list: (path) => quietly(() => readdirSync(path), []),
  isWritable: (path) =>
    quietly(() => {
      accessSync(path, constants.W_OK)
      return true
    }, false),
}

function quietly<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise // gone, or not ours to read: the same to who asks
  }
}

function attempt(verb: string, path: string, call: () => void): void {
  try {
    call()
  } catch (cause) {
    throw refusal(verb, path, cause as NodeJS.ErrnoException)
  }
}

/** What the kernel said no to: `linux_forbidden` (this user may not), `linux_gone` (file, group or process), `linux_refused` (the value). */
export function refusal(verb: string, path: string, cause: NodeJS.ErrnoException): AdapterError {
  const [code, way] = MEANINGS[cause.code ?? ''] ?? ['linux_refused', 'the kernel does not take it now']
  return new AdapterError(code, `cannot ${verb} ${path}: ${way} (${cause.message})`, { cause })
}

const FORBIDDEN = ['linux_forbidden', 'this user may not: run as root, or have the folder delegated'] as const
const GONE = ['linux_gone', 'it is not there, or no more'] as const
const MEANINGS: Readonly<Record<string, readonly [code: string, way: string]>> = {
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: ['linux_forbidden', 'it is mounted read-only: run outside the container, or mount it writable'],
  ENOENT: GONE,
  ENODEV: GONE,
  ESRCH: GONE,
  EBUSY: ['linux_refused', 'it is in use, or more than that is in use'],
}
