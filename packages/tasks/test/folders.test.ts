// A task is a folder: each has the same parts, and a subpath of its own that users import.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const folders = readdirSync(at('../src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const exportsOf = (manifest: string): string[] => Object.keys(JSON.parse(readFileSync(at(manifest), 'utf8')).exports)

it.each(folders)('%s can be imported by its subpath, from @trimtab/tasks and from trimtab', (folder) => {
  expect(exportsOf('../package.json')).toContain(`./${folder}`)
  expect(exportsOf('../../cli/package.json')).toContain(`./tasks/${folder}`)
})

it.each(folders)('%s defines its task, its numbers beside it', (folder) => {
  for (const file of ['index.ts', 'task.ts', 'preset.ts']) expect(existsSync(at(`../src/${folder}/${file}`))).toBe(true)
})
