// Readers that leave, disks that are full, signals at bad moments: the built command in processes of its own.
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { jaegerJson, shopRequests } from './sample-traces.js'
import { type Running, start } from './trimtab.js'

let folder: string
let traces: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-streams-'))
  traces = join(folder, 'shop.json')
  writeFileSync(traces, jaegerJson(shopRequests(400)))
})
const running = new Set<Running>()
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const begin = (...call: Parameters<typeof start>): Running => {
  const one = start(...call)
  running.add(one)
  one.ended.then(() => running.delete(one))
  return one
}

const firstLine = ({ child }: Running): Promise<string> =>
  new Promise((resolve) => child.stdout!.once('data', (text) => resolve(String(text).split('\n')[0]!)))

/** What is said on stderr beside the progress of a slow machine. */
const problems = (err: string): string => err.replace(/^ *\d+ % · .*\n/gm, '')

const LONG_ANSWER = ['trace', 'critical-path', '--json', '--top', '1000']

describe('a command whose reader leaves', () => {
  it('ends quietly with the code it would have had', async () => {
    const one = begin([...LONG_ANSWER, traces])
    one.child.stdout!.once('data', () => one.child.stdout!.destroy())
    const { code, err } = await one.ended
    expect([code, problems(err)]).toEqual([0, ''])
  })

  it('ends as usual where nobody ever listened to its problems', async () => {
    const one = begin(['trace', 'profile', 'no-such-file'])
    one.child.stderr!.destroy()
    expect(await one.ended).toMatchObject({ code: 2, signal: null })
  })
})

describe('a gateway whose log pipe has gone', () => {
  it.each([[[]], [['--json']]])('goes on to serve and to drain (%j)', async (more) => {
    const upstream = ['--upstream', 'http://127.0.0.1:1', '--upstream-wait', '0', '--concurrency', '1']
    const one = begin(['gateway', ...upstream, '--port', '0', '--json', ...more])
    const { url } = JSON.parse(await firstLine(one))
    one.child.stdout!.destroy()
    one.child.stderr!.destroy()
    const ask = async (path: string, body: string) => (await fetch(url + path, { method: 'POST', body })).status
    for (let i = 0; i < 3; i++) {
      expect(await ask('/v1/chat/completions', 'no json')).toBe(400)
      expect(await ask('/v1/chat/completions', '{"model":"m","messages":[]}')).toBe(502)
      expect(await ask('/v1/embeddings', '{}')).toBe(502)
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    one.child.kill('SIGTERM')
    expect(await one.ended).toMatchObject({ code: 0, signal: null })
  })
})

describe('a command that cannot write', () => {
  if (existsSync('/dev/full')) {
    it('says so in one line and fails when its answer is lost', async () => {
      const full = openSync('/dev/full', 'w')
      const one = begin([...LONG_ANSWER, traces], { stdio: ['ignore', full, 'pipe'] })
      const { code, err } = await one.ended
      closeSync(full)
      expect(code).toBe(1)
      expect(problems(err)).toMatch(/^trimtab: the answer cannot be written: ENOSPC[^\n]*\n$/)
    })
  } else notChecked('an answer that meets a full disk', '/dev/full (Linux)')

  if (process.platform === 'linux') {
    it('says so in one line, fails and leaves the older report when the disk is full', async () => {
      const report = join(folder, 'report.html')
      writeFileSync(report, 'older')
      // A limit on the size of files (EFBIG) is what a test can have of a disk that fills up in the middle (ENOSPC).
      const { code, err } = await begin([...LONG_ANSWER, traces, '--report', report], {}, 'ulimit -f 1; exec "$0" "$@"')
        .ended
      expect(code).toBe(1)
      expect(problems(err)).toMatch(/^trimtab: .*report\.html cannot be written: EFBIG[^\n]*\n$/)
      expect(readFileSync(report, 'utf8')).toBe('older')
      expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([])
    })
  } else notChecked('a report that meets a full disk', 'a limit on the size of files (Linux)')
})

describe('SIGTERM', () => {
  const requests = () => {
    const file = join(folder, 'requests.jsonl')
    const line = (i: number) =>
      JSON.stringify({ model: 'm', prompt: `say ${i} words`, output_tokens: 1 + (i % 500), arrival_s: i })
    writeFileSync(file, Array.from({ length: 2000 }, (_, i) => line(i)).join('\n'))
    return file
  }
  const runs = () => {
    const file = join(folder, 'runs.csv')
    const rows = Array.from({ length: 900 }, (_, i) => `f${i % 60},${128 << Math.floor(i / 60 / 3)},${10 + i}`)
    writeFileSync(file, ['function,memory_mb,duration_ms', ...rows].join('\n'))
    return file
  }

  it.each([
    ['waits for stdin', () => ['trace', 'profile', '-']],
    ['waits for prompts', () => ['predict-length', 'run', '-']],
    ['computes in one long stretch', () => ['predict-length', 'train', requests(), '--epochs', '1000', '--out', 'm']],
    [
      'replays',
      () => [
        'schedule',
        '--requests',
        requests(),
        ...['--arrivals', 'poisson', '--count', '1000000', '--seeds', '1000'],
      ],
    ],
    ['cross-validates', () => ['rightsize', runs(), '--predictor', 'network', '--repeats', '100']],
    ['pretrains on workers', () => ['pretrain', 'autoscaling', '--out', join(folder, 'policy')]],
    ['compares on workers', () => ['autoscale', '--no-report', '--seeds', '50']],
  ])('ends in a second a command that %s', { retry: 2 }, async (_, argv) => {
    // on a busy machine a second may pass it by
    const one = begin(argv(), { cwd: folder })
    await new Promise((resolve) => setTimeout(resolve, 1500)) // in the middle of it
    expect(one.child.exitCode).toBeNull()
    const told = performance.now()
    one.child.kill('SIGTERM')
    const { code, signal, out } = await one.ended
    expect(performance.now() - told).toBeLessThan(1000)
    expect(signal ?? code).toSatisfy((end) => end === 'SIGTERM' || end === 130)
    expect(out).toBe('')
  })

  it('given twice ends a server that is still draining at once', async () => {
    const held = createServer(() => {}) // takes requests and never answers
    await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve))
    const { port } = held.address() as AddressInfo
    const upstream = ['--upstream', `http://127.0.0.1:${port}`, '--concurrency', '1']
    const one = begin(['gateway', ...upstream, '--port', '0', '--json'])
    const { url } = JSON.parse(await firstLine(one))
    const asked = new Promise((resolve) => held.once('request', resolve))
    const answer = fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","messages":[]}' })
    answer.catch(() => {}) // cut off
    await asked
    one.child.kill('SIGTERM')
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(503)
    one.child.kill('SIGINT')
    expect(await one.ended).toMatchObject({ code: null, signal: 'SIGINT' })
    held.closeAllConnections()
    held.close()
  })
})
