import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { HAS_INFLUXD, RealInflux, sayUnchecked } from './real-influx.js'

if (!HAS_INFLUXD) sayUnchecked('the example of the README')

describe.runIf(HAS_INFLUXD)('the README', () => {
  it('has an example under fifteen lines that prints what it says', async () => {
    const influx = await RealInflux.start()
    const file = new URL('./readme-example.mjs', import.meta.url)
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const [, example, output] = /```js\n(.*?)```\n\n```text\n(.*?)\n```/s.exec(readme)!
    expect(example!.trim().split('\n').length).toBeLessThan(15)
    writeFileSync(file, example!.replace('http://127.0.0.1:8086', influx.url).replace("'trimtab' }", "'t' }"))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(file.href)
      expect(log.mock.calls).toEqual([[output]])
    } finally {
      log.mockRestore()
      rmSync(file)
      await influx.stop()
    }
  })
})
