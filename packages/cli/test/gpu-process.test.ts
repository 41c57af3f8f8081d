import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeNvml, HAS_GCC, sayUnchecked } from '../../../adapters/nvml/test/fake/index.js'
import { bundleWithKoffi, RunningProgram } from '../../../adapters/nvml/test/program.js'

if (!HAS_GCC) sayUnchecked('trimtab gpu run as a process')

describe.runIf(HAS_GCC)('trimtab gpu run as a process', () => {
  let fake: FakeNvml
  let program: string
  beforeAll(async () => {
    fake = new FakeNvml()
    const fixture = new URL('./fixtures/gpu-run.ts', import.meta.url)
    program = await bundleWithKoffi(fixture, join(fake.folder, 'program'), { koffi: true })
  })
  beforeEach(() => fake.forget())
  afterAll(() => fake.remove())

  /** Driven by stdin, which stays open; has locked once it has printed a row. */
  const start = async (...more: readonly string[]) => {
    const options = ['--slo-ms', '1000', '--latency', '-', '--library', fake.library, '--leases', fake.leaseFolder]
    const run = new RunningProgram([process.execPath, program, ...options, ...more], fake)
    run.say('100\n')
    await run.printed(/MHz/)
    return run
  }

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'gives the clock back and sums up on %s, though stdin is open',
    async (signal) => {
      const run = await start()
      expect(fake.lockedMhz()).toBeGreaterThan(0)
      run.kill(signal)
      const { code, lines, errors } = await run.ended
      expect([code, errors]).toEqual([0, ''])
      expect(lines.at(-1)).toMatch(/SLO kept in/)
      expect(fake.lockedMhz()).toBeUndefined()
    },
  )

  it('gives the clock back when its time is up', async () => {
    const run = await start('--seconds', '1', '--interval', '100')
    expect(await run.ended).toMatchObject({ code: 0, errors: '' })
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it('gives the clock back on SIGHUP, which ends it', async () => {
    const run = await start()
    run.kill('SIGHUP')
    expect(await run.ended).toMatchObject({ code: null, signal: 'SIGHUP', errors: '' })
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it('gives the clock back in the next run after SIGKILL, with one line', async () => {
    const run = await start()
    const left = fake.lockedMhz()
    run.kill('SIGKILL')
    await run.ended
    expect(fake.lockedMhz()).toBe(left)
    const next = await start('--seconds', '1', '--interval', '100')
    const { errors } = await next.ended
    expect(errors).toMatch(
      /^trimtab: [^\n]*process \d+ \(gpu-run\.js\) died and left the clock locked at \d+ MHz: given back\n$/,
    )
    expect(fake.lockedMhz()).toBeUndefined()
  })

  it('refuses a GPU that another run drives, with one line, and leaves it alone', async () => {
    const first = await start()
    const options = ['--slo-ms', '1000', '--latency', 'none', '--library', fake.library, '--leases', fake.leaseFolder]
    const second = await new RunningProgram([process.execPath, program, ...options], fake).ended
    expect(second.code).toBe(1)
    expect(second.errors).toMatch(/^trimtab: GPU-fake-0 is already driven by process \d+ \(gpu-run\.js[^\n]*\n$/)
    expect(fake.lockedMhz()).toBeGreaterThan(0)
    first.kill('SIGTERM')
    await first.ended
  })
})
