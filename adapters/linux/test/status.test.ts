import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, it } from 'vitest'
import { kernelFiles, readProcessTimes, readStatus, thisMachine } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the status of a machine', () => {
  it('names what is there, in which version, and what is missing, and changes nothing', () => {
    const kernel = new FakeKernel()
    kernel.readOnly.add('/cgroup/cgroup.procs')
    writeFileSync(join(folder, 'linux.4194305-1.journal'), '{"command":"node","since":"2026"}\n')
    const { controllers, cache, inventory, pressure, missing, journals } = readStatus(kernel.machine, [folder])
    expect(controllers.map(({ controller, version }) => `${controller} ${version}`)).toEqual([
      ...['cpu 2', 'cpuacct 2', 'cpuset 2', 'memory 2', 'io 2'],
    ])
    expect(controllers.some(({ isWritable }) => isWritable)).toBe(false)
    expect(cache).toEqual({ L3: { ways: 11, leastWays: 1 }, MB: { leastPercent: 10, stepPercent: 10 }, groups: 8 })
    expect(inventory).toMatchObject({
      threads: [0, 1, 2, 3],
      memoryBytes: 2 ** 30,
      disks: [{ name: 'sdb', device: '8:16' }],
    })
    expect(pressure).toEqual([])
    expect(missing.join('\n')).toMatch(/memory: this user may not write.*\n.*io: .*\n.*CONFIG_PSI/s)
    expect(journals).toMatchObject([{ pid: 4194305, owner: 'dead', command: 'node' }])
    expect(kernel.log).toEqual([])
  })

  it('of an empty tree is that everything is missing', () => {
    const { controllers, cache, hasSchedstat, missing } = readStatus(
      { ...thisMachine, cgroup: folder, resctrl: folder, proc: folder, sys: folder },
      [],
    )
    expect(controllers.every(({ version, isWritable }) => version === undefined && !isWritable)).toBe(true)
    expect([cache, hasSchedstat]).toEqual([undefined, false])
    expect(missing).toHaveLength(controllers.length + 4)
  })
})

describe('times of tasks', () => {
  it('are NaN where they are not counted', () => {
    expect(readProcessTimes(kernelFiles, folder, 1).runNanoseconds).toBeNaN()
  })

  it.runIf(process.platform === 'linux')('are sums over the threads of a process', () => {
    const kernel = new FakeKernel()
    kernel.texts.set('/proc/7/task/7/schedstat', '1000 20 3')
    kernel.texts.set('/proc/7/task/8/schedstat', '500 5 1')
    expect(readProcessTimes(kernel, '/proc', 7)).toEqual({ runNanoseconds: 1500, waitNanoseconds: 25 })
  })
})
