import { readFile, stat } from 'node:fs/promises'
import { AdapterError } from '@trimtab/core'

/** More than any state has: 2^20 rows of n-grams and the weights of 65,536 models take less. */
const MOST_BYTES = 2 ** 26

/**
 * What was learned before.
 * @returns undefined where there is no file yet
 * @throws {AdapterError} `state_file_failed`: it cannot be read, is no regular file, or holds more than 64 MiB; then nothing is read
 */
export async function readState(path: string): Promise<Uint8Array | undefined> {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw new Error('it is no regular file') // a device or a pipe may never end
    if (found.size > MOST_BYTES) throw new Error(`it holds ${found.size} bytes, a state ${MOST_BYTES} at most`)
    return await readFile(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AdapterError('state_file_failed', `${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
