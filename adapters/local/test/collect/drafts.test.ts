import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { draftOf, finishDrafts, nameFile } from '../../src/collect/drafts.js'
import { FRAMINGS } from '../../src/collect/framing.js'

const DEAD = 2 ** 22 + 1 // beyond the largest pid

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-drafts-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe.each(Object.values(FRAMINGS))('what a killed collector left of a .$suffix file', (framing) => {
  const batches = ['first', 'second, which is longer', 'x'.repeat(300)].map((text) =>
    Buffer.concat(framing.frame(Buffer.from(text))),
  )
  const whole = Buffer.concat(batches)

  it('ends, wherever it was cut, behind the last whole batch', async () => {
    for (let cut = 0; cut <= whole.length; cut++) {
      mkdirSync(join(folder, String(cut)))
      const name = nameFile(0, framing.suffix)
      writeFileSync(join(folder, String(cut), `${name}.${DEAD}--.draft`), whole.subarray(0, cut))
      let kept = 0
      for (const { length } of batches) if (kept + length <= cut) kept += length
      expect(await finishDrafts(join(folder, String(cut)))).toEqual(kept > 0 ? [name] : [])
      const left = readdirSync(join(folder, String(cut)))
      expect(left).toEqual(kept > 0 ? [name] : [])
      if (kept > 0) expect(readFileSync(join(folder, String(cut), name))).toEqual(whole.subarray(0, kept))
    }
  })

  it('is left alone while its writer lives, and so is what is not ours', async () => {
    const name = nameFile(0, framing.suffix)
    const names = [draftOf(name), `${name}.${process.pid}--.draft`, 'traces.draft', 'notes.jsonl']
    for (const each of names) writeFileSync(join(folder, each), whole.subarray(0, 7))
    expect(await finishDrafts(folder)).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(names.sort())
  })
})
