import { readFile } from 'node:fs/promises'
import { AdapterError } from '@trimtab/core'

/**
 * What was learned before.
 * @returns undefined where there is no file yet
 * @throws {AdapterError} `state_file_failed`
 */
export async function readState(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AdapterError('state_file_failed', `${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
