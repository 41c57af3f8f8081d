import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { readStatus, restoreLinux } from '@trimtab/linux'
import type { LiveBlock, PeriodRecord } from '@trimtab/local/live'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'
import { BIN, type Running, start } from './trimtab.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-live-command-'))
chmodSync(folder, 0o777) // for another user too
afterAll(() => rmSync(folder, { recursive: true }))

let running: Running
afterEach(() => running?.child.kill('SIGKILL'))

const SHORT = [
  'live',
  '--period',
  '0.5',
  '--block-seconds',
  '2',
  '--blocks',
  '1',
  '--warm-up-seconds',
  '2.5',
  '--state',
  folder,
]
const NOBODY = '65534'
const AS_NOBODY = `exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$0" "$@"`
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, BIN, '--version'])
    .status === 0

/** Children of a process and theirs, as Linux tells. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false
      }
    })
    .map(Number)
  return [...children, ...children.flatMap(familyOf)]
}

const isThere = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const { hasSchedstat, controllers } = readStatus(undefined, [])
const hasGroups = controllers.some(({ controller, version }) => controller === 'cpu' && version === 1)
if (!hasSchedstat) notChecked('trimtab live', 'Linux that counts times of tasks (CONFIG_SCHED_INFO)')
if (!canBeNobody)
  notChecked('trimtab live without root, beside that with it', 'root, setpriv, and a checkout that others may read')

describe.runIf(hasSchedstat)('trimtab live', () => {
  it.each([
    ['as who runs this', undefined, /^(cgroup version [12]|signals)$/] as const,
    ...(canBeNobody ? [['without root', AS_NOBODY, /^signals$/] as const] : []),
  ])(
    'measures every arm on the same arrivals, and leaves nothing: %s',
    async (name, shell, limiter) => {
      const [markdown, record] = ['report.md', 'record.json'].map((file) => join(folder, `${name} ${file}`))
      running = start(
        [...SHORT, '--json', '--report', markdown!, '--record', record!],
        { stdio: ['ignore', 'pipe', 'pipe'] },
        shell,
      )
      const { code, out, err } = await running.ended
      expect([0, 1], err).toContain(code)
      const report = JSON.parse(out)
      const { settings, measured, verdict } = report
      expect(settings).toMatchObject({
        arms: ['hpa', 'resize', 'trimtab'],
        blocks: 1,
        blockPeriods: 4,
        periodSeconds: 0.5,
      })
      expect(measured.limiter).toMatch(limiter)
      expect(measured.blocks.map(({ arm, round }: LiveBlock) => `${arm} ${round}`)).toEqual([
        'hpa 0',
        'resize 0',
        'trimtab 0',
      ])
      const arrivals = measured.blocks.map(({ periods }: LiveBlock) => periods.map((period) => period.arrivals))
      expect(new Set(arrivals.map(String)).size).toBe(1)
      expect(arrivals[0].reduce((sum: number, one: number) => sum + one)).toBeGreaterThan(100)
      for (const { periods } of measured.blocks as LiveBlock[]) {
        const sum = (of: (period: PeriodRecord) => number) => periods.reduce((total, period) => total + of(period), 0)
        expect(sum(({ coreSeconds }) => coreSeconds)).toBeGreaterThan(0.124 * 2)
        expect(sum(({ usedCores }) => usedCores)).toBeGreaterThan(0) // of one period there may be none: what was used too much is owed
      }
      expect(measured.leftovers).toEqual([])
      expect(verdict.gates.find(({ name }: { name: string }) => name === 'the same arrivals').holds).toBe(true)
      expect(verdict.verdicts.length).toBe(verdict.doubts.length > 0 ? 0 : 2) // a busy machine has none, and says so
      expect(code).toBe(verdict.doubts.length > 0 ? 1 : 0)
      expect(err).toMatch(/round 1 +trimtab +p99/)
      expect(readFileSync(markdown!, 'utf8')).toMatch(/^# Live: .*\| Trimtab \| /s)
      expect(JSON.parse(readFileSync(record!, 'utf8'))).toEqual(report)
    },
    240_000,
  )

  it('asks a server of the user’s own', async () => {
    const server = join(folder, 'server.mjs')
    const asked = join(folder, 'asked')
    const text = `import { appendFileSync } from 'node:fs'
import http from 'node:http'
http.createServer((request, response) => {
  appendFileSync(${JSON.stringify(asked)}, request.url + '\\n')
  response.end()
}).listen(process.env.PORT)`
    writeFileSync(server, text)
    const own = ['--arms', 'resize', '--rate', '40', '--program', server, '--url', '/search?q=a']
    running = start([...SHORT, ...own, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
    const { code, out, err } = await running.ended
    expect([0, 1], err).toContain(code)
    const { settings, measured } = JSON.parse(out)
    expect(settings.service).toEqual({ program: server, path: '/search?q=a' })
    expect(measured.blocks[0].p99Ms).toBeGreaterThan(0)
    expect(new Set(readFileSync(asked, 'utf8').trim().split('\n'))).toEqual(new Set(['/search?q=a']))
  }, 120_000)

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'leaves no process after %s in the middle',
    async (signal) => {
      running = start(SHORT, { stdio: ['ignore', 'ignore', 'pipe'] })
      await new Promise((resolve) => running.child.stderr!.once('data', resolve)) // a period has ended
      const family = familyOf(running.child.pid!)
      expect(family.length).toBeGreaterThanOrEqual(3) // balancer, generator and a pod
      running.child.kill(signal)
      await expect.poll(() => family.filter(isThere), { timeout: 20_000 }).toEqual([])
      await running.ended
      restoreLinux({ stateFolder: folder }) // as the next run does
      const groups = hasGroups ? readdirSync('/sys/fs/cgroup/cpu') : []
      expect(groups.filter((group) => group.startsWith(`trimtab-live-${running.child.pid}`))).toEqual([])
    },
    120_000,
  )
})

describe('the call', () => {
  it.each([
    [['--arms', 'luck'], /--arms must name some of hpa, resize, trimtab/],
    [['--blocks', '2', '--hours', '1'], /--blocks or --hours, not both/],
    [['--block-seconds', '4'], /--block-seconds must be more than 2 periods of 2 s, of which nothing is judged, got 4/],
    [['--load', '/nowhere.csv'], /\/nowhere\.csv cannot be read/],
    [['--url', '/search'], /--url says what is asked of a server: name it by --program/],
    [['--program', '/nowhere.mjs'], /--program \/nowhere\.mjs cannot be read: name a file for Node/],
    [['--report', '/forbidden/report.html'], /--report \/forbidden\/report\.html cannot be written/],
  ])('%j is refused with 2 and a way out', async (argv, message) => {
    const host = createFakeHost()
    expect(await main(['live', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(message)
  })
})
