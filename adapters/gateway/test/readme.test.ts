import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { startDouble } from './protocol-double.mjs'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const example = /```js\n(.*?)```/s.exec(readme)![1]!

it('has an example under fifteen lines that runs as printed, before a double', async () => {
  const double = await startDouble()
  const file = new URL('./readme-example.mjs', import.meta.url)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  writeFileSync(file, example.replace('http://127.0.0.1:8000', double.url).replace('8080', '0'))
  try {
    await import(file.href)
    expect(log.mock.calls).toEqual([[200, 3, 'tokens,', 1, 'served']])
  } finally {
    log.mockRestore()
    rmSync(file)
    await double.close()
  }
  expect(example.trim().split('\n').length).toBeLessThan(15)
})
