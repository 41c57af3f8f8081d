import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HAS_NETWORK, HAS_VERSION_1, sayNoVersion1 } from '../../../adapters/linux/test/here.js'
import { notChecked } from '../../../test/not-checked.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'
import { BIN } from './trimtab.js'

const IS_LINUX = process.platform === 'linux'
if (!IS_LINUX) notChecked('trimtab linux', 'Linux')
if (!HAS_VERSION_1) sayNoVersion1('trimtab linux limit by control groups')

const NAMESPACE = `trimtab-cli-${process.pid}`
const HAS_NAMESPACE = HAS_NETWORK && spawnSync('ip', ['netns', 'add', NAMESPACE]).status === 0
if (!HAS_NAMESPACE) notChecked('trimtab linux limit of a network device', 'root, CAP_NET_ADMIN and iproute2')
afterAll(() => {
  if (HAS_NAMESPACE) execFileSync('ip', ['netns', 'del', NAMESPACE])
})

describe.runIf(IS_LINUX)('trimtab linux', () => {
  let state: string
  let child: ChildProcess
  beforeAll(() => {
    state = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
  })
  afterAll(() => rmSync(state, { recursive: true }))
  beforeEach(() => {
    child = spawn('sleep', ['600'])
  })
  afterEach(() => child.kill('SIGKILL'))

  /** Runs a call; `onLine` hears each line as it is printed. */
  async function call(line: string, onLine: (text: string) => void = () => {}, signal?: AbortSignal) {
    const fake = createFakeHost(signal ? { signal } : {})
    const stdout = { ...fake.stdout, write: (text: string) => [fake.stdout.write(text), onLine(text)] }
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    const code = await main(['linux', ...line.split(' ')], { ...fake, stdout, wait })
    return { code, out: fake.out(), err: fake.err() }
  }

  it('status says what is here, for people and for programs, and changes nothing', async () => {
    const { code, out } = await call(`status --json --state ${state}`)
    const status = JSON.parse(out)
    expect(status).toMatchObject({ journals: [], missing: expect.any(Array) })
    const people = await call(`status --state ${state}`)
    for (const { controller } of status.controllers) expect(people.out).toContain(`cgroup ${controller}`)
    for (const one of status.missing) expect(people.out).toContain(`missing: ${one}`)
    expect(people.code).toBe(code)
  })

  it.each([
    ['limit --cpu 1', /--pid N is needed/],
    ['limit --pid 0 --cpu 1', /--pid must be the number of a process, got 0/],
    ['limit --pid 7', /a limit is needed/],
    ['limit --pid 7 --write 1MiB', /--read and --write need --disk/],
    ['limit --egress 1MiB', /--egress and --ingress need --device/],
    ['limit --cache-ways 2', /--pid N is needed/],
    ['limit --pid 7 --cpu 1 --disk vda', /--disk needs --read or --write/],
    ['limit --pid 7 --cpu 1 --device lo', /--device needs --egress or --ingress/],
    ['limit --pid 7 --cpus 0-', /--cpus must be like 0-1,4, got 0-/],
    ['limit --device lo --ingress 1MiB --by signals', /--by signals holds --cpu only, not ingressBytesPerSecond/],
    ['limit --pid 7 --memory 1MiB --by signals', /--by signals holds --cpu only, not memoryBytes/],
    ['limit --pid 7 --disk nowhere --write 1MiB --dry-run', /nowhere is no disk here/],
    ['limits', /did you mean limit\?/],
  ])('%s is a bad call', async (line, message) => {
    const { code, err } = await call(line)
    expect(err).toMatch(message)
    expect(code).toBe(2)
  })

  it('limit --dry-run says what the node could give', async () => {
    const { code, out } = await call('limit --pid 7 --cpu 99999 --dry-run --json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ event: 'planned', scale: 'out' })
  })

  it('limit --dry-run says what would be held of threads, cache, memory bandwidth and a network device', async () => {
    const cache = '--cache-ways 2 --memory-bandwidth 40'
    const { code, out } = await call(`limit --pid 7 --cpus 0 ${cache} --device lo --egress 10MiB --dry-run`)
    expect([code, out]).toEqual([0, 'threads 0, cache 2 ways, memory bandwidth 40 %, lo out 10MiB/s\n'])
  })

  it.runIf(HAS_VERSION_1)('limit holds a process in a group until it is told to stop, and gives it back', async () => {
    const groups = () => readFileSync(`/proc/${child.pid}/cgroup`, 'utf8')
    const [before, stop] = [groups(), new AbortController()]
    const held: string[] = []
    const line = `limit --pid ${child.pid} --cpu 0.5 --memory 64MiB --state ${state}`
    const { code, out } = await call(line, () => [held.push(groups()), stop.abort()], stop.signal)
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^CPU 0.5 cores, shares 1024, threads \d.*, memory 64MiB.*\nused \d+\.\d s of CPU\n$/s),
    ])
    expect(held[0]).toContain(':memory:/trimtab-limit\n')
    expect(groups()).toBe(before)
  })

  it.runIf(HAS_NAMESPACE)('limit holds a network device until it is told to stop, and gives it back', async () => {
    const inside = ['netns', 'exec', NAMESPACE]
    const queues = () => execFileSync('ip', [...inside, 'tc', 'class', 'show', 'dev', 'lo'], { encoding: 'utf8' })
    const before = queues()
    const argv = ['linux', 'limit', '--device', 'lo', '--egress', '1000KiB', '--state', state]
    const running = spawn('ip', [...inside, process.execPath, BIN, ...argv])
    let out = ''
    running.stdout.on('data', (text) => (out += text))
    await expect.poll(() => out, { timeout: 30_000 }).toBe('lo out 1000KiB/s, lo in no limit\n')
    expect(queues()).toMatch(/htb .* rate 8192Kbit/)
    const ended = new Promise((resolve) => running.once('close', resolve))
    running.kill('SIGTERM')
    expect([await ended, out, queues()]).toEqual([0, expect.stringMatching(/\nlet go\n$/), before])
  })

  it('limit --by signals ends with its process', async () => {
    const { code, out } = await call(`limit --pid ${child.pid} --cpu 0.5 --by signals`, () => child.kill('SIGKILL'))
    expect([code, out]).toEqual([0, 'CPU 0.5 cores\nlet go\n'])
  })

  it('restore undoes what the dead left, and says what it could not', async () => {
    expect(await call(`restore --state ${state}`)).toMatchObject({ code: 0, out: 'nothing was left\n' })
    const changes = [
      { kind: 'group', path: '/sys/fs/cgroup/cpu/trimtab-gone', tasks: 'cgroup.procs' },
      { kind: 'file', path: '/proc/version', subject: '', undo: '1' }, // which nobody may write
    ]
    const lines = [{ command: 'node', since: '2026' }, ...changes].map((one) => `${JSON.stringify(one)}\n`)
    writeFileSync(join(state, 'linux.4194305-1.journal'), lines.join(''))
    const { code, out } = await call(`restore --state ${state}`)
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(
        /^process 4194305 \(node\) died and left 2 changes: 1 undone; not undone: cannot write \/proc\/version/,
      ),
    ])
    expect(JSON.parse((await call(`restore --json --state ${state}`)).out)).toMatchObject([{ pid: 4194305, undone: 1 }])
    rmSync(join(state, 'linux.4194305-1.journal'))
  })
})
