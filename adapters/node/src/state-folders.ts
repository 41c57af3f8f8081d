import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { AdapterError } from '@trimtab/core'

const SHARED = '/run/trimtab'

/**
 * Where processes say what they hold of this machine: `/run/trimtab`, which a reboot empties as it resets clocks and limits, and a folder of
 * this user's. The first is the one that this process may write; it need not be there yet.
 *
 * @throws {AdapterError} `state_folder_unsafe` when somebody else owns the latter
 */
export function stateFolders(): readonly string[] {
  const own = join(tmpdir(), `trimtab-${process.getuid?.() ?? 'state'}`)
  if (isWritable(existsSync(SHARED) ? SHARED : dirname(SHARED))) return [SHARED, own]
  const found = lstatSync(own, { throwIfNoEntry: false })
  if (found && (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())))
    throw new AdapterError('state_folder_unsafe', `${own} belongs to somebody else: name another folder`)
  return [own, SHARED]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
