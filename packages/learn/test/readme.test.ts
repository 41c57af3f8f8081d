import { readFileSync } from 'node:fs'
import * as core from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import * as learn from '../src/index.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const example = /```js\n(.*?)```/s.exec(readme)![1]!

describe('the first example of the README', () => {
  it('is under fifteen lines', () => {
    expect(example.trim().split('\n').length).toBeLessThan(15)
  })

  it('runs as printed and draws the curve that it learned', async () => {
    const lines: string[] = []
    const body = example.replaceAll(/^import .*$/gm, '')
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor
    const bindings = { ...core, ...learn, console: { log: (...words: unknown[]) => lines.push(words.join(' ')) } }
    await new AsyncFunction(...Object.keys(bindings), body)(...Object.values(bindings))
    // A bar of 20 (1 + load³): one block a core.
    const bars = lines.map((line) => line.trim().split(' ') as [string, string])
    expect(bars.length).toBeGreaterThan(5)
    for (const [load, bar] of bars) expect(Math.abs(bar.length - 20 * (1 + Number(load) ** 3))).toBeLessThan(5)
  })
})
