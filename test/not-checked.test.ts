import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const EMPTY_TEST = /\bit\((`[^`]*`|'[^']*'|"[^"]*"), (async )?\(\) => \{\s*\}\)/

it('no test passes without a check: what cannot run here is skipped by notChecked', () => {
  const files = ['packages', 'adapters', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
      .map((path) => join(folder, path)),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => EMPTY_TEST.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([])
})
