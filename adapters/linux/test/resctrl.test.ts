import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LinuxNode } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'

const linesOf = (text: string | undefined) => text?.split('\n').map((line) => line.trim())

describe('resctrl, as the kernel documents it (a tree, not a kernel)', () => {
  let folder: string
  let kernel: FakeKernel
  let node: LinuxNode
  let child: ChildProcess | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
    kernel = new FakeKernel()
    node = LinuxNode.open({ stateFolder: folder, machine: kernel.machine })
  })
  afterEach(() => {
    child?.kill('SIGKILL')
    node.dispose()
    rmSync(folder, { recursive: true })
  })
  const schemata = (name: string) => linesOf(kernel.read(`/resctrl/trimtab-${name}/schemata`))

  it('gives each group ways of its own, in every socket, while there are enough, and says when there are not', () => {
    expect(node.cacheGroup('cart').set({ cacheWays: 4 })).toEqual({
      ...{ inForce: { cacheWays: 4, memoryBandwidthPercent: 100 }, scale: 'none', reasons: [] },
    })
    expect(schemata('cart')).toEqual(['L3:0=780;1=780', 'MB:0=100;1=100'])
    node.cacheGroup('ads').set({ cacheWays: 5 })
    expect(schemata('ads')).toContain('L3:0=7c;1=7c')
    const { inForce, scale, reasons } = node.cacheGroup('search').set({ cacheWays: 3 })
    expect([inForce.cacheWays, scale, reasons]).toEqual([2, 'out', ['cacheWays: 3 wanted, 2 of 11 left: scale out']])
    expect(schemata('search')).toContain('L3:0=3;1=3')
    node.cacheGroup('cart').set({ cacheWays: 1 }) // its own ways are its own to give up
    expect(node.cacheGroup('search').set({ cacheWays: 3 }).scale).toBe('none')
    expect(schemata('search')).toContain('L3:0=380;1=380')
  })

  it('rounds bandwidth as the processor does, and translates what it cannot hold', () => {
    const group = node.cacheGroup('cart')
    expect(group.set({ memoryBandwidthPercent: 34 }).inForce.memoryBandwidthPercent).toBe(40)
    expect(group.set({ memoryBandwidthPercent: 3 })).toMatchObject({
      inForce: { memoryBandwidthPercent: 10 },
      scale: 'in',
    })
    expect(group.set({ memoryBandwidthPercent: 130 })).toMatchObject({
      inForce: { memoryBandwidthPercent: 100 },
      scale: 'out',
    })
    expect(group.set({ cacheWays: 0.2 })).toMatchObject({ inForce: { cacheWays: 1 }, scale: 'in' })
  })

  it('takes a process with its threads, and sends it back when the group goes', () => {
    child = spawn('sleep', ['60'])
    const [first, second] = [`${child.pid}`, `${child.pid! + 1}`]
    for (const thread of [first, second]) kernel.texts.set(`/proc/${child.pid}/task/${thread}/comm`, 'sleep')
    const group = node.cacheGroup('cart')
    group.join(child.pid!)
    expect(kernel.read('/resctrl/trimtab-cart/tasks')).toBe(`${first}\n${second}`)
    node.dispose()
    expect(kernel.read('/resctrl/trimtab-cart/tasks')).toBeUndefined()
    expect(linesOf(kernel.read('/resctrl/tasks'))?.sort()).toEqual([first, second].sort())
  })

  it('sums what sockets count, and says NaN where one does not', () => {
    const { cacheBytes, memoryBytes } = node.cacheGroup('cart').usage
    expect([cacheBytes, memoryBytes]).toEqual([1024, Number.NaN])
  })

  it('is refused where it is not mounted, or the processor lacks a part', () => {
    kernel.texts.delete('/resctrl/info/MB/min_bandwidth')
    expect(() => node.cacheGroup('cart').set({ memoryBandwidthPercent: 50 })).toThrow('MBA')
    kernel.texts.delete('/resctrl/schemata')
    expect(() => node.cacheGroup('ads')).toThrow('mount -t resctrl')
    expect(() => node.cacheGroup('cart').set({ cacheWays: Number.NaN })).toThrow(
      'cacheWays must be a number > 0, got NaN',
    )
  })
})
