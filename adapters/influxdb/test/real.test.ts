import { setTimeout as wait } from 'node:timers/promises'
import { MemoryTrajectoryStore } from '@trimtab/control'
import type { TrajectoryStep } from '@trimtab/core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columns, numbered } from '../../../test/numbered-steps.js'
import { InfluxTrajectoryStore, type InfluxTrajectoryStoreOptions } from '../src/index.js'
import { HAS_INFLUXD, RealInflux, sayUnchecked } from './real-influx.js'
import { range, strangeNames } from './steps.js'

if (!HAS_INFLUXD) sayUnchecked('the trajectory store')

describe.runIf(HAS_INFLUXD)('trajectories in a real InfluxDB 1.x', () => {
  let influx: RealInflux
  beforeAll(async () => {
    influx = await RealInflux.start()
  })
  afterAll(() => influx?.stop())

  let trajectories = 0
  const fresh = () => `run ${trajectories++}`
  const open = (trajectory: string, options: Partial<InfluxTrajectoryStoreOptions> = {}) =>
    InfluxTrajectoryStore.open({
      server: { version: 1, url: influx.url, database: 't' },
      trajectory,
      ...columns,
      ...options,
    })

  it('are there for the next process, as the store in memory has them', async () => {
    const trajectory = fresh()
    const memory = new MemoryTrajectoryStore()
    const store = await open(trajectory)
    expect([store.size, store.nextEpisode]).toEqual([0, 0])
    for (const step of range(23)) memory.append(step)
    await Promise.all(range(23).map((step) => store.append(step)))
    store.dispose()
    using again = await open(trajectory)
    expect([again.size, again.nextEpisode]).toEqual([23, 5])
    for (const of of [store, again]) {
      expect(of.recent(100)).toEqual(memory.recent(100))
      expect(of.recent(2)).toEqual(memory.recent(2))
      expect(of.best(3)).toEqual(memory.best(3))
      const draws = () => ({ uniform: () => 0, integer: (n: number) => n - 1 })
      expect(of.sample(2, draws())).toEqual(memory.sample(2, draws()))
    }
  })

  it('come back to the bit, NaN as NaN', async () => {
    const trajectory = fresh()
    const finite = fc.oneof(
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308),
    )
    const float = fc.float({ noDefaultInfinity: true })
    const given: TrajectoryStep[] = []
    const store = await open(trajectory)
    const step = fc.tuple(float, float, float, finite)
    for (const [a, b, c, reward] of fc.sample(step, { numRuns: 200, seed: 5 })) {
      given.push({ ...numbered(given.length), observation: Float32Array.of(a, b), action: Float32Array.of(c), reward })
    }
    given.push({
      ...numbered(200),
      observation: Float32Array.of(Number.NaN, Number.NaN),
      action: Float32Array.of(Number.NaN),
      reward: Number.NaN,
    })
    await Promise.all(given.map((each) => store.append(each)))
    store.dispose()
    using again = await open(trajectory)
    expect(again.recent(1000)).toEqual(given)
  })

  it('keep every name apart, whatever is in it', async () => {
    const names = strangeNames(20)
    const spaces = { observation: { names }, action: { names } }
    const of = (sign: number) => Float32Array.from(names, (_, i) => sign * i)
    const wide = { ...numbered(0), observation: of(1), action: of(-1) }
    const trajectory = fresh()
    const store = await open(trajectory, spaces)
    await store.append(wide)
    store.dispose()
    using again = await open(trajectory, spaces)
    expect(again.recent(9)).toEqual([wide])
    for (const [n, name] of names.entries()) {
      using store = await open(name, { measurement: name })
      await store.append(numbered(n))
    }
    for (const [n, name] of names.entries()) {
      using store = await open(name, { measurement: name })
      expect(store.recent(9), JSON.stringify(name)).toEqual([numbered(n)])
    }
  })

  it('are read back over several answers, the last ones only', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `x${i}`) // 99 steps an answer
    const spaces = { observation: { names }, action: { names: ['a'] } }
    const wide = (n: number) => ({ ...numbered(n), observation: new Float32Array(1000).fill(n) })
    const trajectory = fresh()
    const store = await open(trajectory, spaces)
    await Promise.all(Array.from({ length: 120 }, (_, n) => store.append(wide(n))))
    store.dispose()
    for (const held of [99, 110, 120]) {
      using again = await open(trajectory, { ...spaces, capacity: held })
      expect(again.recent(1000)).toEqual(Array.from({ length: held }, (_, i) => wide(120 - held + i)))
    }
  })

  it('keep their order and number when the clock stands still or goes back, over restarts too', async () => {
    const trajectory = fresh()
    for (const [from, nowMs] of [
      [0, 1_700_000_000_000],
      [30, 1_600_000_000_000],
    ] as const) {
      using store = await open(trajectory, { clock: { now: () => nowMs } })
      await Promise.all(range(30, from).map((step) => store.append(step)))
    }
    using again = await open(trajectory)
    expect(again.recent(100)).toEqual(range(60))
  })

  it('of another task are not taken for ours', async () => {
    const trajectory = fresh()
    using store = await open(trajectory)
    await store.append(numbered(0))
    const other = { action: { names: ['cores'] } }
    await expect(open(trajectory, other)).rejects.toMatchObject({ code: 'trajectory_other_columns' })
  })

  it('need a database that is there', async () => {
    const server = { version: 1, url: influx.url, database: 'nowhere' } as const
    await expect(open('x', { server })).rejects.toThrow(/database not found: nowhere/)
    await influx.kill()
    try {
      await expect(open('x')).rejects.toMatchObject({ code: 'http_unreachable' })
    } finally {
      await influx.restart()
    }
  })

  it('lose no acknowledged step and double none, however often the database is killed in mid-write', async () => {
    const trajectory = fresh()
    const store = await open(trajectory, { sleep: () => wait(5) })
    const acknowledged: number[] = []
    const appended: Promise<unknown>[] = []
    let kills = 0
    const lives = (async () => {
      for (; kills < 4; kills++) {
        await wait(60 + 40 * kills)
        await influx.kill()
        const promised = [...acknowledged]
        await influx.restart()
        // What was acknowledged is there after the crash; a later try of the store would hide that it was not.
        const q = `SELECT "reward" FROM "trimtab_trajectory" WHERE "trajectory" = '${trajectory}'`
        const found = new Set((await influx.query(q)).map(([, reward]) => Math.round((reward as number) * 7)))
        expect(promised.filter((n) => !found.has(n))).toEqual([])
      }
    })()
    let steps = 0
    for (; kills < 4; steps++) {
      const n = steps
      appended.push(store.append(numbered(n)).then(() => acknowledged.push(n)))
      if (n % 5 === 4) await wait(1)
    }
    await Promise.all([...appended, lives])
    expect([kills, acknowledged.length, store.pending]).toEqual([4, steps, 0])
    store.dispose()
    const [[, count]] = (await influx.query(
      `SELECT count("episode") FROM "trimtab_trajectory" WHERE "trajectory" = '${trajectory}'`,
    )) as [[number, number]]
    expect(count).toBe(steps)
    using again = await open(trajectory)
    expect(again.recent(steps + 1)).toEqual(range(steps))
  })
})
