import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleProgram } from '../../../test/bundle.js'
import { type Cgroup, LinuxNode, restoreLinux } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'
import { HAS_VERSION_1, sayNoVersion1 } from './here.js'

const KILLS = 50

let folder: string
let program: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-kills-'))
  program = await bundleProgram(new URL('./fixtures/relimit.ts', import.meta.url), join(folder, 'program'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const stateFolder = () => join(folder, 'state')
const journals = () => readdirSync(stateFolder())

/** Starts the program; `said` resolves when it has printed so many lines, or has ended. */
function start(...args: string[]): {
  child: ChildProcess
  said: (lines: number) => Promise<unknown>
  ended: Promise<string>
} {
  const child = spawn(process.execPath, [program, stateFolder(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [lines, errors] = [0, '']
  const waiting: [number, () => void][] = []
  child.stdout.on('data', (chunk) => {
    lines += String(chunk).split('\n').length - 1
    for (const [count, resolve] of waiting) if (lines >= count) resolve()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(errors)))
  const said = (count: number) => Promise.race([ended, new Promise<void>((resolve) => waiting.push([count, resolve]))])
  return { child, said, ended }
}

describe('two processes', () => {
  it('do not both set limits: the second refuses, by name, and may when the first has ended', async () => {
    const { child, said, ended } = start('-', '-', 'hold')
    await said(1)
    const open = () => LinuxNode.open({ stateFolder: stateFolder(), machine: new FakeKernel().machine })
    const refusal = expect.objectContaining({
      code: 'linux_in_use',
      message: expect.stringContaining(`process ${child.pid} (relimit.js`),
    })
    expect(open).toThrow(refusal)
    expect(() => restoreLinux({ stateFolder: stateFolder() })).toThrow(refusal)
    child.kill('SIGTERM')
    await ended
    const node = open()
    expect(open).toThrow(expect.objectContaining({ code: 'linux_in_use' })) // nor does one process twice
    node.dispose()
    expect(journals()).toEqual([])
  })

  it('are told apart from one that only has the same number', () => {
    writeFileSync(join(stateFolder(), `linux.${process.ppid}-1.journal`), '{"command":"old","since":"1970"}\n')
    const node = LinuxNode.open({ stateFolder: stateFolder(), machine: new FakeKernel().machine })
    node.dispose()
    expect(journals()).toEqual([])
  })
})

describe('a journal', () => {
  const left = join('linux.4194305-1.journal') // beyond the largest number of a process
  const write = (text: string) => writeFileSync(join(stateFolder(), left), text)
  const HEAD = '{"command":"node","since":"2026"}\n'
  const line = (path: string, undo: string) => `${JSON.stringify({ kind: 'file', path, subject: '', undo })}\n`

  it('whose last line was cut has not done what that says', () => {
    const kernel = new FakeKernel()
    write(`${HEAD}${line('/cgroup/cpu.weight', '77')}${line('/cgroup/memory.max', '4096').slice(0, -3)}`)
    expect(restoreLinux({ stateFolder: stateFolder(), machine: kernel.machine })).toMatchObject([
      { undone: 1, errors: [] },
    ])
    expect(kernel.log).toEqual(['/cgroup/cpu.weight 77'])
  })

  it('of which something cannot be undone stays, says why, and is tried again', () => {
    const kernel = new FakeKernel()
    write(`${HEAD}${line('/cgroup/cpu.weight', '77')}${line('/cgroup/memory.max', '4096')}`)
    kernel.readOnly.add('/cgroup/cpu.weight')
    const open = () => LinuxNode.open({ stateFolder: stateFolder(), machine: kernel.machine })
    expect(open).toThrow(expect.objectContaining({ code: 'restore_failed', message: expect.stringContaining('EROFS') }))
    expect(journals()).toEqual([left])
    kernel.readOnly.clear()
    open().dispose()
    expect([kernel.read('/cgroup/cpu.weight'), journals()]).toEqual(['77', []])
  })

  it('that is damaged is refused, and left for people to read', () => {
    write(`${HEAD}{"kind":"other"}\n`)
    expect(() => restoreLinux({ stateFolder: stateFolder() })).toThrow(
      expect.objectContaining({ code: 'journal_damaged' }),
    )
    expect(journals()).toEqual([left])
    rmSync(join(stateFolder(), left))
  })
})

if (!HAS_VERSION_1) sayNoVersion1(`limits after ${KILLS} kills`)

describe.runIf(HAS_VERSION_1)('limits of a process that ends', () => {
  const outer = `trimtab-test-${process.pid}`
  let node: LinuxNode
  let theirs: Cgroup
  let sleeper: ChildProcess
  let before: ReturnType<typeof now>
  const now = () => ({ limits: theirs.limits, homes: readFileSync(`/proc/${sleeper.pid}/cgroup`, 'utf8') })

  beforeAll(() => {
    // Somebody else's group, with limits of its own, which a second journal holds while the program runs.
    node = LinuxNode.open({ stateFolder: join(folder, 'theirs') })
    theirs = node.group(`test-${process.pid}`)
    theirs.set({ cpuShares: 512, memoryHighBytes: 128 * 2 ** 20, cpuCores: 1.5 })
    sleeper = spawn('sleep', ['600'])
    before = now()
  })
  afterAll(() => {
    sleeper.kill('SIGKILL')
    node.dispose()
  })

  const isClean = () => {
    expect(now()).toEqual(before)
    expect(journals()).toEqual([])
    for (const controller of ['cpu', 'memory', 'cpuset', 'blkio', 'cpuacct'])
      for (const n of [0, 1, 2]) expect(existsSync(`/sys/fs/cgroup/${controller}/trimtab-relimit-${n}`)).toBe(false)
  }

  it(`are as they were after ${KILLS} kills at as many moments, at the next start and by restore`, async () => {
    let changed = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, said, ended } = start(outer, `${sleeper.pid}`)
      const wholeLines = Math.max(0, kill - 4) // up to moments at which groups have come and gone
      if (wholeLines > 0) await said(wholeLines)
      else await new Promise((resolve) => setTimeout(resolve, 40 * (kill + 1))) // before, and while, it opens
      const moment = performance.now() + (kill % 5) * 0.7
      while (performance.now() < moment); // timers are too coarse for the middle of a write
      child.kill('SIGKILL')
      await ended
      if (JSON.stringify(now()) !== JSON.stringify(before)) changed++
      if (kill % 2 === 0) restoreLinux({ stateFolder: stateFolder() })
      else LinuxNode.open({ stateFolder: stateFolder() }).dispose()
      isClean()
    }
    expect(changed).toBeGreaterThan(KILLS / 2) // the kills hit a process that had changed something
  }, 300_000)

  it.each(['SIGTERM', 'throw', 'exit'])('are as they were after %s', async (way) => {
    const { child, said, ended } = start(outer, `${sleeper.pid}`, way)
    await said(5)
    if (way === 'SIGTERM') child.kill('SIGTERM')
    const errors = await ended
    if (way === 'throw') expect(errors).toContain('nobody catches this')
    isClean()
  })
})
