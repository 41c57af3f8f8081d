// Limits outlive the process that set them, so each change is on the disk before it is made: a file a process, one line a change, forced
// to the disk. The file is the claim on the machine too. Whoever comes next finds the files of the dead and undoes what they say.
// One file a process, never taken over: there is no moment at which two processes could both believe to have won.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { AdapterError } from '@trimtab/core'
import { JsonFields } from '@trimtab/core/internal'
import { ownIdentity, removeFileSync, replaceFileSync, stateOf } from '@trimtab/node/files'
import { type Change, parseChange } from './change.js'

/** A journal that lies in a folder. */
export interface FoundJournal {
  readonly file: string
  readonly pid: number
  readonly command: string
  /** ISO date. */
  readonly since: string
  readonly owner: 'alive' | 'dead' | 'unknown'
  /** In the order in which they were made. */
  readonly changes: readonly Change[]
}

/**
 * The journals in `folders`; a folder that is not there holds none.
 * @throws {AdapterError} `journal_damaged`: a whole line that no journal has
 */
export const readJournals = (folders: readonly string[]): FoundJournal[] =>
  folders.flatMap((folder) => namesIn(folder).map((name) => readJournal(join(folder, name))))

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name))
  } catch {
    return []
  }
}

const NAME = /^linux\.(\d+)-(\d*)\.journal$/

function readJournal(file: string): FoundJournal {
  const [, pid, startTime] = NAME.exec(basename(file))!
  const [head, ...lines] = wholeLines(readFileSync(file, 'utf8'))
  const fields = head === undefined ? undefined : JsonFields.parse(head, damaged(file))
  const optional = (key: string) => (fields?.has(key) ? fields.text(key) : undefined)
  const identity = { pid: Number(pid), startTime: startTime || undefined, pidNamespace: optional('pidNamespace') }
  return {
    ...{ file, pid: identity.pid, owner: stateOf(identity) },
    ...{ command: optional('command') ?? 'unknown', since: optional('since') ?? 'unknown' },
    changes: lines.map((line) => parseChange(line, damaged(file))),
  }
}

/** A last line without its end was being written when the process was killed: what it says was not yet done. */
const wholeLines = (text: string): string[] => text.split('\n').slice(0, -1)

const damaged = (file: string) => (what: string) =>
  new AdapterError('journal_damaged', `${file}: ${what}; undo by hand what it lists, then remove it`)

/** This process's claim on the machine, and what it has changed there. */
export class Journal {
  readonly file: string
  readonly #head: string
  #descriptor: number

  /**
   * @param folders  the first is written, all are looked through
   * @param now  for the record: when it began
   * @throws {AdapterError} `linux_in_use`: another process, or this one, sets limits here; `journal_unwritable`
   */
  static claim(folders: readonly string[], now: Date): Journal {
    const journal = new Journal(folders[0]!, now)
    try {
      // Written first, looked around second: of two that come at once at least one sees the other.
      const other = readJournals(folders).find(({ file, owner }) => file !== journal.file && owner !== 'dead')
      if (other) throw inUse(other)
    } catch (error) {
      journal.release()
      throw error
    }
    return journal
  }

  private constructor(folder: string, now: Date) {
    const { pid, startTime, pidNamespace } = ownIdentity()
    const command = basename(process.argv[1] ?? process.execPath)
    this.#head = `${JSON.stringify({ pidNamespace, command, since: now.toISOString() })}\n`
    this.file = join(folder, `linux.${pid}-${startTime ?? ''}.journal`)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 })
      this.#descriptor = openSync(this.file, 'ax', 0o644)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(this.file, cause)
      throw inUse({ file: this.file, pid, command, since: 'this process', owner: 'alive' })
    }
    this.#write(this.#head)
  }

  /** Before it is made. @throws {AdapterError} `journal_unwritable`: then it may not be made */
  append(change: Change): void {
    this.#write(`${JSON.stringify(change)}\n`)
  }

  /** Forgets all but `changes`. */
  replace(changes: readonly Change[]): void {
    replaceFileSync(this.file, [this.#head, ...changes.map((change) => `${JSON.stringify(change)}\n`)])
    closeSync(this.#descriptor)
    this.#descriptor = openSync(this.file, 'a')
  }

  /** Ends the claim; nothing of it stays. */
  release(): void {
    closeSync(this.#descriptor)
    removeFileSync(this.file)
  }

  #write(text: string): void {
    try {
      writeSync(this.#descriptor, text)
      fsyncSync(this.#descriptor)
    } catch (cause) {
      throw unwritable(this.file, cause)
    }
  }
}

function inUse({ file, pid, command, since, owner }: Omit<FoundJournal, 'changes'>): AdapterError {
  const who = `process ${pid} (${command}, since ${since})`
  return new AdapterError(
    'linux_in_use',
    owner === 'unknown'
      ? `limits here may be set by ${who} of another container, which cannot be asked: remove ${file} if it is gone`
      : `limits here are set by ${who}: two would undo each other's; stop it, or only watch`,
  )
}

const unwritable = (file: string, cause: unknown): AdapterError =>
  new AdapterError(
    'journal_unwritable',
    `${file} cannot be written (${(cause as Error).message}): without it a crash would leave limits behind; name another folder`,
    { cause },
  )
