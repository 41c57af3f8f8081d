// The table of docs/sizes.md: made of what was measured, or held against it.
import { readFileSync, writeFileSync } from 'node:fs'

const PAGE = new URL('../../docs/sizes.md', import.meta.url)
const TOLERANCE = 0.03

const cell = (bytes) => bytes.toLocaleString('en')

/** @param rows  `{ name, all, loaded }` by bytes */
export function writeSizes(rows) {
  const table = rows.map(({ name, all, loaded }) => `| ${name} | ${cell(all)} | ${cell(loaded)} |`)
  const before = readFileSync(PAGE, 'utf8').split('\n')
  const from = before.findIndex((line) => line.startsWith('| ---')) + 1
  const to = before.findIndex((line, i) => i >= from && !line.startsWith('|'))
  writeFileSync(PAGE, [...before.slice(0, from), ...table, ...before.slice(to)].join('\n'))
}

/** @returns what the page says that is more than 3 % off, or does not say */
export function staleSizes(rows) {
  const lines = readFileSync(PAGE, 'utf8').matchAll(/^\| (.+?) \| ([\d,]+) \| ([\d,]+) \|$/gm)
  const said = new Map([...lines].map(([, name, ...cells]) => [name, cells.map((text) => +text.replaceAll(',', ''))]))
  return rows.flatMap(({ name, all, loaded }) => {
    const cells = said.get(name)
    if (!cells) return [`docs/sizes.md has no row for ${name}`]
    const isFresh = [all, loaded].every((bytes, i) => Math.abs(bytes / cells[i] - 1) <= TOLERANCE)
    return isFresh
      ? []
      : [`docs/sizes.md says ${cells.map(cell).join(' and ')} of ${name}: ${cell(all)} and ${cell(loaded)}`]
  })
}
