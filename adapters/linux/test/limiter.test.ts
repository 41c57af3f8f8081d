import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bundleProgram } from '../../../test/bundle.js'
import { notChecked } from '../../../test/not-checked.js'
import { CpuLimiter, kernelFiles, readProcessTimes } from '../src/index.js'
import { TokenBucket } from '../src/limiter/token-bucket.js'
import { until } from './here.js'

const HAS_SCHEDSTAT = existsSync('/proc/self/schedstat')
if (!HAS_SCHEDSTAT) notChecked('the limiter without cgroups', 'Linux that counts times of tasks (CONFIG_SCHED_INFO)')

describe('a bucket of CPU time', () => {
  it('lets run what has not used its share, and holds what has until it has paid', () => {
    const bucket = new TokenBucket(0.25, 100)
    expect(bucket.advance(10, 0)).toBe(true) // 2.5 ms
    expect(bucket.advance(10, 10)).toBe(false) // 5 − 10
    expect(bucket.advance(19, 0)).toBe(false)
    expect(bucket.advance(2, 0)).toBe(true)
  })

  it('saves up no more than the share of its burst', () => {
    const bucket = new TokenBucket(0.25, 100)
    bucket.advance(60_000, 0)
    expect(bucket.advance(0, 24)).toBe(true)
    expect(bucket.advance(0, 2)).toBe(false)
  })
})

describe.runIf(HAS_SCHEDSTAT)('the limiter without cgroups', () => {
  let burner: ChildProcess
  let pid: number
  beforeEach(() => {
    burner = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    pid = burner.pid!
  })
  afterEach(() => burner.kill('SIGKILL'))

  const usedMs = () => readProcessTimes(kernelFiles, '/proc', pid).runNanoseconds / 1e6
  const stateOf = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]

  it('holds a process to its share, to 2 %, and lets it go', async () => {
    const cores = 0.04 // so little that it is there on a busy machine too
    using limiter = new CpuLimiter({ burstMs: 2000 })
    await limiter.set(pid, cores)
    const [startMs, start] = [performance.now(), usedMs()]
    const share = () => (usedMs() - start) / (performance.now() - startMs)
    await until(() => performance.now() - startMs > 4000 && Math.abs(share() / cores - 1) < 0.02)
    limiter.remove(pid)
    const free = usedMs()
    await until(() => usedMs() - free > 500 && stateOf() === 'R')
  }, 180_000)

  it('says who has ended, and refuses who was never there', async () => {
    const notices: string[] = []
    using limiter = new CpuLimiter({ onNotice: (message) => notices.push(message) })
    await limiter.set(pid, 0.5)
    burner.kill('SIGKILL')
    await until(() => notices.length > 0)
    expect(notices).toEqual([`process ${pid} has ended`])
    await expect(limiter.set(2 ** 22 + 1, 0.5)).rejects.toMatchObject({ code: 'linux_gone' })
    await expect(limiter.set(pid, Number.NaN)).rejects.toMatchObject({ code: 'config_invalid' })
  })

  it('lets all go when its watchdog is killed', async () => {
    const notices: string[] = []
    using limiter = new CpuLimiter({ onNotice: (message) => notices.push(message) })
    await limiter.set(pid, 0.01)
    await until(() => stateOf() === 'T')
    const watchdog = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', `${process.pid}`], { encoding: 'utf8' })
      .split('\n')
      .findLast((line) => line.includes('watchdog.js'))
    process.kill(Number.parseInt(watchdog!, 10), 'SIGKILL')
    await until(() => notices.length > 0)
    await until(() => stateOf() === 'R')
    await expect(limiter.set(pid, 0.5)).rejects.toMatchObject({ code: 'limiter_disposed' })
  })

  describe('in a process that ends', () => {
    let folder: string
    let program: string
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'trimtab-limiter-'))
      program = await bundleProgram(new URL('./fixtures/limit.ts', import.meta.url), join(folder, 'program'))
      copyFileSync(fileURLToPath(new URL('../watchdog.js', import.meta.url)), join(folder, 'watchdog.js'))
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    it.each(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM'] as const)('leaves nobody stopped after %s', async (signal) => {
      const child = spawn(process.execPath, [program, `${pid}`], { stdio: ['ignore', 'pipe', 'inherit'] })
      await new Promise((resolve) => child.stdout.once('data', resolve))
      await until(() => stateOf() === 'T')
      child.kill(signal)
      await new Promise((resolve) => child.on('close', resolve))
      const used = usedMs()
      await until(() => stateOf() === 'R' && usedMs() - used > 200)
    })
  })
})
