import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLeases } from '../src/index.js'
import { FakeNvml, HAS_GCC, sayUnchecked } from './fake/index.js'
import { bundleWithKoffi } from './program.js'

if (!HAS_GCC) sayUnchecked('leases of killed processes')

const KILLS = 20

describe.runIf(HAS_GCC)('a lease', () => {
  let fake: FakeNvml
  let program: string
  beforeAll(async () => {
    fake = new FakeNvml()
    fake.set()
    program = await bundleWithKoffi(new URL('./fixtures/relock.ts', import.meta.url), join(fake.folder, 'program'), {
      koffi: true,
    })
  })
  afterAll(() => fake.remove())

  /** Kills a program somewhere between its second and its third lock. */
  function killAt(share: number): Promise<void> {
    const child = spawn(process.execPath, [program, fake.library, fake.leaseFolder], {
      env: { ...process.env, ...fake.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const begins: number[] = []
    child.stdout.on('data', () => {
      begins.push(performance.now())
      const [first, second] = begins
      if (begins.length === 2) setTimeout(() => child.kill('SIGKILL'), (second! - first!) * share)
    })
    return new Promise((resolve) => child.on('close', () => resolve()))
  }

  it(`names the clock that was locked last, killed at any of ${KILLS} moments, and is cleared by the next process`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await killAt(kill / KILLS)
      const leases = readLeases([fake.leaseFolder])
      expect(leases).toMatchObject([{ owner: 'dead', gpu: 'GPU-fake-0', command: 'relock.js' }])
      const { file, lockedMhz } = leases[0]!
      expect([600, 900]).toContain(lockedMhz)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ lockedMhz })
      for (const name of readdirSync(fake.leaseFolder)) expect(name.startsWith(basename(file).slice(0, 20))).toBe(true)
    }
  }, 120_000)
})
