import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { madeFiles, OPERATOR } from '../../../../scripts/make-manifests.mjs'

const made: Readonly<Record<string, string>> = madeFiles()

it.each(Object.entries(made))(
  '%s is what the source makes (node scripts/make-manifests.mjs writes it)',
  (path, text) => {
    expect(readFileSync(join(OPERATOR, path), 'utf8')).toBe(text)
  },
)

it('there is no manifest that nothing makes', () => {
  const files = ['manifests', 'chart'].flatMap((folder) =>
    readdirSync(join(OPERATOR, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(OPERATOR.length + 1)),
  )
  expect(files.filter((file) => made[file] === undefined)).toEqual([])
})
