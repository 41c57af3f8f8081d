import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { type Cgroup, LinuxNode, takeInventory, thisMachine } from '../src/index.js'
import { HAS_VERSION_1, sayNoVersion1, until } from './here.js'

if (!HAS_VERSION_1) sayNoVersion1('limits of version 1, as the kernel enforces them')

const BURN = 'for (;;);'

describe.runIf(HAS_VERSION_1)('cgroup version 1, enforced by this kernel', () => {
  let folder: string
  let node: LinuxNode
  const children: ChildProcess[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
    node = LinuxNode.open({ stateFolder: join(folder, 'state') })
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    node.dispose()
    rmSync(folder, { recursive: true })
  })

  /** Runs a command in a group from its first instruction on. */
  function runIn(group: Cgroup, command: readonly string[]): ChildProcess {
    const child = spawn('sh', ['-c', 'read go; exec "$@"', 'sh', ...command], { stdio: ['pipe', 'ignore', 'inherit'] })
    children.push(child)
    group.join(child.pid!)
    child.stdin!.end('go\n')
    return child
  }
  const node20 = (script: string) => [process.execPath, '-e', script]
  const ended = (child: ChildProcess) =>
    new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_, signal) => resolve(signal)))

  it('cpu.cfs_quota_us: a process gets its share of each period, and no more', async () => {
    const group = node.group(`quota-${process.pid}`)
    expect(group.set({ cpuCores: 0.1 })).toMatchObject({ inForce: { cpuCores: 0.1 }, scale: 'none' })
    runIn(group, node20(BURN))
    await until(() => group.usage.cpuThrottledPeriods >= 30)
    const { cpuMicroseconds, cpuPeriods, cpuThrottledPeriods } = group.usage
    const quotaUs = 10_000 // of 100 ms
    expect(cpuMicroseconds).toBeLessThan(1.05 * quotaUs * (cpuPeriods + 1))
    expect(cpuMicroseconds).toBeGreaterThan(0.95 * quotaUs * cpuThrottledPeriods) // what was throttled had used all of it
  })

  it('forgets a process that has ended when its group is let go', async () => {
    const group = node.group(`ended-${process.pid}`)
    const child = runIn(group, node20(''))
    await ended(child)
    expect(node.release(group)).toEqual([])
    const [journal] = readdirSync(join(folder, 'state'))
    expect(
      readFileSync(join(folder, 'state', journal!), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(1) // its head
  })

  it('cpu.shares and cpuset.cpus: on one thread four times the weight is four times the time', async () => {
    const groups = [1024, 4096].map((cpuShares) => {
      const group = node.group(`shares-${cpuShares}-${process.pid}`)
      expect(group.set({ cpuShares, cpuSet: [0] }).inForce).toMatchObject({ cpuShares, cpuSet: [0] })
      const child = runIn(group, node20(BURN))
      expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(/^Cpus_allowed_list:\t0$/m)
      return group
    })
    const used = () => groups.map(({ usage }) => usage.cpuMicroseconds)
    await until(() => used().every((one) => one > 200_000)) // both have started
    const [light, heavy] = used()
    await until(() => used()[0]! - light! > 400_000)
    const [light2, heavy2] = used()
    expect((heavy2! - heavy!) / (light2! - light!)).toBeGreaterThan(3)
    expect((heavy2! - heavy!) / (light2! - light!)).toBeLessThan(5)
  })

  it('memory.limit_in_bytes: who takes more is killed, and that is counted', async () => {
    const group = node.group(`memory-${process.pid}`)
    group.set({ memoryBytes: 96 * 2 ** 20, memoryHighBytes: 64 * 2 ** 20 })
    const child = runIn(group, node20('const all = []; setInterval(() => all.push(Buffer.alloc(8 << 20, 1)), 1)'))
    expect(await ended(child)).toBe('SIGKILL')
    const { memoryKills, memoryLimitHits, memoryHighHits } = group.usage
    expect(memoryKills).toBe(1)
    expect(memoryLimitHits).toBeGreaterThan(0)
    expect(memoryHighHits).toBeNaN() // version 1 does not count it
  })

  const { dev } = statSync(tmpdir())
  const device = `${dev >> 8}:${dev & 0xff}`
  const hasDisk = takeInventory(thisMachine).disks.some((disk) => disk.device === device)
  if (!hasDisk) notChecked('the rate of a disk', `a disk of its own below ${tmpdir()}`)

  it.runIf(hasDisk)('blkio.throttle.write_bps_device: direct writes are as fast as the limit', async () => {
    const group = node.group(`disk-${process.pid}`)
    const limit = { device, writeBytesPerSecond: 8 * 2 ** 20 }
    expect(group.set({ disks: [limit] }).inForce.disks).toEqual([limit])
    const start = performance.now()
    const bytes = 16 * 2 ** 20
    await ended(
      runIn(group, [
        'dd',
        'if=/dev/zero',
        `of=${join(folder, 'file')}`,
        'bs=1M',
        'count=16',
        'oflag=direct',
        'status=none',
      ]),
    )
    const rate = bytes / ((performance.now() - start) / 1000)
    expect(rate).toBeLessThan(1.1 * limit.writeBytesPerSecond)
    expect(group.usage.diskWrittenBytes).toBeGreaterThanOrEqual(bytes)
  })

  it('gives processes back to the groups from which they came, children too, and removes what it made', async () => {
    const group = node.group(`home-${process.pid}`)
    const before = readFileSync('/proc/self/cgroup', 'utf8')
    const child = runIn(group, ['sh', '-c', 'sleep 60 & wait'])
    await until(() => group.pids.length === 2)
    expect(readFileSync(`/proc/${child.pid}/cgroup`, 'utf8')).toContain(`:memory:/${group.path}\n`)
    const children = group.pids
    expect(node.release(group)).toEqual([])
    const memoryOf = (text: string) => /:memory:.*/.exec(text)![0]
    expect(memoryOf(readFileSync(`/proc/${child.pid}/cgroup`, 'utf8'))).toBe(memoryOf(before))
    for (const pid of children) {
      expect(readFileSync(`/proc/${pid}/cgroup`, 'utf8')).not.toContain(group.path)
      process.kill(pid, 'SIGKILL')
    }
    expect(group.limits.cpuCores).toBeNaN() // there is no such group any more
  })
})
