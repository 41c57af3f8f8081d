import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { readLeases } from '../src/index.js'
import { FakeNvml, HAS_GCC, sayUnchecked } from './fake/index.js'
import { bundleWithKoffi, RunningProgram } from './program.js'

const RUNTIMES = fileURLToPath(new URL('../../../test/runtimes/node_modules/.bin/', import.meta.url))
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  Node: [process.execPath],
  Bun: [join(RUNTIMES, 'bun'), 'run'],
  Deno: [join(RUNTIMES, 'deno'), 'run', '-A', '--no-config'],
}

if (!HAS_GCC) sayUnchecked('clocks after the end of a process')

const FIXTURE = new URL('./fixtures/drive.ts', import.meta.url)
/** Ways out, and the exit code of each. */
const WAYS = [
  ['end', 0],
  ['exit', 3],
  ['throw', 1],
  ['reject', 1],
] as const
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

describe.runIf(HAS_GCC).each(Object.entries(COMMANDS))('a process on %s', (runtime, command) => {
  if (!existsSync(command[0]!)) {
    notChecked(`GPU clocks on ${runtime}`, `${runtime} (npm run test:runtimes installs it)`)
    return
  }
  const isReference = runtime === 'Node' // the others start slowly, and differ in nothing but what is tried here
  let fake: FakeNvml
  let program: string
  const drive = (way: string) => new RunningProgram([...command, program, fake.library, fake.leaseFolder, way], fake)

  beforeAll(async () => {
    fake = new FakeNvml()
    program = await bundleWithKoffi(FIXTURE, join(fake.folder, 'program'), { koffi: true })
  })
  beforeEach(() => fake.forget())
  afterAll(() => fake.remove())

  it.each(isReference ? WAYS : WAYS.filter(([way]) => way === 'end' || way === 'throw'))(
    'gives the clock back on its way out by %s',
    async (way, code) => {
      const ended = await drive(way).ended
      expect(ended).toMatchObject({ code, lines: ['read 900', 'locked'] })
      expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0'])
      // Deno tells of an uncaught error only: the lease stays, without a clock in it, and is cleared by the next process.
      expect(readLeases([fake.leaseFolder]).filter(({ lockedMhz }) => lockedMhz !== undefined)).toEqual([])
    },
  )

  it.each(isReference ? SIGNALS : (['SIGTERM'] as const))(
    'gives the clock back on %s and ends by it',
    async (signal) => {
      const run = drive('hang')
      await run.printed(/^locked$/)
      expect(fake.lockedMhz()).toBe(900)
      run.kill(signal)
      expect(await run.ended).toMatchObject({ code: null, signal })
      expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0'])
      expect(readdirSync(fake.leaseFolder)).toEqual([])
    },
  )

  it('leaves the clock to the next process after SIGKILL, which gives it back and says so', async () => {
    const run = drive('hang')
    await run.printed(/^locked$/)
    run.kill('SIGKILL')
    expect(await run.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(fake.lockedMhz()).toBe(900)
    const { code, lines } = await drive('end').ended
    expect(code).toBe(0)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      kind: 'restored',
      message: expect.stringMatching(
        /process \d+ \(drive\.js\) died and left the clock locked at 900 MHz: given back$/,
      ),
    })
    expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0', 'lock 0 900 900', 'reset 0'])
    expect(readdirSync(fake.leaseFolder)).toEqual([])
  })

  if (!isReference) return

  it('gives the clock back at once and again at the end when the program shuts down by itself', async () => {
    const run = drive('graceful')
    await run.printed(/^locked$/)
    run.kill('SIGTERM')
    expect(await run.ended).toMatchObject({ code: 0, lines: ['read 900', 'locked', 'draining'] })
    expect(fake.journal()).toEqual(['lock 0 900 900', 'reset 0', 'lock 0 600 600', 'reset 0'])
  })

  it('refuses a GPU that another process drives, in one sentence', async () => {
    const first = drive('hang')
    await first.printed(/^locked$/)
    const { code, lines } = await drive('end').ended
    expect(code).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^failed gpu_in_use: GPU-fake-0 is already driven by process \d+ \(drive\.js, since 2/),
    ])
    expect(fake.lockedMhz()).toBe(900)
    first.kill('SIGTERM')
    await first.ended
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it('never drives a GPU by two, however close they come', async () => {
    const ended = await Promise.all([0, 1, 2].map(() => drive('end').ended))
    const winners = ended.filter(({ code }) => code === 0).length
    for (const { code, lines } of ended) if (code !== 0) expect(lines[0]).toMatch(/^failed gpu_in_use: /)
    // Locks and resets of one process are never torn apart by another's.
    expect(fake.journal()).toEqual(Array.from({ length: winners }, () => ['lock 0 900 900', 'reset 0']).flat())
    expect(readdirSync(fake.leaseFolder)).toEqual([])
  })

  it('says at its end that a lost GPU could not be given back, and keeps the lease for later', async () => {
    const run = drive('hang')
    await run.printed(/^locked$/)
    fake.set({ lost: 1 })
    run.kill('SIGTERM')
    const { lines } = await run.ended
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      kind: 'left_locked',
      message: expect.stringMatching(
        /the clock stays locked at 900 MHz: .*fallen off the bus.*; later: trimtab gpu reset$/,
      ),
    })
    expect(readLeases([fake.leaseFolder])).toMatchObject([{ lockedMhz: 900, owner: 'dead' }])
    fake.set()
    await drive('end').ended
    expect([fake.lockedMhz(), readdirSync(fake.leaseFolder)]).toEqual([undefined, []])
  })
})

describe.runIf(HAS_GCC)('without koffi', () => {
  it('says how to get it', async () => {
    const fake = new FakeNvml()
    const program = await bundleWithKoffi(FIXTURE, join(fake.folder, 'program'), { koffi: false })
    const { lines } = await new RunningProgram([process.execPath, program, fake.library, fake.leaseFolder, 'end'], fake)
      .ended
    expect(lines).toEqual([
      'failed ffi_missing: NVML is called through koffi, which is not installed: npm install koffi',
    ])
    fake.remove()
  })
})

describe.runIf(HAS_GCC && existsSync(COMMANDS.Deno![0]!))('Deno without --allow-ffi', () => {
  it('is told what to allow', async () => {
    const fake = new FakeNvml()
    const program = await bundleWithKoffi(FIXTURE, join(fake.folder, 'program'), { koffi: false })
    const command = [COMMANDS.Deno![0]!, 'run', '--allow-env', '--allow-read', '--no-prompt', '--no-config']
    const { lines } = await new RunningProgram([...command, program, fake.library, fake.leaseFolder, 'end'], fake).ended
    expect(lines).toEqual(['failed ffi_forbidden: Deno may not call native libraries: run with --allow-ffi'])
    fake.remove()
  })
})
