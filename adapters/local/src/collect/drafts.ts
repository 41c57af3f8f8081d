import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownIdentity, stateOf } from '@trimtab/node/files'
import { FRAMINGS, type Framing } from './framing.js'

// traces-20261129T141500123Z-5f0c6e21.jsonl and, while somebody writes it, .<pid>-<its start>-<its pid namespace>.draft behind it
const FINISHED = /^traces-\d{8}T\d{9}Z-[0-9a-f]{8}\.(jsonl|binpb)$/
const DRAFT = /^(traces-\d{8}T\d{9}Z-[0-9a-f]{8}\.(jsonl|binpb))\.(\d+)-(\d*)-(\d*)\.draft$/

/** A name for a new file: names in order are files in order. */
export const nameFile = (openedAt: number, suffix: string): string =>
  `traces-${new Date(openedAt).toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}.${suffix}`

/** What a file is called while this process writes it. */
export function draftOf(file: string): string {
  const { pid, startTime = '', pidNamespace = '' } = ownIdentity()
  return `${file}.${pid}-${startTime}-${/\d+/.exec(pidNamespace)?.[0] ?? ''}.draft`
}

/** Finished files of a folder, the oldest first. */
export const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => FINISHED.test(name)).sort()

/**
 * Finishes what dead processes left: cut behind its last whole batch, it gets its name; without any it goes.
 * @returns names of the finished files
 */
export async function finishDrafts(folder: string): Promise<string[]> {
  const finished: string[] = []
  for (const draft of (await readdir(folder)).sort()) {
    const [, name, suffix, pid, startTime, namespace] = DRAFT.exec(draft) ?? []
    if (name === undefined) continue
    const writer = { pid: Number(pid), startTime: startTime || undefined }
    if (stateOf({ ...writer, pidNamespace: namespace ? `pid:[${namespace}]` : undefined }) !== 'dead') continue
    const framing = Object.values(FRAMINGS).find((each) => each.suffix === suffix)!
    const length = await cutTorn(join(folder, draft), framing)
    if (length > 0) await rename(join(folder, draft), join(folder, name))
    else await rm(join(folder, draft))
    if (length > 0) finished.push(name)
  }
  return finished
}

async function cutTorn(path: string, framing: Framing): Promise<number> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const whole = await framing.wholeLength(file, size)
    if (whole < size) await file.truncate(whole)
    return whole
  } finally {
    await file.close()
  }
}
