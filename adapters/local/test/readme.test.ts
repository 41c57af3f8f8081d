import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const example = /```js\n(.*?)```/s.exec(readme)![1]!

it('has an example under fifteen lines that runs as printed', async () => {
  const file = new URL('./readme-example.mjs', import.meta.url)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  writeFileSync(file, example.replaceAll("'@trimtab/local'", "'../src/index.js'"))
  try {
    await import(file.href)
    expect(log.mock.calls).toEqual([[expect.stringMatching(/^p99 \d+ ms, \d+ cold of \d\d$/)]])
  } finally {
    log.mockRestore()
    rmSync(file)
  }
  expect(example.trim().split('\n').length).toBeLessThan(15)
})
