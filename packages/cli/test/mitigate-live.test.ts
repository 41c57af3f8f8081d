import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { send } from '../../../adapters/local/test/collect/send.js'
import { parseServices } from '../src/mitigation/services-file.js'
import { type Running, start } from './trimtab.js'

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

/** What a run in --json has said so far. */
const eventsOf = (out: string): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))

describe('trimtab mitigate --live --act', () => {
  const pids: number[] = []
  const calls: Running[] = []
  afterEach(async () => {
    for (const { child, ended } of calls.splice(0)) {
      child.kill('SIGKILL') // where it has not ended: the next one could not hold anything
      await ended
    }
    for (const pid of pids.splice(0))
      try {
        process.kill(pid, 'SIGKILL')
      } catch {} // it has ended
  })
  const idle = (): ChildProcess => {
    const child = spawn('sleep', ['1000'], { detached: true })
    pids.push(child.pid!)
    return child
  }
  const write = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    return join(folder, name)
  }
  const servicesFile = (services: object): string => write('services.json', { format: 'trimtab-services/1', services })
  const groupsOf = (pid: number): string => readFileSync(`/proc/${pid}/cgroup`, 'utf8')

  async function act(services: string, window: string): Promise<{ running: Running; out: () => string; port: number }> {
    const baseline = write('usual.json', batchOf(0, 50, 2))
    const options = ['--baseline', baseline, '--services', services, '--state', join(folder, 'state')]
    const running = start(['mitigate', '--live', '--act', ...options, '--port', '0', '--window', window, '--json'])
    calls.push(running)
    let out = ''
    running.child.stdout!.on('data', (text) => (out += text))
    await expect.poll(() => out, { timeout: 60_000 }).toMatch(/"held"/)
    const [{ url }] = eventsOf(out) as [{ url: string }]
    return { running, out: () => out, port: Number(new URL(url).port) }
  }

  it('raises the limits of whoever is named, replaces it where that does not help, and gives all limits back', async () => {
    const cart = idle()
    const before = groupsOf(cart.pid!)
    const pidFile = write('cart.pid', `${cart.pid}\n`)
    const replace = ['sh', '-c', `sleep 1000 >&- 2>&- & echo $! > '${pidFile}'`]
    const services = servicesFile({ cart: { pidFile, cores: 0.2, replace } })
    const { running, out, port } = await act(services, '2')
    const [held] = eventsOf(out()).filter(({ event }) => event === 'held') as { holds: string[]; by: string }[]
    expect(held).toMatchObject({ holds: ['cpu'], pids: { cart: cart.pid } })
    if (held!.by.startsWith('cgroup')) expect(groupsOf(cart.pid!)).toMatch(/trimtab-service/)
    // As many as ever, first as usual and then late: whoever only has more to do is not replaced.
    let sent = 0
    const ask = async (wayMs: number): Promise<void> => {
      await send(port, batchOf(100 * ++sent, 20, wayMs))
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    while (sent < 80) await ask(2)
    while (Number(readFileSync(pidFile, 'utf8')) === cart.pid) {
      expect(sent, out()).toBeLessThan(600)
      await ask(50)
    }
    await expect.poll(() => out(), { timeout: 60_000 }).toMatch(/"over"/)
    const successor = Number(readFileSync(pidFile, 'utf8'))
    pids.push(successor)
    expect(successor).not.toBe(cart.pid)
    running.child.kill('SIGTERM')
    const { code, out: all, err } = await running.ended
    expect([code, err]).toEqual([0, ''])
    const events = eventsOf(all)
    const [named] = events.filter(({ event }) => event === 'named')
    expect(named).toMatchObject({ instance: 'cart', service: 'cart', account: { route: ['front', 'cart'] } })
    const [over] = events.filter(({ event }) => event === 'over') as { steps: { kind: string; done: string }[] }[]
    expect(over!.steps.map(({ kind, done }) => [kind, done])).toEqual([
      ['limits', expect.stringMatching(/whole|part/)], // a machine of one core has less
      ['replace', 'whole'],
    ])
    expect(events.at(-1)).toMatchObject({ event: 'stopped' })
    for (const pid of [cart.pid!, successor]) expect(groupsOf(pid)).toBe(before)
  }, 300_000)

  it('says whom it is named that it may not change, and when a process has ended', async () => {
    const other = idle()
    const { running, out, port } = await act(servicesFile({ stock: { pid: other.pid, cores: 0.5 } }), '0.5')
    await send(port, batchOf(100, 20, 50))
    await expect.poll(() => out(), { timeout: 30_000 }).toMatch(/"finding".*"service":"cart"/)
    other.kill('SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    running.child.kill('SIGTERM')
    const { code, out: all, err } = await running.ended
    expect([code, err]).toEqual([0, `stock, process ${other.pid}, has ended: it is held no more\n`])
    expect(eventsOf(all).some(({ event }) => event === 'named')).toBe(false)
  }, 120_000)

  it('is refused where a process is not there, before anything changes', async () => {
    const gone = idle()
    gone.kill('SIGKILL')
    await once(gone, 'exit')
    const services = servicesFile({ cart: { pid: gone.pid, cores: 0.5 } })
    const baseline = write('usual.json', batchOf(0, 50, 2))
    const options = ['--baseline', baseline, '--services', services, '--port', '0']
    const { code, err } = await start(['mitigate', '--live', '--act', ...options]).ended
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(new RegExp(`cart is process ${gone.pid}, which does not run`)),
    ])
  })
})

describe('a file of services', () => {
  const fileOf = (more: object): string => JSON.stringify({ format: 'trimtab-services/1', ...more })
  const one = (entry: object, more: object = {}): string => fileOf({ services: { cart: entry }, ...more })

  it('names processes, limits and replacements', () => {
    const text = one({ pidFile: 'cart.pid', cores: 0.5, diskMBps: 2, replace: ['restart', 'cart'] }, { folder: '/srv' })
    expect(parseServices(text)).toEqual({
      folder: '/srv',
      services: [
        { name: 'cart', process: { pidFile: 'cart.pid' }, cores: 0.5, diskMBps: 2, replace: ['restart', 'cart'] },
      ],
    })
    expect(parseServices(one({ pid: 4711, cores: 0.5 })).services).toEqual([
      { name: 'cart', process: { pid: 4711 }, cores: 0.5, diskMBps: Number.POSITIVE_INFINITY },
    ])
  })

  it.each([
    ['no JSON', 'cart', /services are a JSON file/],
    ['another format', '{"cart":{"pid":4711}}', /says "format": "trimtab-services\/1"/],
    ['nobody', fileOf({ services: {} }), /services must have an object for each service/],
    ['no process', one({ cores: 1 }), /services\.cart needs pid or pidFile/],
    ['two processes', one({ pid: 2, pidFile: 'a', cores: 1 }), /needs pid or pidFile, one of them/],
    ['process 1', one({ pid: 1, cores: 1 }), /services\.cart\.pid must be the number of a process/],
    ['no cores', one({ pid: 2 }), /services\.cart\.cores must be above 0/],
    ['a disk nobody knows', one({ pid: 2, cores: 1, diskMBps: 1 }), /diskMBps needs "folder"/],
    ['a replacement unseen', one({ pid: 2, cores: 1, replace: ['a'] }), /replace needs pidFile/],
    ['a line of shell', one({ pidFile: 'a', cores: 1, replace: 'restart cart' }), /replace must be a list/],
    ['a misspelt field', one({ pid: 2, cores: 1, core: 2 }), /services\.cart\.core is no option/],
  ])('is refused with %s', (_, text, why) => {
    expect(() => parseServices(text)).toThrow(why)
  })
})

it.each([
  [['--live'], /--baseline FILE is needed/],
  [['--live', 'a.json', '--baseline', 'b.json'], /leave the files out/],
  [['--live', '--baseline', 'b.json', '--act'], /--act with --live needs --services FILE/],
  [['--services', 'c.json', '--act'], /--services is for --live --act/],
])('trimtab mitigate %s is refused', async (argv, why) => {
  const { code, err } = await start(['mitigate', ...argv]).ended
  expect([code, err]).toEqual([2, expect.stringMatching(why)])
})
