import { setTimeout } from 'node:timers/promises'
import type { Allocation, AllocationBounds } from '@trimtab/tasks/autoscaling'
import { afterEach, describe, expect, it } from 'vitest'
import type { Limiter } from '../../src/live/limiter.js'
import { LiveCluster, type LiveClusterOptions } from '../../src/live/live-cluster.js'
import { cpuMsOf } from '../../src/live/process-usage.js'
import { SERVICE_POD_PROGRAM } from '../../src/programs.js'
import { fixture, isAlive } from '../start.js'
import { LIMITERS, sayWhatIsMissing } from './limiters.js'

const never = new AbortController().signal
const bounds: AllocationBounds = { cores: [0.05, 1], memoryMiB: [64, 512], replicas: [1, 4] }
const ONE: Allocation = { coresPerReplica: 0.5, memoryMiBPerReplica: 256, replicas: 1 }
const ENDLESS = 1e11 // rounds

sayWhatIsMissing('pods of a live cluster')

describe.each(LIMITERS)('a live cluster held by %s', (_, open) => {
  let cluster: LiveCluster | undefined
  let limiter: Limiter | undefined
  afterEach(async () => {
    await cluster?.dispose()
    limiter?.dispose()
  })

  async function start(allocation: Allocation, options: Partial<LiveClusterOptions> = {}) {
    limiter = open()
    const niceness = { balancer: 0, pods: 0 }
    cluster = new LiveCluster({ limiter, bounds, niceness, ...options }, allocation)
    const port = await cluster.port
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    return { cluster, limiter, get }
  }

  it('starts pods, sends to all that serve, and drains who leaves without losing a request', async () => {
    const { cluster, get } = await start({ ...ONE, replicas: 3 })
    expect((await get('/0/0')).status).toBe(503) // none is ready yet
    await cluster.settled(never)
    expect(cluster.startsMs).toHaveLength(3)
    const slow = Array.from({ length: 6 }, () => get('/0/700'))
    await setTimeout(300) // they are under way
    await cluster.bring({ ...ONE, replicas: 1 })
    expect(cluster.readyReplicas).toBe(1)
    const quick = await get('/0/0')
    expect([...(await Promise.all(slow)), quick].map(({ status }) => status)).toEqual(new Array(7).fill(200))
    await cluster.settled(never)
    expect(cluster.pids.filter(isAlive)).toHaveLength(2) // the balancer, and the one
  })

  it('holds a pod to its share of CPU, and to another one from when it is brought there', async () => {
    const small = { ...ONE, coresPerReplica: 0.05 } // so little that it is there on a busy machine too
    const { cluster, get } = await start({ ...ONE, coresPerReplica: 0.5 })
    await cluster.settled(never)
    await cluster.bring(small)
    get(`/${ENDLESS}/0`).catch(() => {})
    const pid = cluster.pids.at(-1)!
    const share = async () => {
      const [startMs, before] = [performance.now(), cpuMsOf(pid)]
      await setTimeout(2000)
      return (cpuMsOf(pid) - before) / (performance.now() - startMs)
    }
    await expect.poll(share, { timeout: 60_000 }).toBeLessThan(0.05 * 1.2)
    await cluster.bring({ ...small, coresPerReplica: 0.15 })
    await expect.poll(share, { timeout: 60_000 }).toBeGreaterThan(0.15 * 0.8)
  }, 90_000)

  it('kills a pod beyond its memory, says so, and starts another in its place', async () => {
    const { cluster, get } = await start({ ...ONE, memoryMiBPerReplica: 128 }, { program: fixture('leaky-pod.mjs') })
    await cluster.settled(never)
    expect(await (await get('/1')).text()).toBe('1')
    expect(cluster.takeUsage()).toMatchObject({ kills: 0, exits: 0 })
    get('/300').catch(() => {})
    await expect.poll(() => cluster.readyReplicas).toBe(0)
    expect(cluster.takeUsage()).toMatchObject({ kills: 1, exits: 0 })
    await cluster.settled(never) // a new one, which remembers nothing
    expect(await (await get('/1')).text()).toBe('1')
  })

  it('gives up on pods that end before they serve, and has told what they wrote', async () => {
    const lines: string[] = []
    const options = { program: fixture('dying-pod.mjs'), onLog: (_: number, line: string) => lines.push(line) }
    const { cluster } = await start(ONE, options)
    await expect(cluster.settled(never)).rejects.toMatchObject({ code: 'pods_fail' })
    await expect.poll(() => lines).toContain('I cannot begin')
  })

  it('runs a server that knows nothing of pods, and drains it by SIGTERM', async () => {
    const options = { program: SERVICE_POD_PROGRAM, args: [fixture('hello-server.mjs')] }
    const { cluster, get } = await start({ ...ONE, replicas: 2 }, options)
    await cluster.settled(never)
    expect(await (await get('/search?q=a')).text()).toBe('hello-server.mjs /search?q=a')
    await cluster.bring(ONE)
    await cluster.settled(never)
    expect((await get('/')).status).toBe(200)
  })

  it('says what a server wrote that ends before it listens', async () => {
    const options = { program: SERVICE_POD_PROGRAM, args: [fixture('broken-server.mjs')] }
    const { cluster } = await start(ONE, options)
    await expect(cluster.settled(never)).rejects.toThrow('Error: no database')
  })

  it('leaves nothing when it is disposed, while pods start and work', async () => {
    const { cluster, limiter, get } = await start({ ...ONE, replicas: 2 })
    await cluster.settled(never)
    get(`/${ENDLESS}/0`).catch(() => {})
    await cluster.bring({ ...ONE, replicas: 4 })
    await cluster.dispose()
    await cluster.dispose()
    limiter.dispose()
    expect(cluster.pids).toHaveLength(5)
    expect([...cluster.pids.filter(isAlive), ...limiter.leftovers]).toEqual([])
  })
})
