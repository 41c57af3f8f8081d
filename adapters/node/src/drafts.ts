// Drafts lie beside the file they are to become. Their names say who writes them, so that those of the dead can be told and cleared.
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { type FileCalls, type Steps, wait } from './file-calls.js'
import { ownIdentity, stateOf } from './process-identity.js'

const LONGEST_START = 60 // of the file's own name: with the rest it fits into the 255 bytes of a name, in any script
const PATTERN = /\.(\d+)-(\d*)-(\d*)-[0-9a-f]{12}\.draft$/
const DAY_MS = 86_400_000

const startOf = (target: string): string => basename(target).slice(0, LONGEST_START)

/** A name for a new draft of `target`: `report.html.4242-81263-4026531836-5f0c6e21a7d4.draft` (pid, its start, its pid namespace). */
export function nameDraft(target: string): string {
  const { pid, startTime = '', pidNamespace = '' } = ownIdentity()
  const writer = `${pid}-${startTime}-${/\d+/.exec(pidNamespace)?.[0] ?? ''}`
  return join(dirname(target), `${startOf(target)}.${writer}-${randomBytes(6).toString('hex')}.draft`)
}

/**
 * Removes the drafts of `target` that dead processes left behind; those of another container, which cannot be asked whether it lives,
 * after a day. What cannot be looked at or removed stays: it is in nobody's way.
 */
export function* clearDrafts(target: string, files: FileCalls): Steps<void> {
  const folder = dirname(target)
  for (const name of yield* wait(files.list(folder))) {
    if (!name.startsWith(`${startOf(target)}.`)) continue
    const [, pid, startTime, namespace] = PATTERN.exec(name) ?? []
    if (pid === undefined) continue
    const state = stateOf({
      pid: Number(pid),
      startTime: startTime || undefined,
      pidNamespace: namespace ? `pid:[${namespace}]` : undefined,
    })
    const draft = join(folder, name)
    const isLeft = state === 'dead' || (state === 'unknown' && (yield* wait(files.ageMs(draft))) > DAY_MS)
    if (isLeft) yield* wait(files.remove(draft))
  }
}
