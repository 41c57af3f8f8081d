import { readFileSync } from 'node:fs'
import * as core from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import * as serve from '../src/index.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const example = /```js\n(.*?)```/s.exec(readme)![1]!

describe('the first example of the README', () => {
  it('is under fifteen lines', () => {
    expect(
      example
        .replaceAll(/^\/\/.*\n/gm, '')
        .trim()
        .split('\n').length,
    ).toBeLessThan(15)
  })

  it('runs as printed and prints what it says', async () => {
    const lines: string[] = []
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor
    const bindings = { ...core, ...serve, console: { log: (...words: unknown[]) => lines.push(words.join(' ')) } }
    const body = example.replaceAll(/^import .*$/gm, '')
    await new AsyncFunction(...Object.keys(bindings), body)(...Object.values(bindings))
    const shown = Array.from(example.matchAll(/^\/\/ (.*)$/gm), ([, line]) => line)
    expect(lines).toEqual(shown)
  })
})

describe('the README', () => {
  it('names only options and errors that exist', () => {
    const words = Array.from(readme.matchAll(/`([a-z]+_[a-z]+)`/g), ([, word]) => word!)
    const source = ['waiting-line', 'scheduler', 'batch-scheduler'].map((name) =>
      readFileSync(new URL(`../src/scheduler/${name}.ts`, import.meta.url), 'utf8'),
    )
    for (const word of words) expect(source.join('')).toContain(word)
  })
})
