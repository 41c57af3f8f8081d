import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LimitsActuator, type LimitsActuatorOptions, type LimitWish, type WhiskActionLimits } from '../src/index.js'
import { openStandIn } from './stand-in/index.js'

const CODE = 'const main = (params) => params'

const wishing = (wishes: Readonly<Record<string, LimitWish>>) =>
  new Map(Object.entries(wishes).map(([action, wish]) => [action, () => wish]))

const open = async (options: Partial<LimitsActuatorOptions> = {}) => {
  const standIn = await openStandIn()
  const { official, client, platform, proxy } = standIn
  await official.actions.update({ name: 'hello', action: CODE })
  const actuator = new LimitsActuator({ client, clock: platform, ...options })
  const apply = async (wish: LimitWish) => (await actuator.apply(wishing({ hello: wish }))).changes.get('hello')!
  const puts = () => proxy.seen.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).limits)
  return { ...standIn, actuator, apply, puts }
}

describe('limits of actions', () => {
  it('are changed together, in one version', async () => {
    const { apply, puts, official } = await open()
    expect(await apply({ memory: 384, instances: 7, concurrency: 2 })).toMatchObject({
      state: 'changed',
      from: { memory: 256, concurrency: 1 },
      limits: { memory: 384, instances: 7, concurrency: 2, timeout: 60_000 },
    })
    expect(puts()).toEqual([{ memory: 384, instances: 7, concurrency: 2 }])
    expect(await official.actions.get('hello')).toMatchObject({
      version: '0.0.2',
      exec: { code: CODE },
      limits: { memory: 384, instances: 7 },
    })
  })

  it('make no version where nothing is to change', async () => {
    const { apply, puts } = await open()
    expect(await apply({ memory: 256 })).toMatchObject({ state: 'unchanged' })
    expect(await apply({})).toMatchObject({ state: 'unchanged' })
    expect(await apply({ memory: NaN, instances: NaN })).toMatchObject({ state: 'unchanged' })
    expect(puts()).toEqual([])
  })

  it('rest after a change, each action for itself', async () => {
    const { apply, actuator, platform, official, puts } = await open({ coolDownSeconds: 300 })
    await official.actions.update({ name: 'other', action: CODE })
    await apply({ memory: 384 })
    await platform.advance(299_000)
    expect(await apply({ memory: 512 })).toMatchObject({ state: 'cooling', limits: { memory: 384 } })
    const { changes } = await actuator.apply(wishing({ other: { memory: 512 } }))
    expect(changes.get('other')).toMatchObject({ state: 'changed' })
    await platform.advance(1000)
    expect(await apply({ memory: 512 })).toMatchObject({ state: 'changed' })
    expect(puts()).toHaveLength(3)
  })

  it('change for so many actions at a time; the others come later', async () => {
    const { actuator, official } = await open({ mostChanges: 2 })
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await official.actions.update({ name, action: CODE })
    const wishes = wishing(Object.fromEntries(names.map((name) => [name, { memory: 512 }])))
    const states = async () => [...(await actuator.apply(wishes)).changes.values()].map(({ state }) => state)
    expect(await states()).toEqual(['changed', 'changed', 'cooling', 'cooling'])
    expect(await states()).toEqual(['unchanged', 'unchanged', 'changed', 'changed'])
  })

  it('are told but not changed by a dry run', async () => {
    const { apply, puts, proxy } = await open({ dryRun: true })
    expect(await apply({ memory: 384 })).toMatchObject({
      state: 'planned',
      from: { memory: 256 },
      limits: { memory: 384 },
    })
    expect(puts()).toEqual([])
    expect(proxy.seen.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('are read again and tried again after an edit of somebody else', async () => {
    const { apply, proxy, puts, official } = await open()
    proxy.fault = ({ method }) => (method === 'PUT' && puts().length <= 2 ? { status: 409 } : undefined)
    expect(await apply({ memory: 384 })).toMatchObject({ state: 'changed' })
    expect(puts()).toHaveLength(3)
    expect((await official.actions.get('hello')).limits?.memory).toBe(384)
  })

  it('are left to whoever edits without end', async () => {
    const { apply, proxy } = await open()
    proxy.fault = ({ method }) => (method === 'PUT' ? { status: 409 } : undefined)
    expect(await apply({ memory: 384 })).toMatchObject({ state: 'failed', error: { code: 'whisk_conflict' } })
  })

  it('follow a namespace whose limit falls between the look and the change', async () => {
    const { apply, proxy, platform, official } = await open()
    proxy.fault = ({ method }) => {
      if (method === 'PUT') platform.namespaceLimits = { ...platform.namespaceLimits, maxActionMemory: 300 }
      return undefined
    }
    expect(await apply({ memory: 512 })).toMatchObject({ state: 'changed', limits: { memory: 300 } })
    expect((await official.actions.get('hello')).limits?.memory).toBe(300)
  })

  it('come down where the limit fell below what is in force', async () => {
    const { apply, platform } = await open({ coolDownSeconds: 0 })
    await apply({ memory: 512, instances: 20 })
    platform.namespaceLimits = { ...platform.namespaceLimits, maxActionMemory: 300, concurrentInvocations: 10 }
    expect(await apply({ memory: 512, instances: 20 })).toMatchObject({ limits: { memory: 300, instances: 10 } })
  })

  it('say that an action is gone, and go on with the others', async () => {
    const { actuator, official } = await open()
    await official.actions.update({ name: 'other', action: CODE })
    await official.actions.delete('hello')
    const { changes } = await actuator.apply(wishing({ hello: { memory: 512 }, other: { memory: 512 } }))
    expect([...changes.values()].map(({ state }) => state)).toEqual(['gone', 'changed'])
  })

  it('are not touched while the limits of the namespace are not known', async () => {
    const { actuator, proxy, puts } = await open()
    proxy.fault = ({ path }) => (path === '/limits' ? { status: 500 } : undefined)
    await expect(actuator.apply(wishing({ hello: { memory: 512 } }))).rejects.toMatchObject({ code: 'whisk_failed' })
    expect(puts()).toEqual([])
  })

  it('are never asked above the namespace’s, and never moved where it does not say one', async () => {
    const known = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined })
    const wish = fc.oneof(fc.double(), fc.integer({ min: -5, max: 2000 }), fc.constant(Infinity))
    let asked = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({ memory: known, instances: known, atOnce: known, concurrency: known }),
        fc.record({ memory: wish, instances: wish, concurrency: wish }, { requiredKeys: [] }),
        async (most, wished) => {
          const bounds = {
            maxActionMemory: most.memory,
            maxActionInstances: most.instances,
            concurrentInvocations: most.atOnce,
            maxActionConcurrency: most.concurrency,
          }
          const hello = { name: 'hello', version: '0.0.1', limits: { memory: 256, concurrency: 1 } }
          const client = {
            limits: async () => JSON.parse(JSON.stringify(bounds)),
            action: async () => hello,
            changeLimits: async (_: string, limits: Partial<WhiskActionLimits>) => {
              asked++
              expect(limits.memory ?? 0).toBeLessThanOrEqual(most.memory ?? 0)
              expect(limits.concurrency ?? 0).toBeLessThanOrEqual(most.concurrency ?? 0)
              expect(limits.instances ?? 0).toBeLessThanOrEqual(Math.min(most.instances ?? 0, most.atOnce ?? Infinity))
              for (const value of Object.values(limits)) expect(Number.isInteger(value) && value >= 1).toBe(true)
              return hello
            },
          }
          const { changes } = await new LimitsActuator({ client }).apply(wishing({ hello: wished as LimitWish }))
          expect(['changed', 'unchanged']).toContain(changes.get('hello')!.state)
        },
      ),
      { numRuns: 300 },
    )
    expect(asked).toBeGreaterThan(100) // the property was put to the test
  })
})
