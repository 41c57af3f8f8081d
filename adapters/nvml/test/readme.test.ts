import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FakeNvml, HAS_GCC, sayUnchecked } from './fake/index.js'

if (!HAS_GCC) sayUnchecked('the example of the README')

describe.runIf(HAS_GCC)('the README', () => {
  let fake: FakeNvml
  beforeAll(() => {
    fake = new FakeNvml().install()
  })
  afterAll(() => fake.remove())

  it('has an example under fifteen lines that locks, reads and gives back', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const example = /```js\n(.*?)```/s.exec(readme)![1]!
    expect(example.trim().split('\n').length).toBeLessThan(15)
    const file = new URL('./readme-example.mjs', import.meta.url)
    const here = example
      .replace('Nvml.open()', `Nvml.open(${JSON.stringify(fake.library)})`)
      .replace('{ onNotice', `{ leaseFolder: ${JSON.stringify(fake.leaseFolder)}, onNotice`)
    writeFileSync(file, here)
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(file.href)
      expect(log.mock.calls).toEqual([['GPU-fake-0: 1200 MHz, 233.834 W, too early to tell']])
    } finally {
      log.mockRestore()
      rmSync(file)
    }
    expect(fake.journal()).toEqual(['lock 0 1200 1200', 'reset 0'])
  })
})
