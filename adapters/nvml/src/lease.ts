// A locked clock outlives the process that set it, so each process that may lock one says so in a file first. Whoever comes next
// finds the files of the dead and gives their clocks back. One file a process and GPU, never taken over: there is no moment at which
// two processes could both believe to have won.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { AdapterError } from '@trimtab/core'
import { JsonFields } from '@trimtab/core/internal'
import { ownIdentity, type ProcessIdentity, removeFileSync, replaceFileSync, stateOf } from '@trimtab/node/files'

/** Who drives a GPU, or drove it and died. */
export interface LeaseRecord extends ProcessIdentity {
  readonly gpu: string
  readonly command: string
  /** ISO date. */
  readonly since: string
  /** The clock that was locked last; `undefined` while none is. */
  readonly lockedMhz: number | undefined
  readonly file: string
  readonly owner: 'alive' | 'dead' | 'unknown'
}

/** The leases in `folders`, of one GPU or of all. A folder that is not there holds none. */
export function readLeases(folders: readonly string[], gpu?: string): LeaseRecord[] {
  return folders.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const [, uuid, pid] = /^(.+)\.(\d+)-[^.]*\.json$/.exec(name) ?? []
      if (uuid === undefined || pid === undefined || (gpu !== undefined && uuid !== gpu)) return []
      const file = join(folder, name)
      const record = { ...parse(file), gpu: uuid, pid: Number(pid), file }
      return [{ ...record, owner: stateOf(record) }]
    }),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** What the file says; one that was cut short by a kill still has its name. */
function parse(file: string): Omit<LeaseRecord, 'gpu' | 'pid' | 'file' | 'owner'> {
  try {
    const fields = JsonFields.parse(readFileSync(file, 'utf8'), Error)
    const optional = (key: string) => (fields.has(key) ? fields.text(key) : undefined)
    return {
      startTime: optional('startTime'),
      pidNamespace: optional('pidNamespace'),
      command: optional('command') ?? 'unknown',
      since: optional('since') ?? 'unknown',
      lockedMhz: fields.has('lockedMhz') ? fields.number('lockedMhz', 0) : undefined,
    }
  } catch {
    const unknown = { startTime: undefined, pidNamespace: undefined, lockedMhz: undefined }
    return { command: 'unknown', since: 'unknown', ...unknown }
  }
}

/** Forgets a lease, and what a killed process left half written of it. */
export function removeLease({ file }: Pick<LeaseRecord, 'file'>): void {
  removeFileSync(file)
}

/** This process's claim on one GPU. */
export class Lease {
  readonly file: string
  readonly #text: Omit<LeaseRecord, 'file' | 'owner' | 'lockedMhz'>

  /**
   * @param folders  the first is written, all are looked through
   * @param now  for the record: when it began
   * @throws {AdapterError} `gpu_in_use`: another process, or this one, drives the GPU; `lease_unwritable`
   */
  static claim(folders: readonly string[], gpu: string, now: Date): Lease {
    const lease = new Lease(folders[0]!, gpu, now)
    // Written first, looked around second: of two that come at once at least one sees the other.
    const other = readLeases(folders, gpu).find(({ file, owner }) => file !== lease.file && owner !== 'dead')
    if (!other) return lease
    lease.release()
    throw inUse(other)
  }

  private constructor(folder: string, gpu: string, now: Date) {
    const owner = ownIdentity()
    const command = basename(process.argv[1] ?? process.execPath)
    this.#text = { ...owner, gpu, command, since: now.toISOString() }
    this.file = join(folder, `${gpu}.${owner.pid}-${owner.startTime ?? ''}.json`)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 })
    } catch (cause) {
      throw unwritable(folder, cause)
    }
    try {
      writeFileSync(this.file, this.#json(undefined), { flag: 'wx' })
    } catch (cause) {
      const isHeld = (cause as NodeJS.ErrnoException).code === 'EEXIST'
      throw isHeld ? inUse({ ...this.#text, file: this.file, owner: 'alive' }) : unwritable(this.file, cause)
    }
  }

  /**
   * Before a clock is locked, and after it was given back (`undefined`). Whole or not at all, however the process ends.
   * @throws {AdapterError} `lease_unwritable`
   */
  record(lockedMhz: number | undefined): void {
    try {
      replaceFileSync(this.file, this.#json(lockedMhz))
    } catch (error) {
      throw unwritable(this.file, (error as AdapterError).cause)
    }
  }

  /** Forgets the claim; nothing of it stays. */
  release(): void {
    removeLease(this)
  }

  #json(lockedMhz: number | undefined): string {
    return `${JSON.stringify({ ...this.#text, lockedMhz })}\n`
  }
}

function inUse({
  gpu,
  pid,
  command,
  since,
  file,
  owner,
}: Omit<LeaseRecord, 'lockedMhz' | 'startTime' | 'pidNamespace'>) {
  const who = `process ${pid} (${command}, since ${since})`
  return new AdapterError(
    'gpu_in_use',
    owner === 'unknown'
      ? `${gpu} may be driven by ${who} of another container, which cannot be asked: remove ${file} if it is gone`
      : `${gpu} is already driven by ${who}: two would undo each other's clocks; stop it, or only watch`,
  )
}

function unwritable(file: string, cause: unknown) {
  const message = `${file} cannot be written (${(cause as Error).message}): without it a crash would leave the clock locked; name another folder for leases`
  return new AdapterError('lease_unwritable', message, { cause })
}
