import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { LinuxNode } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'
import { HAS_NETWORK } from './here.js'

const NAMESPACE = `trimtab-test-${process.pid}`
const ip = (...args: string[]) => spawnSync('ip', args, { encoding: 'utf8' })
const HAS_NAMESPACE = HAS_NETWORK && ip('netns', 'add', NAMESPACE).status === 0
if (!HAS_NAMESPACE)
  notChecked('bandwidth of network devices', 'root, CAP_NET_ADMIN and iproute2 with network namespaces')

/** Sends 2 MB to itself in the namespace, over `lo`, and prints how many seconds it took. */
const SEND = `
const net = require('node:net')
const bytes = 2_000_000
const server = net.createServer((socket) => {
  let got = 0
  socket.on('data', (chunk) => {
    got += chunk.length
    if (got < bytes) return
    console.log((performance.now() - start) / 1000)
    process.exit()
  })
})
let start
server.listen(0, '127.0.0.1', () => {
  start = performance.now()
  net.connect(server.address().port, '127.0.0.1').end(Buffer.alloc(bytes))
})`

describe.runIf(HAS_NAMESPACE)('a network device', () => {
  let folder: string
  let node: LinuxNode
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
    ip('-n', NAMESPACE, 'link', 'set', 'lo', 'up')
  })
  beforeEach(() => {
    node = LinuxNode.open({ stateFolder: folder, machine: new FakeKernel().machine })
    return () => node.dispose()
  })
  afterAll(() => {
    ip('netns', 'del', NAMESPACE)
    rmSync(folder, { recursive: true })
  })
  const inside = (...args: string[]) =>
    execFileSync('ip', ['netns', 'exec', NAMESPACE, ...args], { encoding: 'utf8' }).trim()
  const queues = () => inside('tc', 'qdisc', 'show')
  const send = () =>
    new Promise<number>((resolve) => {
      const child = spawn('ip', ['netns', 'exec', NAMESPACE, process.execPath, '-e', SEND])
      child.stdout.once('data', (seconds) => resolve(Number(seconds)))
    })

  it.each(['egressBytesPerSecond', 'ingressBytesPerSecond'] as const)(
    'holds %s, and is as before after',
    async (limit) => {
      const before = [queues(), inside('ip', '-br', 'link')]
      expect(node.network('lo', NAMESPACE).set({ [limit]: 1_000_000 })[limit]).toBe(1_000_000)
      expect(2_000_000 / (await send())).toBeLessThan(1_100_000) // a busy machine is slower, never faster
      expect(node.network('lo', NAMESPACE).set({ [limit]: 123_457_000 })[limit]).toBeCloseTo(123_457_000, -5)
      node.dispose()
      expect([queues(), inside('ip', '-br', 'link')]).toEqual(before)
    },
  )

  it('with queues of somebody else is left to them', () => {
    inside(
      'tc',
      'qdisc',
      'add',
      'dev',
      'lo',
      'root',
      'handle',
      '7:',
      'tbf',
      'rate',
      '8mbit',
      'burst',
      '10kb',
      'latency',
      '50ms',
    )
    expect(() => node.network('lo', NAMESPACE)).toThrow(expect.objectContaining({ code: 'network_in_use' }))
    node.dispose()
    expect(queues()).toContain('tbf 7:')
    inside('tc', 'qdisc', 'del', 'dev', 'lo', 'root')
  })

  it('that is not there, or is told nonsense, changes nothing', () => {
    expect(() => node.network('eth77', NAMESPACE)).toThrow(expect.objectContaining({ code: 'linux_gone' }))
    const before = queues()
    expect(() => node.network('lo', NAMESPACE).set({ egressBytesPerSecond: 0 })).toThrow(
      'egressBytesPerSecond must be > 0',
    )
    expect(queues()).toBe(before)
  })
})
