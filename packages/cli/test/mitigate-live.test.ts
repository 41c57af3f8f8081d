import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { send } from '../../../adapters/local/test/collect/send.js'
import { start } from './trimtab.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-mitigate-live-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SERVER = 2
const CLIENT = 3

/** Requests of 10 ms to the front, most of them spent on the cart; the way to it may take longer. */
function batchOf(first: number, count: number, wayMs: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  const ns = (ms: number): string => `${1_700_000_000_000_000_000n + BigInt(Math.round(1e6 * ms))}`
  const resourceSpans = ['front', 'cart'].map((service) => ({
    resource: {
      attributes: [
        { key: 'service.name', value: { stringValue: service } },
        { key: 'service.instance.id', value: { stringValue: `${service}-0` } },
      ],
    },
    scopeSpans: [
      {
        spans: Array.from({ length: count }, (_, i) => {
          const span = (id: number, parent: number, name: string, kind: number, fromMs: number, toMs: number) => ({
            ...{ traceId: hex(first + i + 1, 32), spanId: hex(10 * (first + i + 1) + id, 16), name, kind },
            ...(parent > 0 && { parentSpanId: hex(10 * (first + i + 1) + parent, 16) }),
            ...{ startTimeUnixNano: ns(fromMs), endTimeUnixNano: ns(toMs) },
          })
          const end = 1 + wayMs + 6
          return service === 'front'
            ? [span(1, 0, 'front/browse', SERVER, 0, end + 1), span(2, 1, 'cart/read', CLIENT, 1, end)]
            : [span(3, 2, 'cart/read', SERVER, 1 + wayMs / 2, 7 + wayMs / 2)]
        }).flat(),
      },
    ],
  }))
  return JSON.stringify({ resourceSpans })
}

it('trimtab mitigate --live names whom late requests wait for as their spans come, and what to do', async () => {
  const baseline = join(folder, 'usual.json')
  writeFileSync(baseline, batchOf(0, 50, 2))
  const running = start(['mitigate', '--live', '--baseline', baseline, '--port', '0', '--window', '0.5', '--json'])
  const [line] = (await once(running.child.stdout!, 'data')) as [Buffer]
  const { url, slosMs } = JSON.parse(line.toString())
  expect(slosMs).toEqual({ 'front/browse': expect.closeTo(15, 6) })
  let out = ''
  running.child.stdout!.on('data', (text) => (out += text))
  expect((await send(Number(new URL(url).port), batchOf(100, 20, 2))).status).toBe(200) // nothing to say of these
  expect((await send(Number(new URL(url).port), batchOf(200, 20, 50))).status).toBe(200)
  await expect.poll(() => out).toMatch(/finding/)
  running.child.kill('SIGTERM')
  const { code, out: all } = await running.ended
  const events = all
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(code).toBe(0)
  const findings = events.filter(({ event }) => event === 'finding')
  expect(findings.length).toBeGreaterThan(0)
  const edge = { caller: 'front', callee: 'cart', kind: 'call' }
  for (const { because } of findings) expect(because).toMatchObject({ instance: 'cart-0', late: 20, edge })
  expect(findings[0].account.route).toEqual(['front', 'cart'])
  expect(findings[0].account.predictedMs).toBeLessThan(findings[0].account.lateMs)
  expect(events.at(-1)).toEqual({ event: 'stopped', requests: 40 })
})

it.each([
  [['--live'], /--baseline FILE is needed/],
  [['--live', 'a.json', '--baseline', 'b.json'], /leave the files out/],
  [['--live', '--baseline', 'b.json', '--act'], /--act is for the simulator/],
])('trimtab mitigate %s is refused', async (argv, why) => {
  const { code, err } = await start(['mitigate', ...argv]).ended
  expect([code, err]).toEqual([2, expect.stringMatching(why)])
})
