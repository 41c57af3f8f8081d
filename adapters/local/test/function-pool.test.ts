import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { createTenantTelemetry } from '@trimtab/tasks/serverless'
import { afterEach, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import type { FunctionPool } from '../src/function-pool.js'
import { createPool, createRoom, FOR_EVER, isAlive } from './start.js'

const pools: FunctionPool[] = []
const create = (...[file, options]: Parameters<typeof createPool>): FunctionPool => {
  const pool = createPool(file, options)
  pools.push(pool)
  return pool
}
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.dispose())))

const call = (pool: FunctionPool, milliseconds = 0) => pool.invoke({ mood: 'sleep', milliseconds })
const started = (pool: FunctionPool) => pool.totals.started
const warm = (pool: FunctionPool) => {
  const telemetry = createTenantTelemetry()
  pool.step(telemetry)
  return telemetry.warmContainers
}
/** Of the session that a process leads or is in; undefined where sessions have none. */
const sessionNiceness = (pid: number | 'self'): number | undefined => {
  try {
    const found = /nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'utf8'))
    return found ? Number(found[1]) : undefined
  } catch {
    return undefined
  }
}
const kept = (containers: number, keepAliveSeconds = FOR_EVER) => ({ containers, shares: 1024, keepAliveSeconds })

describe('the containers of a function', () => {
  it('start cold once each, and their first request says how long it waited for that', async () => {
    const pool = create('moods.mjs')
    const first = await call(pool)
    const second = await call(pool)
    expect(first.initTimeMs).toBeGreaterThan(0)
    expect(first.endMs - first.startMs).toBeGreaterThanOrEqual(first.initTimeMs!)
    expect(second.initTimeMs).toBeUndefined()
    expect(second.result).toEqual(first.result)
    expect(started(pool)).toBe(1)
  })

  it('serve one call at a time; each request that waits starts one more, up to the most', async () => {
    const pool = create('moods.mjs', { most: 3 })
    const ends = await Promise.all([1, 2, 3, 4, 5, 6].map(() => call(pool, 100)))
    expect(new Set(ends.map(({ result }) => result.pid)).size).toBeLessThanOrEqual(3)
    expect(started(pool)).toBe(3)
    for (const pid of new Set(ends.map(({ result }) => result.pid))) {
      const own = ends.filter(({ result }) => result.pid === pid).sort((a, b) => a.startMs - b.startMs)
      for (let i = 1; i < own.length; i++) expect(own[i]!.startMs).toBeGreaterThanOrEqual(own[i - 1]!.endMs)
      expect(own.filter(({ initTimeMs }) => initTimeMs !== undefined).length).toBeLessThanOrEqual(1)
    }
  })

  it('take requests in the order in which they came', async () => {
    const pool = create('moods.mjs', { most: 1 })
    const ended: number[] = []
    const calls = [0, 1, 2, 3, 4].map((i) => call(pool, 30 - 5 * i).then(() => ended.push(i)))
    await Promise.all(calls)
    expect(ended).toEqual([0, 1, 2, 3, 4])
  })

  it('that were asked for ahead of a request serve it without a cold start', async () => {
    const pool = create('moods.mjs', { allocation: kept(2) })
    await expect.poll(() => warm(pool)).toBe(2)
    const ends = await Promise.all([call(pool, 50), call(pool, 50)])
    expect(ends.map(({ initTimeMs }) => initTimeMs)).toEqual([undefined, undefined])
    expect(started(pool)).toBe(2)
  })

  it('end when they have idled long enough, but for those that are kept', async () => {
    const pool = create('moods.mjs', { allocation: kept(1, 0.05) })
    const ends = await Promise.all([call(pool, 100), call(pool, 100), call(pool, 100)])
    await expect.poll(() => pool.pids.length).toBe(1)
    pool.allocation = kept(0, 0)
    await expect.poll(() => pool.pids).toEqual([])
    expect(ends.map(({ result }) => Number(result.pid)).filter(isAlive)).toEqual([])
  })

  it('lose no request when they are drained', async () => {
    const pool = create('moods.mjs', { most: 2 })
    const calls = Promise.all(Array.from({ length: 8 }, () => call(pool, 40)))
    const pids = pool.pids
    await pool.drain()
    expect((await calls).map(({ status }) => status)).toEqual(new Array(8).fill('success'))
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('end at once when the pool is disposed; whoever waits or runs is told', async () => {
    const pool = create('moods.mjs', { most: 1 })
    await call(pool)
    const calls = [call(pool, FOR_EVER), call(pool)]
    await pool.dispose()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([
      'whisk internal error',
      'whisk internal error',
    ])
    expect(pool.pids).toEqual([])
  })
})

describe('what is asked of a pool', () => {
  it('never makes more containers than it may have, and what is not said stays', async () => {
    const pool = create('moods.mjs', { most: 2, allocation: kept(1, 50) })
    pool.allocation = { containers: 1000, shares: NaN, keepAliveSeconds: NaN }
    expect(pool.allocation).toEqual({ containers: 2, shares: 1024, keepAliveSeconds: 50 })
    await expect.poll(() => warm(pool)).toBe(2)
    expect(started(pool)).toBe(2)
    const telemetry = createTenantTelemetry()
    pool.step(telemetry)
    expect(telemetry).toMatchObject({ containers: 2, shares: 1024, keepAliveSeconds: 50 })
  })

  /** What leads the session of a container with 128 shares, and of one with the 1,024 that others have. */
  const startLowAndHigh = async () => {
    const room = createRoom(4096)
    const [few, many] = [128, 1024].map((shares) =>
      create('moods.mjs', { room, allocation: { containers: 0, shares, keepAliveSeconds: FOR_EVER } }),
    )
    await Promise.all([call(many!), call(few!)])
    return [few!.pids[0]!, many!.pids[0]!] as const
  }

  it('in fewer shares than others have is a lower priority', async () => {
    const [low, high] = await startLowAndHigh()
    expect(getPriority(low) - getPriority(high)).toBe(Math.min(9, 19 - getPriority()))
  })

  if (sessionNiceness('self') === undefined) {
    notChecked('priorities between sessions', 'a Linux that shares CPUs between sessions first (sched_autogroup)')
  } else {
    it('in fewer shares is a lower priority between sessions too', async () => {
      const [low, high] = await startLowAndHigh()
      await expect.poll(() => sessionNiceness(low)! - sessionNiceness(high)!, { timeout: 5_000 }).toBe(9)
    })

    it('is in its session as soon as the system takes it, where others ask for that all the time', async () => {
      const ask = 'while true; do echo 0 > /proc/self/autogroup; sleep .04; done'
      const busy = spawn('sh', ['-c', ask], { detached: true, stdio: 'ignore' })
      try {
        const [low, high] = await startLowAndHigh()
        await expect.poll(() => sessionNiceness(low)! - sessionNiceness(high)!, { timeout: 5_000 }).toBe(9)
      } finally {
        process.kill(-busy.pid!, 'SIGKILL')
      }
    })
  }
})

describe('memory that functions share', () => {
  it('goes to who has a request waiting: the container that has idled longest makes room', async () => {
    const room = createRoom(512)
    const [a, b] = [create('moods.mjs', { room }), create('moods.mjs', { room })]
    await Promise.all([call(a, 20), call(a, 20)])
    expect((await call(b)).status).toBe('success')
    expect(a.pids.length).toBe(1)
  })

  it('is waited for where nobody idles', async () => {
    const room = createRoom(256)
    const [a, b] = [create('moods.mjs', { room }), create('moods.mjs', { room })]
    const first = call(a, 100)
    const second = await call(b)
    expect((await first).endMs).toBeLessThanOrEqual(second.endMs)
  })

  it('is not kept by a function whose requests never end while another one waits', async () => {
    const room = createRoom(256)
    const [a, b] = [create('moods.mjs', { room }), create('moods.mjs', { room })]
    const early = call(a, 50)
    const other = call(b)
    const late = call(a)
    const [first, second, third] = await Promise.all([early, other, late])
    expect(second.startMs).toBeGreaterThanOrEqual(first.endMs)
    expect(third.endMs).toBeGreaterThanOrEqual(second.endMs)
  })

  it('is not taken from others for a container that nobody waits for', async () => {
    const room = createRoom(256)
    const [a, b] = [create('moods.mjs', { room }), create('moods.mjs', { room })]
    const { result } = await call(a)
    b.allocation = kept(1)
    expect((await call(a)).result).toEqual(result)
    expect(b.pids).toEqual([])
  })
})

describe('CPUs that functions share', () => {
  /** A room whose starts are watched: how many were under way at most, and the memory of each, by which pools are told apart. */
  const watchedRoom = (mostStarting: number) => {
    const room = createRoom(4096, mostStarting)
    const [take, started] = [room.take.bind(room), room.started.bind(room)]
    const seen = { now: 0, most: 0, memoryMiB: [] as number[] }
    room.take = (...asked) => {
      const isTaken = take(...asked)
      if (isTaken) {
        seen.most = Math.max(seen.most, ++seen.now)
        seen.memoryMiB.push(asked[0])
      }
      return isTaken
    }
    room.started = () => {
      seen.now--
      started()
    }
    return { room, seen }
  }

  it('let so many containers start at once, of all functions together; everybody is served', async () => {
    const { room, seen } = watchedRoom(2)
    const [a, b] = [create('moods.mjs', { room, allocation: kept(3) }), create('moods.mjs', { room })]
    const ends = await Promise.all([a, b, a, b, b].map((pool) => call(pool, 20)))
    expect(ends.map(({ status }) => status)).toEqual(new Array(5).fill('success'))
    expect(seen.most).toBe(2)
    await expect.poll(() => [warm(a), seen.now]).toEqual([3, 0])
  })

  it('start what is waited for before what is only to be kept', async () => {
    const { room, seen } = watchedRoom(1)
    const [first, idle, asked] = [256, 200, 220].map((memoryMiB) => create('moods.mjs', { room, memoryMiB }))
    const opening = call(first!)
    idle!.allocation = kept(2)
    await Promise.all([opening, call(asked!)])
    await expect.poll(() => warm(idle!)).toBe(2)
    expect(seen.memoryMiB).toEqual([256, 220, 200, 200])
  })

  it('are free again when code does not load, or never ends loading', async () => {
    const room = createRoom(4096, 1)
    const endless = create('endless-import.mjs', { room, startTimeoutMs: 200 })
    const broken = create('broken.mjs', { room })
    const ends = [call(endless), call(broken), call(create('moods.mjs', { room }))]
    const [late, failed, served] = await Promise.all(ends)
    expect(late!.result.error).toMatch(/^Initialization has failed due to: .*\(timeout\)$/)
    expect([failed!.status, served!.status]).toEqual(['action developer error', 'success'])
  })
})

describe('a pool', () => {
  it('knows what its processes hold and use', async () => {
    const pool = create('moods.mjs', { most: 2 })
    await Promise.all([call(pool, 60), call(pool, 60), call(pool, 60)])
    const telemetry = createTenantTelemetry()
    pool.step(telemetry)
    expect(telemetry).toMatchObject({ arrivals: 3, queued: 0, memoryMiBPerContainer: 256 })
    const usedMemoryMiB = () => {
      pool.step(telemetry)
      return telemetry.usedMemoryMiB
    }
    await expect.poll(usedMemoryMiB).toBeGreaterThan(10)
    await expect.poll(() => pool.totals.cpuSeconds).toBeGreaterThan(0.01)
    expect(pool.totals.started).toBe(2)
    expect(pool.totals.containerSeconds).toBeGreaterThan(0.12) // two of three calls of 60 ms follow each other
  })
})
