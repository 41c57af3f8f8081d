import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@trimtab/core'
import { draftOf, listFiles, nameFile } from './drafts.js'
import type { Framing } from './framing.js'

/** When a file is full, and how many stay. */
export interface RotationOptions {
  readonly folder: string
  /** A file that holds as much is finished at the next look. */
  readonly mostFileBytes: number
  /** And so is one that was opened so long ago. */
  readonly mostFileSeconds: number
  /** Finished files that stay, of all formats; the oldest go. */
  readonly keepFiles: number
}

interface Waiting {
  readonly pieces: readonly Buffer[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface OpenFile {
  readonly handle: FileHandle
  readonly name: string
  readonly openedAt: number
  /** Bytes of whole batches. */
  size: number
}

/**
 * Batches of one format to files one after the other. A file is a draft while it grows and gets its name when it is whole, so no name
 * ever leads to a torn one.
 */
export class BatchFiles {
  readonly #framing: Framing
  readonly #options: RotationOptions
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #file: OpenFile | undefined

  constructor(framing: Framing, options: RotationOptions, clock: Clock) {
    this.#framing = framing
    this.#options = options
    this.#clock = clock
  }

  /** Resolves once the batch is in a file: then a kill does not lose it. Rejects with what the system says; the file holds none of it then. */
  append(batch: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pieces: this.#framing.frame(batch), resolve, reject })
      this.#work()
    })
  }

  /** Finishes the file if it is full or old, though nothing comes any more. Called every now and then. */
  async finishIfDue(): Promise<void> {
    if (!this.#file) return
    const { mostFileBytes, mostFileSeconds } = this.#options
    const { size, openedAt } = this.#file
    if (size >= mostFileBytes || this.#clock.now() - openedAt >= 1000 * mostFileSeconds) await this.finish()
  }

  /** Writes what waits and finishes the file. @throws what the system says; the draft is finished by the next start then */
  async finish(): Promise<void> {
    while (this.#writing) await this.#writing
    const finishing = this.#finishFile()
    this.#hold(finishing.catch(() => {})) // whoever called hears of it
    await finishing
  }

  #work(): void {
    if (this.#writing === undefined && this.#waiting.length > 0) this.#hold(this.#writeAll())
  }

  /** One at a time. */
  #hold(work: Promise<void>): void {
    this.#writing = work.then(() => {
      this.#writing = undefined
      this.#work()
    })
  }

  /** All that waits goes out in one call: the more comes, the less each batch costs. */
  async #writeAll(): Promise<void> {
    const batches = this.#waiting
    this.#waiting = []
    try {
      this.#file ??= await this.#openFile()
      await this.#write(
        this.#file,
        batches.flatMap(({ pieces }) => pieces),
      )
      for (const { resolve } of batches) resolve()
    } catch (error) {
      for (const { reject } of batches) reject(error)
    }
  }

  async #write(file: OpenFile, pieces: readonly Buffer[]): Promise<void> {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
    try {
      const { bytesWritten } = await file.handle.writev(pieces, file.size)
      if (bytesWritten < bytes) throw new Error(`${bytesWritten} of ${bytes} bytes were written`)
      file.size += bytes
    } catch (error) {
      await file.handle.truncate(file.size)
      throw error
    }
  }

  async #openFile(): Promise<OpenFile> {
    const openedAt = this.#clock.now()
    const name = nameFile(Date.now(), this.#framing.suffix)
    return { handle: await open(join(this.#options.folder, draftOf(name)), 'wx'), name, openedAt, size: 0 }
  }

  async #finishFile(): Promise<void> {
    const file = this.#file
    if (!file) return
    this.#file = undefined
    const { folder, keepFiles } = this.#options
    const path = join(folder, file.name)
    await file.handle.close()
    if (file.size > 0) await rename(join(folder, draftOf(file.name)), path)
    else await rm(join(folder, draftOf(file.name)))
    for (const old of (await listFiles(folder)).slice(0, -keepFiles)) await rm(join(folder, old), { force: true })
  }
}
