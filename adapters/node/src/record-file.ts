import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { AdapterError, ConfigError, TrimtabError } from '@trimtab/core'

const CHUNK_BYTES = 1 << 20

/** A file of a header and records of one size. Knows positions and the file system, not what is in a record. */
export class RecordFile {
  readonly path: string
  readonly #recordBytes: number
  readonly #headerBytes: number
  #count = 0
  #file: number | undefined

  /**
   * Opens or makes the file. A last record that is not complete does not count; `cut` removes it.
   *
   * @param acceptHeader  throws when the start of the file is not ours; `false`: it was cut inside the header, begin again
   * @throws {AdapterError} `trajectory_file_failed`; what `acceptHeader` throws
   */
  constructor(path: string, header: Uint8Array, recordBytes: number, acceptHeader: (start: Uint8Array) => boolean) {
    this.path = path
    this.#headerBytes = header.length
    this.#recordBytes = recordBytes
    this.#file = this.#attempt('open', () => openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644))
    try {
      const start = this.#readAt(0, header.length)
      if (!acceptHeader(start)) this.#attempt('write', () => this.#writeAt(header, 0))
      this.#count = Math.floor((this.#bytes() - header.length) / recordBytes)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Complete records. */
  get count(): number {
    return this.#count
  }

  /** Forgets everything after the first `count` records; returns how many bytes that were. */
  cut(count: number): number {
    const end = this.#positionOf(count)
    const surplus = this.#bytes() - end
    if (surplus > 0) this.#attempt('truncate', () => ftruncateSync(this.#open, end))
    this.#count = count
    return surplus
  }

  /**
   * Writes one record behind the last. When that fails the file is as it was before.
   *
   * @throws {AdapterError} `trajectory_file_failed`, `trajectory_file_shared`
   */
  append(record: Uint8Array): void {
    const end = this.#positionOf(this.#count)
    const bytes = this.#bytes()
    if (bytes !== end) {
      throw new AdapterError(
        'trajectory_file_shared',
        `${this.path} has ${bytes} bytes where this store left ${end}: somebody else writes to it; use one file for each process`,
      )
    }
    try {
      this.#attempt('write', () => this.#writeAt(record, end))
    } catch (error) {
      ftruncateSync(this.#open, end)
      throw error
    }
    this.#count++
  }

  /** The records `start` … `end − 1`, one after the other; each view is valid until the next. */
  *read(start: number, end: number): Generator<DataView, void, void> {
    const perChunk = Math.max(1, Math.floor(CHUNK_BYTES / this.#recordBytes))
    for (let first = start; first < end; first += perChunk) {
      const count = Math.min(perChunk, end - first)
      const chunk = this.#readAt(this.#positionOf(first), count * this.#recordBytes)
      for (let i = 0; i < Math.floor(chunk.length / this.#recordBytes); i++) {
        yield new DataView(chunk.buffer, i * this.#recordBytes, this.#recordBytes)
      }
    }
  }

  /** Forces what was written to the disk. */
  sync(): void {
    this.#attempt('sync', () => fsyncSync(this.#open))
  }

  close(): void {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }

  get isClosed(): boolean {
    return this.#file === undefined
  }

  get #open(): number {
    if (this.#file !== undefined) return this.#file
    throw new ConfigError('trajectory_store_disposed', `the trajectory store of ${this.path} was disposed`)
  }

  #positionOf(record: number): number {
    return this.#headerBytes + record * this.#recordBytes
  }

  #bytes(): number {
    return this.#attempt('read', () => fstatSync(this.#open).size)
  }

  #readAt(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    let done = 0
    while (done < length) {
      const read = this.#attempt('read', () => readSync(this.#open, bytes, done, length - done, position + done))
      if (read === 0) return bytes.slice(0, done)
      done += read
    }
    return bytes
  }

  #writeAt(bytes: Uint8Array, position: number): void {
    let done = 0
    while (done < bytes.length) done += writeSync(this.#open, bytes, done, bytes.length - done, position + done)
  }

  #attempt<T>(verb: string, call: () => T): T {
    try {
      return call()
    } catch (cause) {
      if (cause instanceof TrimtabError) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new AdapterError('trajectory_file_failed', `cannot ${verb} ${this.path}: ${reason}`, { cause })
    }
  }
}
