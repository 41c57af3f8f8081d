import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { HAS_NATS, RealNats, sayUnchecked } from './real-nats.js'

if (!HAS_NATS) sayUnchecked('the example of the README')

describe.runIf(HAS_NATS)('the README', () => {
  it('has an example under twenty lines that prints what it says', async () => {
    const nats = await RealNats.start()
    const file = new URL('./readme-example.mjs', import.meta.url)
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const [, example, output] = /```js\n(.*?)```\n\n```text\n(.*?)\n```/s.exec(readme)!
    expect(example!.trim().split('\n').length).toBeLessThan(20)
    writeFileSync(file, example!.replace('4222', String(nats.port)))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(file.href)
      expect(log.mock.calls).toEqual([[output]])
    } finally {
      log.mockRestore()
      rmSync(file)
      await nats.stop()
    }
  })
})
