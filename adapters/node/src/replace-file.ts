import { rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { AdapterError } from '@trimtab/core'
import { clearDrafts, nameDraft } from './drafts.js'
import { asyncCalls, atOnce, type FileCalls, inTime, type Steps, syncCalls, wait } from './file-calls.js'

/** What a file is to hold: a text (as UTF-8), bytes, or pieces of either, written one after the other. */
export type FileContent = string | Uint8Array | Iterable<string | Uint8Array>

/**
 * Writes a whole file, so that its name always leads to the older content or to the new one, never to a part, however the process or
 * the machine ends: a draft beside it is written, forced to the disk, takes the name, and the folder is forced to the disk.
 *
 * A file that is there keeps its mode, and its owner where the system allows that; a symbolic link stays and what it points to is
 * replaced. Other hard links keep the older content. Drafts that killed processes left of this file are cleared. Calls for one file
 * may overlap: each writes a draft of its own, and the last to finish stays.
 *
 * @throws {AdapterError} `file_write_failed`; the file is as before, and no draft is left
 */
export async function replaceFile(path: string, content: FileContent): Promise<void> {
  try {
    await inTime(replace(path, content, asyncCalls))
  } catch (cause) {
    throw failure(path, cause)
  }
}

/** `replaceFile` for where nothing can be waited for, an exit handler say. @throws {AdapterError} `file_write_failed` */
export function replaceFileSync(path: string, content: FileContent): void {
  try {
    atOnce(replace(path, content, syncCalls))
  } catch (cause) {
    throw failure(path, cause)
  }
}

/** Removes a file, if there is one, and the drafts that killed processes left of it. @throws what the file system says */
export function removeFileSync(path: string): void {
  rmSync(path, { force: true })
  atOnce(clearDrafts(path, syncCalls))
}

/**
 * Whether `replaceFile` could work: asked before a long run, not after it. There must be a regular file that may be written or none,
 * in a folder in which drafts may be made.
 */
export async function canReplaceFile(path: string): Promise<boolean> {
  try {
    await inTime(findTarget(path, asyncCalls))
    return true
  } catch {
    return false
  }
}

const failure = (path: string, cause: unknown): AdapterError =>
  new AdapterError('file_write_failed', `${path} cannot be written: ${(cause as Error).message}`, { cause })

function* replace(path: string, content: FileContent, files: FileCalls): Steps<void> {
  const { target, found } = yield* findTarget(path, files)
  yield* clearDrafts(target, files)
  const draft = nameDraft(target)
  const pieces = typeof content === 'string' || ArrayBuffer.isView(content) ? [content] : content
  const file = yield* wait(files.create(draft, found ? 0o600 : 0o666)) // nobody reads more of a draft than of the file
  try {
    try {
      for (const piece of pieces) yield* wait(files.write(file, piece))
      if (found) yield* keepRights(file, found, files)
      yield* wait(files.sync(file)) // the bytes before the name: a power failure may not leave an empty file
    } finally {
      yield* wait(files.close(file))
    }
    yield* rename(draft, target, files)
  } catch (error) {
    yield* wait(files.remove(draft))
    throw error
  }
  yield* syncFolder(dirname(target), files)
}

type Found = NonNullable<Awaited<ReturnType<FileCalls['stat']>>>

/** Where the bytes go, links followed, and what is there already. Throws where they cannot go. */
function* findTarget(path: string, files: FileCalls): Steps<{ readonly target: string; readonly found?: Found }> {
  const target = yield* followLinks(path, files)
  const found = yield* wait(files.stat(target))
  yield* wait(files.checkWritable(dirname(target)))
  if (!found) return { target }
  if (!found.isFile()) throw new Error('it is no regular file')
  yield* wait(files.checkWritable(target)) // a write-protected file could be replaced, and should not be
  return { target, found }
}

const MOST_LINKS = 40 // as Linux follows

/** To what a path leads by symbolic links; the last may lead to nothing yet. */
function* followLinks(path: string, files: FileCalls): Steps<string> {
  let target = resolve(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    const link = yield* wait(files.readLink(target))
    if (link === undefined) return target
    target = resolve(yield* wait(files.realPath(dirname(target))), link)
  }
  throw new Error(`more than ${MOST_LINKS} symbolic links`)
}

function* keepRights(file: number, { uid, gid, mode }: Found, files: FileCalls): Steps<void> {
  try {
    yield* wait(files.setOwner(file, uid, gid))
  } catch {
    // Only root gives files away: it is this process's then, as any file it makes.
  }
  yield* wait(files.setMode(file, mode & 0o7777)) // after the owner, whose change takes bits away
}

const TRIES = 8 // together a quarter of a second

/** On Windows a file that somebody has open, a virus scanner say, cannot be replaced for a moment. */
function* rename(from: string, to: string, files: FileCalls): Steps<void> {
  for (let tries = 1; ; tries++) {
    try {
      return yield* wait(files.rename(from, to))
    } catch (error) {
      const isBusy = ['EPERM', 'EACCES', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (process.platform !== 'win32' || !isBusy || tries === TRIES) throw error
      yield* wait(files.pause(2 ** (tries - 1)))
    }
  }
}

function* syncFolder(path: string, files: FileCalls): Steps<void> {
  try {
    yield* wait(files.syncFolder(path))
  } catch {
    // Windows and some network file systems know no such thing; the file itself is on the disk.
  }
}
