import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as trimtab from '../src/index.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const example = /```js\n(.*?)```/s.exec(readme)![1]!

describe('the README', () => {
  it('has an example under fifteen lines that runs as printed', async () => {
    expect(example.trim().split('\n').length).toBeLessThan(15)
    const lines: string[] = []
    const body = example.replaceAll(/^import .*$/gm, '')
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor
    const bindings = { ...trimtab, console: { log: (line: string) => lines.push(line) } }
    await new AsyncFunction(...Object.keys(bindings), body)(...Object.values(bindings))
    expect(lines.join()).toMatch(/^HPA\+VPA: 1\d\d\.\d of 200, [\d.]+ % violations, \d+\.\d cores$/)
  })

  it('names every subpath of the package', () => {
    const subpaths = Object.keys(manifest.exports).filter((path) => path !== './package.json')
    for (const path of subpaths) expect(readme).toContain(`| \`trimtab${path.slice(1)}\``)
  })
})
