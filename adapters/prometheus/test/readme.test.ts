import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from './real-prometheus.js'

if (!HAS_PROMETHEUS) sayUnchecked('the example of the README')

describe.runIf(HAS_PROMETHEUS)('the README', () => {
  it('has an example under fifteen lines that measures what there is', async () => {
    const now = Math.floor(Date.now() / 1000)
    const prometheus = await RealPrometheus.start({ samples: `queue_length{app="shop"} 3 ${now - 5}` })
    const file = new URL('./readme-example.mjs', import.meta.url)
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const example = /```js\n(.*?)```/s.exec(readme)![1]!
    expect(example.trim().split('\n').length).toBeLessThan(15)
    writeFileSync(file, example.replace('http://127.0.0.1:9090', prometheus.url))
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(file.href)
      expect(log.mock.calls).toEqual([
        [
          { ratePerSecond: undefined, p99Ms: undefined, queued: 3 },
          { ratePerSecond: 'no series', p99Ms: 'no series' },
        ],
      ])
    } finally {
      log.mockRestore()
      rmSync(file)
      await prometheus.stop()
    }
  })
})
