import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toShares, toWeight } from '../src/cgroup/cpu.js'
import { type Cgroup, type Limits, LinuxNode, readPressure } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'

const G = '/cgroup/trimtab-cart'

describe('cgroup version 2, as the kernel documents it (a tree, not a kernel)', () => {
  let folder: string
  let kernel: FakeKernel
  let node: LinuxNode
  let group: Cgroup
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
    kernel = new FakeKernel()
    node = LinuxNode.open({ stateFolder: folder, machine: kernel.machine })
    group = node.group('cart')
  })
  afterEach(() => {
    node.dispose()
    rmSync(folder, { recursive: true })
  })

  it('is handed the controllers that it needs by the group above', () => {
    expect(kernel.read('/cgroup/cgroup.subtree_control')).toBe('cpu cpuset memory io')
    expect(kernel.read(`${G}/io.max`)).toBe('')
  })

  it.each([
    ['cpu.max', { cpuCores: 0.25 }, '25000 100000', { cpuCores: 0.25 }],
    ['cpu.max', { cpuCores: 1e-9 }, '1000 100000', { cpuCores: 0.01 }],
    ['cpu.weight', { cpuShares: 1024 }, '39', { cpuShares: 999 }],
    ['cpuset.cpus', { cpuSet: [3, 0, 1] }, '0-1,3', { cpuSet: [0, 1, 3] }],
    ['memory.max', { memoryBytes: 5_000_000 }, '4997120', { memoryBytes: 4_997_120 }],
    ['memory.high', { memoryHighBytes: 8192 }, '8192', { memoryHighBytes: 8192 }],
    [
      'io.max',
      { disks: [{ device: '8:16', writeBytesPerSecond: 2_097_152 }] },
      '8:16 rbps=max wbps=2097152 riops=max wiops=max',
      { disks: [{ device: '8:16', writeBytesPerSecond: 2_097_152 }] },
    ],
  ])('%s: %o', (file, limits, text, inForce) => {
    const before = kernel.read(`${G}/${file}`)
    expect(group.set(limits).inForce).toMatchObject(inForce)
    expect(kernel.read(`${G}/${file}`)).toBe(text)
    group.set(limits)
    expect(kernel.log.filter((line) => line.startsWith(`${G}/${file} `))).toHaveLength(1) // what is in force is not written again
    expect(group.release()).toEqual([])
    expect([before, kernel.read(`${G}/${file}`)]).toEqual([before, undefined])
  })

  it('leaves what it did not make, with every limit as it was', () => {
    kernel.makeFolder('/cgroup/docker')
    kernel.write('/cgroup/docker/cpu.max', '70000 50000')
    kernel.write('/cgroup/docker/io.max', '8:16 rbps=5 riops=9')
    const theirs = node.existing('docker')
    theirs.set({ cpuCores: 0.5, memoryBytes: 8192, disks: [{ device: '8:16', readBytesPerSecond: 7 }] })
    theirs.set({ cpuCores: 2, disks: [{ device: '8:16', writeBytesPerSecond: 7 }] })
    expect(kernel.read('/cgroup/docker/cpu.max')).toBe('100000 50000')
    node.dispose()
    expect(kernel.read('/cgroup/docker/cpu.max')).toBe('70000 50000')
    expect(kernel.read('/cgroup/docker/memory.max')).toBe('max')
    expect(kernel.read('/cgroup/docker/io.max')).toBe('8:16 rbps=5 wbps=max riops=9 wiops=max')
    expect(kernel.list(G)).toEqual([])
    expect(kernel.read('/cgroup/cgroup.subtree_control')).toBe('')
  })

  it('takes a limit away', () => {
    group.set({ cpuCores: 0.5, memoryBytes: 8192, disks: [{ device: '8:16', readBytesPerSecond: 7 }] })
    const none = Number.POSITIVE_INFINITY
    const wanted = { cpuCores: none, memoryBytes: none, disks: [{ device: '8:16', readBytesPerSecond: none }] }
    expect(group.set(wanted).inForce).toMatchObject({ cpuCores: none, memoryBytes: none, disks: [] })
  })

  it('takes all limits of a call or none', () => {
    kernel.readOnly.add(`${G}/memory.max`)
    expect(() => group.set({ cpuCores: 0.5, memoryBytes: 8192 })).toThrow('EROFS')
    expect(kernel.read(`${G}/cpu.max`)).toBe('max 100000')
  })

  it('says when the kernel takes a value and holds another', () => {
    const { write } = kernel
    kernel.write = (path, text) =>
      write.call(kernel, path, path.endsWith('cpu.max') && text[0] === '5' ? '40000' : text)
    expect(() => group.set({ cpuCores: 0.5 })).toThrow(expect.objectContaining({ code: 'linux_not_honoured' }))
    expect(kernel.read(`${G}/cpu.max`)).toBe('max 100000')
  })

  it('moves a process here, and back to where it was', () => {
    const child = spawn('sleep', ['60'])
    try {
      kernel.makeFolder('/cgroup/user')
      kernel.write('/cgroup/user/cgroup.procs', `${child.pid}`)
      kernel.texts.set(`/proc/${child.pid}/cgroup`, '1:name=systemd:/x\n0::/user')
      group.join(child.pid!)
      expect(group.pids).toEqual([child.pid])
      node.dispose()
      expect(kernel.read('/cgroup/user/cgroup.procs')).toBe(`${child.pid}`)
    } finally {
      child.kill('SIGKILL')
    }
  })

  it('counts what was used, and says NaN where nothing counts', () => {
    expect(group.usage).toEqual({
      ...{ cpuMicroseconds: 5000, cpuPeriods: 10, cpuThrottledPeriods: 3, cpuThrottledMicroseconds: 700 },
      ...{ memoryBytes: 4096, memoryLimitHits: 7, memoryHighHits: 2, memoryKills: 1 },
      ...{ diskReadBytes: 101, diskWrittenBytes: 202 },
    })
    for (const file of ['memory.events', 'io.stat', 'cpu.stat']) kernel.texts.delete(`${G}/${file}`)
    expect(group.usage).toMatchObject({
      ...{ cpuMicroseconds: Number.NaN, cpuThrottledPeriods: Number.NaN, memoryKills: Number.NaN },
      ...{ memoryBytes: 4096, diskReadBytes: Number.NaN },
    })
    const { some01, someMicroseconds, full01 } = readPressure(kernel, `${G}/cpu.pressure`)
    expect([some01, someMicroseconds, full01]).toEqual([0.015, 1234, 0])
    expect(readPressure(kernel, '/cgroup/none').some01).toBeNaN()
  })

  it.each([
    ['cpuCores', { cpuCores: Number.NaN }],
    ['memoryBytes', { memoryBytes: -1 }],
    ['cpuSet', { cpuSet: [4] }],
    ['cpuSet', { cpuSet: [] }],
    ['9:9 is no disk here: there are 8:16 (sdb)', { disks: [{ device: '9:9' }] }],
    ['limits.cpu is no option', { cpu: 1 }],
  ])('refuses %s of %o before anything changes', (what, limits) => {
    const before = kernel.log.length
    expect(() => group.set(limits as Limits)).toThrow(what)
    expect(kernel.log).toHaveLength(before)
  })
})

it('shares and weights lead back to each other', () => {
  for (let weight = 1; weight <= 10_000; weight += 7) expect(toWeight(toShares(weight))).toBe(weight)
  expect([toWeight(2), toWeight(262_144)]).toEqual([1, 10_000])
})
