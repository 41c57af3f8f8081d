import { describe, expect, it } from 'vitest'
import { ApiActuator, type ApiActuatorOptions, memoryFor, sharesOf, WarmUps } from '../src/index.js'
import { openStandIn } from './stand-in/index.js'

const CODE = 'const main = (params) => params'
const INVOKER = { userMemoryMiB: 4096, totalShares: 4096 } // a share a MiB

const open = async (options: Partial<ApiActuatorOptions> = {}) => {
  const standIn = await openStandIn()
  const { official, client, platform } = standIn
  platform.namespaceLimits = { ...platform.namespaceLimits, invocationsPerMinute: 1000, concurrentInvocations: 100 }
  await official.actions.update({ name: 'hello', action: CODE })
  const actuator = new ApiActuator({ client, clock: platform, invoker: INVOKER, coolDownSeconds: 0, ...options })
  /** @param warmUps  which end only once all of them have come */
  const apply = async (containers: number, shares: number, warmUps = 0) => {
    const applied = actuator.apply(new Map([['hello', { containers, shares, keepAliveSeconds: NaN }]]))
    await expect.poll(() => platform.running).toBe(warmUps)
    return (await platform.until(applied)).get('hello')!
  }
  return { ...standIn, actuator, apply }
}

describe('memory and shares', () => {
  it('hang together as an invoker divides its CPU', () => {
    const invoker = { userMemoryMiB: 2048, totalShares: 1024 }
    expect([sharesOf(256, invoker), sharesOf(1, invoker)]).toEqual([128, 2])
    for (const shares of [2, 100, 127, 1000]) expect(sharesOf(memoryFor(shares, invoker), invoker)).toBe(shares)
  })
})

describe('the api mode', () => {
  it('turns shares into memory, and containers into a cap with room above', async () => {
    const { apply, official } = await open()
    expect(await apply(3, 400)).toMatchObject({
      state: 'changed',
      inForce: { containers: 3, shares: 400, memoryMiB: 400 },
    })
    expect(await official.actions.get('hello')).toMatchObject({ limits: { memory: 400, instances: 6 } })
  })

  it('makes no version for what is near or has room', async () => {
    const { apply, official } = await open()
    await apply(3, 400)
    for (const [containers, shares] of [
      [5, 400],
      [6, 330],
      [3, 499],
      [2, 301],
    ] as const)
      expect(await apply(containers, shares)).toMatchObject({ state: 'unchanged' })
    expect((await official.actions.get('hello')).version).toBe('0.0.2')
    expect(await apply(7, 400)).toMatchObject({ state: 'changed' })
    expect(await official.actions.get('hello')).toMatchObject({ limits: { memory: 400, instances: 14 } })
    expect(await apply(3, 400)).toMatchObject({ state: 'changed' }) // 14 is more than four times 3
  })

  it('holds what a decision leaves open', async () => {
    const { apply } = await open()
    expect(await apply(NaN, NaN)).toMatchObject({ state: 'unchanged', warmUps: [] })
  })

  it('moves no memory where it is not told how that brings CPU', async () => {
    const { client, platform } = await open()
    const actuator = new ApiActuator({ client, clock: platform })
    const allocations = new Map([['hello', { containers: 1, shares: 400, keepAliveSeconds: NaN }]])
    const change = (await platform.until(actuator.apply(allocations))).get('hello')!
    expect(change.inForce).toEqual({ containers: 1, shares: NaN, memoryMiB: 256 })
  })

  it('warms up what a new version lost, and later only what is new', async () => {
    const { apply, platform } = await open()
    expect((await apply(3, 400, 3)).warmUps).toHaveLength(3)
    expect([platform.containers('hello'), platform.coldStarts.get('hello')]).toEqual([3, 3])
    expect((await apply(5, 400, 2)).warmUps).toHaveLength(2)
    expect((await apply(4, 400)).warmUps).toHaveLength(0)
    expect(await apply(7, 400, 7)).toMatchObject({ state: 'changed', warmUps: { length: 7 } })
    expect(platform.containers('hello')).toBe(7)
  })

  it('calls nothing in a dry run', async () => {
    const { apply, proxy } = await open({ dryRun: true })
    expect(await apply(3, 400)).toMatchObject({ state: 'planned', warmUps: [] })
    expect(proxy.seen.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('says what failed, and calls nothing then', async () => {
    const { apply, proxy } = await open()
    proxy.fault = ({ method }) => (method === 'PUT' ? { status: 401 } : undefined)
    expect(await apply(3, 400)).toMatchObject({ state: 'failed', warmUps: [], errors: [{ code: 'whisk_denied' }] })
    expect(proxy.seen.some(({ method }) => method === 'POST')).toBe(false)
  })
})

describe('warm-ups', () => {
  const LIMITS = { concurrentInvocations: 40, invocationsPerMinute: 80 }

  const open = async () => {
    const standIn = await openStandIn()
    const { official, platform } = standIn
    platform.namespaceLimits = { ...platform.namespaceLimits, ...LIMITS }
    await official.actions.update({ name: 'hello', action: CODE })
    return standIn
  }

  it('start as many containers as calls come at once', async () => {
    const { client, platform, official } = await open()
    const started = new WarmUps({ client, clock: platform }).start('hello', 5, LIMITS)
    await expect.poll(() => platform.running).toBe(5)
    const { activationIds, refusals } = await platform.until(started)
    expect([platform.coldStarts.get('hello'), activationIds.length, refusals]).toEqual([5, 5, []])
    expect(await official.activations.get(activationIds[0]!)).toMatchObject({
      response: { result: { echo: { warmUp: true } } },
    })
  })

  it.each([
    ['of their own', { concurrentInvocations: 1000, invocationsPerMinute: 1000 }, [8, 8]],
    ['at once', { concurrentInvocations: 8, invocationsPerMinute: 1000 }, [2, 2]],
    ['a minute', { concurrentInvocations: 1000, invocationsPerMinute: 44 }, [8, 3]],
    ['that are not said', {}, [8, 8]],
  ])('stay below the bounds %s', async (_, limits, expected) => {
    let calls = 0
    const client = { invoke: async () => `${++calls}` }
    const platform = { now: () => 0 }
    const warmUps = new WarmUps({ client, clock: platform })
    const counts = []
    for (let i = 0; i < 2; i++) counts.push((await warmUps.start('hello', 20, limits)).activationIds.length)
    expect(counts).toEqual(expected)
  })

  it('are asked again after a minute', async () => {
    const clock = { nowMs: 0, now: () => clock.nowMs }
    const warmUps = new WarmUps({ client: { invoke: async () => 'id' }, clock })
    const count = async () => (await warmUps.start('hello', 9, { invocationsPerMinute: 20 })).activationIds.length
    expect([await count(), await count()]).toEqual([5, 0])
    clock.nowMs = 60_000
    expect(await count()).toBe(5)
  })

  it('say which were refused', async () => {
    const { client, platform, proxy } = await open()
    platform.namespaceLimits = { ...platform.namespaceLimits, concurrentInvocations: 2 }
    const started = new WarmUps({ client, clock: platform }).start('hello', 5, LIMITS)
    await expect.poll(() => [platform.running, proxy.answered]).toEqual([2, 3])
    const { activationIds, refusals } = await platform.until(started)
    expect([activationIds.length, refusals.map(({ code }) => code)]).toEqual([2, Array(3).fill('whisk_throttled')])
  })
})
