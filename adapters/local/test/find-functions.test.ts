import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findFunctions } from '../src/find-functions.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-functions-'))
afterAll(() => rmSync(folder, { recursive: true }))
for (const name of ['b.mjs', 'a.js', 'c.cjs', 'notes.txt']) writeFileSync(join(folder, name), '')

describe('functions in files', () => {
  it('are those of a folder, and files that are named, once each, by the names of the files', async () => {
    const found = await findFunctions([folder, join(folder, 'a.js')])
    expect(found).toEqual([
      { name: 'a', file: join(folder, 'a.js') },
      { name: 'b', file: join(folder, 'b.mjs') },
      { name: 'c', file: join(folder, 'c.cjs') },
    ])
  })

  it.each([
    ['not there', 'missing.js', /missing\.js cannot be read: ENOENT/],
    ['no JavaScript', 'notes.txt', /notes\.txt is not JavaScript: a function is a \.js/],
  ])('are refused where a file is %s', async (_, name, message) => {
    await expect(findFunctions([join(folder, name)])).rejects.toThrow(message)
  })

  it('are refused where two have one name, or there is none', async () => {
    const other = mkdtempSync(join(folder, 'other-'))
    await expect(findFunctions([other])).rejects.toThrow(/no function in/)
    writeFileSync(join(other, 'a.mjs'), '')
    await expect(findFunctions([folder, other])).rejects.toThrow(
      /two functions named a: .*a\.js and .*a\.mjs \(rename one\)/,
    )
  })
})
