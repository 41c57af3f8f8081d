import { open, readFile, rename, rm } from 'node:fs/promises'
import { AdapterError } from '@trimtab/core'

/** @returns undefined where there is no file yet */
export async function readState(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AdapterError('state_file_failed', `${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Leaves the old file or the new one, never a part, however the process ends. One process may write at a time.
 * @throws {AdapterError} `state_file_failed`
 */
export async function writeState(path: string, state: Uint8Array): Promise<void> {
  const draft = `${path}.draft`
  try {
    const file = await open(draft, 'w')
    try {
      await file.writeFile(state)
      await file.sync() // the bytes before the name: a power failure may not leave an empty file
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new AdapterError('state_file_failed', `${path} cannot be written: ${(cause as Error).message}`, { cause })
  }
}
