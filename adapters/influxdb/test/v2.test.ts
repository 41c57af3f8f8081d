import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { columns, numbered } from '../../../test/numbered-steps.js'
import { InfluxTrajectoryStore, type InfluxTrajectoryStoreOptions } from '../src/index.js'
import { InfluxDouble, TOKEN } from './influx-double.js'
import { range, strangeNames } from './steps.js'

let double: InfluxDouble
beforeEach(async () => {
  double = await InfluxDouble.start()
})
afterEach(() => double.stop())

const open = (options: Partial<InfluxTrajectoryStoreOptions> = {}, server = {}) =>
  InfluxTrajectoryStore.open({
    server: { version: 2, url: double.url, org: 'o', bucket: 'b', token: TOKEN, ...server },
    trajectory: 'shop',
    ...columns,
    ...options,
  })

describe('trajectories in a double of InfluxDB 2.x', () => {
  it('are there for the next process', async () => {
    const store = await open()
    expect([store.size, store.nextEpisode]).toEqual([0, 0])
    await Promise.all(range(23).map((step) => store.append(step)))
    store.dispose()
    using again = await open()
    expect(again.recent(100)).toEqual(range(23))
    expect([again.size, again.nextEpisode, double.size]).toEqual([23, 5, 23])
  })

  it('come back with NaN as NaN, and without the older points that a missing number lets in', async () => {
    const holes = range(20).map((step) => (step.step === 4 ? step : { ...step, reward: Number.NaN }))
    const store = await open()
    await Promise.all(holes.map((step) => store.append(step)))
    store.dispose()
    using again = await open({ capacity: 6 })
    expect(again.recent(100)).toEqual(holes.slice(-6))
  })

  it('keep every name apart, whatever is in it', async () => {
    const names = strangeNames(20)
    const spaces = { observation: { names }, action: { names } }
    const of = (sign: number) => Float32Array.from(names, (_, i) => sign * i)
    const wide = { ...numbered(0), observation: of(1), action: of(-1) }
    const store = await open(spaces)
    await store.append(wide)
    store.dispose()
    using again = await open(spaces)
    expect(again.recent(9)).toEqual([wide])
    for (const [n, name] of names.entries()) {
      using store = await open({ trajectory: name, measurement: name })
      await store.append(numbered(n))
    }
    for (const [n, name] of names.entries()) {
      using store = await open({ trajectory: name, measurement: name })
      expect(store.recent(9), JSON.stringify(name)).toEqual([numbered(n)])
    }
  })

  it('are read back over several answers, the last ones only', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `x${i}`) // 9 steps an answer
    const wide = (n: number) => ({ ...numbered(n), observation: new Float32Array(10_000).fill(n) })
    const options = { observation: { names } }
    const store = await open(options)
    for (let n = 0; n < 13; n++) await store.append(wide(n))
    store.dispose()
    for (const held of [9, 11, 13]) {
      using again = await open({ ...options, capacity: held })
      expect(again.recent(100).map(({ observation }) => observation[9999])).toEqual(
        Array.from({ length: held }, (_, i) => 13 - held + i),
      )
    }
  })

  it.each([
    ['a wrong token', { token: 'x' }, /HTTP 401, unauthorized access/],
    ['a wrong organisation', { org: 'x' }, /HTTP 404, organization not found/],
    ['a wrong bucket', { bucket: 'x' }, /the double does not know/],
  ])('need more than %s', async (_, server, message) => {
    await expect(open({}, server)).rejects.toThrow(message)
  })

  it('of a query that fails half-way are an error, not a shorter trajectory', async () => {
    double.interruption = ({ url }, response) => {
      if (!url!.startsWith('/api/v2/query')) return false
      response.end('#datatype,string,string\r\n,error,reference\r\n,"out of memory, sorry",897\r\n')
      return true
    }
    await expect(open()).rejects.toThrow('the query failed: out of memory, sorry')
  })

  it('are written with a token that is asked for each time', async () => {
    let token = TOKEN
    const renew = async (): Promise<void> => {
      token = TOKEN
    }
    using store = await open({ sleep: renew }, { token: () => token })
    token = 'old'
    await store.append(numbered(0))
    expect(double.size).toBe(1)
  })
})

describe('a database that does not take steps', () => {
  /** Waits that were asked for, in ms; none is waited for. */
  let waits: number[]
  let said: string[]
  const patient = (options: Partial<InfluxTrajectoryStoreOptions> = {}) => {
    waits = []
    said = []
    const say = (message: string) => void said.push(message)
    return open({
      sleep: async (milliseconds) => void waits.push(milliseconds),
      logger: { debug: say, info: say, warn: say, error: say },
      ...options,
    })
  }

  it('is asked again, ever later, and what it gets is the same each time', async () => {
    using store = await patient()
    let failures = 5
    double.interruption = (_, response) => {
      if (failures-- <= 0) return false
      response.writeHead(503).end('busy')
      return true
    }
    await store.append(numbered(0))
    expect(waits).toEqual([100, 200, 400, 800, 1600])
    expect(new Set(double.writes).size).toBe(1)
    expect(double.size).toBe(1)
    expect(said).toEqual(['InfluxDB does not take steps; they are kept and sent again', 'InfluxDB takes steps again'])
  })

  it('is given the time that it asks for', async () => {
    using store = await patient()
    let failures = 1
    double.interruption = (_, response) => {
      if (failures-- <= 0) return false
      response.writeHead(429, { 'retry-after': '7' }).end()
      return true
    }
    await store.append(numbered(0))
    expect(waits).toEqual([7000])
  })

  it('after it has stored them but could not say so has them once', async () => {
    using store = await patient()
    let breaks = 1
    double.interruption = (request, response) => {
      if (breaks-- <= 0 || request.url!.startsWith('/api/v2/query')) return false
      response.writeHead = () => response.destroy() as never
      return false
    }
    await store.append(numbered(0))
    expect([double.writes.length, double.size]).toEqual([2, 1])
  })

  it('owes no more than the bound; a step beyond it is refused, and nothing of it is kept', async () => {
    let isDown = true
    let wake = (): void => {}
    using store = await patient({
      maxPending: 10,
      sleep: () =>
        new Promise<void>((resolve) => {
          wake = resolve
        }),
    })
    double.interruption = (_, response) => {
      if (isDown) response.writeHead(500).end()
      return isDown
    }
    const taken = range(10).map((step) => store.append(step))
    await expect(store.append(numbered(10))).rejects.toMatchObject({ code: 'influxdb_backlog_full' })
    expect([store.pending, store.size]).toEqual([10, 10])
    await expect.poll(() => double.writes.length).toBe(1)
    isDown = false
    wake()
    await Promise.all(taken)
    await store.append(numbered(11))
    expect([store.pending, double.size, store.size]).toEqual([0, 11, 11])
  })

  it('because one of them is bad gets all the others', async () => {
    using store = await patient()
    double.interruption = (_, response, body) => {
      const isBad = /episode=3i,step=2i/.test(body)
      if (isBad) response.writeHead(400).end('{"code":"invalid","message":"field type conflict"}')
      return isBad
    }
    const outcomes = await Promise.allSettled(range(40).map((step) => store.append(step)))
    const refused = outcomes.flatMap((outcome, n) => (outcome.status === 'rejected' ? [[n, outcome.reason.code]] : []))
    expect(refused).toEqual([[17, 'influxdb_refused']])
    expect([double.size, waits]).toEqual([39, []])
  })

  it('is left alone by a store that is disposed, which says what is not stored', async () => {
    const store = await patient({
      sleep: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    })
    double.stop()
    const lost = store.append(numbered(0))
    const failed = expect(lost).rejects.toMatchObject({ code: 'trajectory_store_disposed' })
    store.dispose()
    await failed
    await store.settled()
    await expect(store.append(numbered(1))).rejects.toMatchObject({ code: 'trajectory_store_disposed' })
    store.dispose()
  })

  it('is waited for by `settled`', async () => {
    using store = await patient()
    for (const step of range(5)) void store.append(step)
    await store.settled()
    expect(double.size).toBe(5)
  })
})

describe('a step that cannot be stored', () => {
  it.each([
    ['of another shape', { observation: Float32Array.of(1) }, 'trajectory_shape'],
    ['with an infinite number', { action: Float32Array.of(Number.POSITIVE_INFINITY) }, 'trajectory_not_finite'],
    ['with an infinite reward', { reward: Number.NEGATIVE_INFINITY }, 'trajectory_not_finite'],
    ['with half an episode', { episode: 0.5 }, 'trajectory_shape'],
  ])('%s is refused before anything changes', async (_, change, code) => {
    using store = await open()
    await expect(store.append({ ...numbered(0), ...change })).rejects.toMatchObject({ code })
    expect([store.size, store.pending, double.writes.length]).toEqual([0, 0, 0])
  })

  it('belongs to a store whose options are right', async () => {
    const bad = { trajectory: '', maxPending: 0, measurement: '', batch: 3 } as never
    await expect(open(bad)).rejects.toThrow(/batch is no option.*trajectory.*measurement.*maxPending/s)
    await expect(open({}, { bucket: '' })).rejects.toThrow(/server\.bucket must not be empty/)
    await expect(open({}, { version: 3 })).rejects.toThrow(/server\.version must be 1 or 2, got 3/)
  })
})
