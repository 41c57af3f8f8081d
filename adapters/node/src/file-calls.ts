// The calls of the file system that replacing a file takes, at once or on Node's threads, so that its steps are written once: an exit
// handler cannot wait, and a server must not stand still while a disk does.
import * as fs from 'node:fs'
import * as promises from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

/** There already, or to be waited for. */
type Maybe<T> = T | Promise<T>

/** Work that hands out each call it makes and goes on with the answer; run by `atOnce` or `inTime`. */
export type Steps<T> = Generator<unknown, T, unknown>

/** One set of calls: all answers are there at once, or all are promises. */
export interface FileCalls {
  /** Opens a file that must not be there yet for writing. */
  create(path: string, mode: number): Maybe<number>
  /** Behind what was written before. */
  write(file: number, piece: string | Uint8Array): Maybe<void>
  setOwner(file: number, uid: number, gid: number): Maybe<void>
  setMode(file: number, mode: number): Maybe<void>
  sync(file: number): Maybe<void>
  close(file: number): Maybe<void>
  rename(from: string, to: string): Maybe<void>
  /** Forces a folder's names to the disk. */
  syncFolder(path: string): Maybe<void>
  /** Undefined where there is nothing. */
  stat(path: string): Maybe<fs.Stats | undefined>
  /** Throws when this process may not write there. */
  checkWritable(path: string): Maybe<void>
  /** What a link says, undefined for what is none. */
  readLink(path: string): Maybe<string | undefined>
  realPath(path: string): Maybe<string>
  /** Names in a folder; none where it cannot be read. */
  list(folder: string): Maybe<readonly string[]>
  /** Since the last change; 0 where that cannot be told. */
  ageMs(path: string): Maybe<number>
  /** No error where it is not there or cannot be removed. */
  remove(path: string): Maybe<void>
  pause(milliseconds: number): Maybe<unknown>
}

/** Hands out one call and goes on with its answer. */
export function* wait<T>(answer: Maybe<T>): Steps<T> {
  return (yield answer) as T
}

/** Runs steps whose calls are `syncCalls`. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next(step.value)
  return step.value
}

/** Runs steps whose calls are `asyncCalls`. */
export async function inTime<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next()
  while (!step.done) {
    try {
      const answer = await step.value
      step = steps.next(answer)
    } catch (error) {
      step = steps.throw(error) // into the steps; what they throw themselves ends them, and so this
    }
  }
  return step.value
}

/** The value, or what stands for it when the call fails. */
function attempt<T>(call: () => T, otherwise: T): T {
  try {
    return call()
  } catch {
    return otherwise
  }
}

/** Every answer at once. */
export const syncCalls: FileCalls = {
  create: (path, mode) => fs.openSync(path, 'wx', mode),
  write: (file, piece) => fs.writeFileSync(file, piece),
  setOwner: fs.fchownSync,
  setMode: fs.fchmodSync,
  sync: fs.fsyncSync,
  close: fs.closeSync,
  rename: fs.renameSync,
  syncFolder(path) {
    const folder = fs.openSync(path, 'r')
    try {
      fs.fsyncSync(folder)
    } finally {
      fs.closeSync(folder)
    }
  },
  stat: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  checkWritable: (path) => fs.accessSync(path, fs.constants.W_OK),
  readLink: (path) => attempt<string | undefined>(() => fs.readlinkSync(path), undefined),
  realPath: (path) => fs.realpathSync(path),
  list: (folder) => attempt<string[]>(() => fs.readdirSync(folder), []),
  ageMs: (path) => attempt(() => Date.now() - fs.statSync(path).mtimeMs, 0),
  remove: (path) => attempt(() => fs.rmSync(path, { force: true }), undefined),
  pause: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
}

/** Every answer a promise. */
export const asyncCalls: FileCalls = {
  create: (path, mode) => promisify(fs.open)(path, 'wx', mode),
  write: (file, piece) => promisify(fs.writeFile)(file, piece),
  setOwner: promisify(fs.fchown),
  setMode: promisify(fs.fchmod),
  sync: promisify(fs.fsync),
  close: promisify(fs.close),
  rename: promises.rename,
  async syncFolder(path) {
    const folder = await promises.open(path)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  },
  stat: (path) =>
    promises.stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    }),
  checkWritable: (path) => promises.access(path, fs.constants.W_OK),
  readLink: (path) => promises.readlink(path).catch(() => undefined),
  realPath: (path) => promises.realpath(path),
  list: (folder) => promises.readdir(folder).catch(() => []),
  ageMs: (path) =>
    promises.stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    ),
  remove: (path) => promises.rm(path, { force: true }).catch(() => undefined),
  pause: (milliseconds) => setTimeout(milliseconds),
}
