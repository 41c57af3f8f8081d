import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseTraces, toSpans } from '@trimtab/trace'
import { afterAll, describe, expect, it } from 'vitest'
import { batchOf, send } from '../../../adapters/local/test/collect/send.js'
import { type Running, start } from './trimtab.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-collect-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function collect(): Promise<Running & { port: number }> {
  const running = start(['collect', '--to', folder, '--port', '0', '--json', '--file-seconds', '0.2'])
  const [line] = (await once(running.child.stdout!, 'data')) as [Buffer]
  return { ...running, port: Number(new URL(JSON.parse(line.toString()).url).port) }
}

/** Span ids in all finished files; a repair would show that one is torn. */
function filedIds(): Set<number> {
  const files = readdirSync(folder).filter((name) => !name.endsWith('.draft'))
  const traces = files.flatMap((name) => parseTraces(readFileSync(join(folder, name))))
  expect(traces.filter(({ repairs }) => repairs.total > 0)).toEqual([])
  return new Set(traces.flatMap((trace) => toSpans(trace).map(({ id }) => Number.parseInt(id, 16))))
}

describe('trimtab collect', () => {
  it('is killed at any moment: every file with a name is whole, and after a restart all that it said yes to is in them', async () => {
    const acknowledged = new Set<number>()
    let next = 0
    for (let kill = 0; kill < 6; kill++) {
      const { port, child, ended } = await collect()
      let isAlive = true
      const flood = Array.from({ length: 4 }, async () => {
        while (isAlive) {
          const first = next
          next += 50
          const answer = await send(port, batchOf(first, 50, 'y'.repeat(1000))).catch(() => undefined)
          if (answer?.status === 200) for (let i = 0; i < 50; i++) acknowledged.add(first + i + 1)
        }
      })
      const goal = acknowledged.size + 300 * (kill + 1)
      await expect.poll(() => acknowledged.size).toBeGreaterThan(goal)
      child.kill('SIGKILL')
      await ended
      isAlive = false
      await Promise.all(flood)
      filedIds()
    }
    const last = await collect()
    last.child.kill('SIGTERM')
    const { code, out } = await last.ended
    expect(code).toBe(0)
    expect(JSON.parse(out.trim().split('\n').at(-1)!)).toMatchObject({ event: 'stopped', spans: 0 })
    const filed = filedIds()
    expect([...acknowledged].filter((id) => !filed.has(id))).toEqual([])
    expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([])
  })
})
