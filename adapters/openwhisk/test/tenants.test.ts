import { DemandRule } from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import {
  ActivationSource,
  type AllocationChange,
  ApiActuator,
  decideByRules,
  HostActuator,
  runTenants,
  type TenantTick,
  UserEventsSource,
  WhiskTenants,
} from '../src/index.js'
import { openStandIn } from './stand-in/index.js'

type WhiskTick = TenantTick<AllocationChange>

const CODE = 'const main = (params) => params'
const STEP_MS = 10_000
const CALLS = 20

/** R + √R containers, each action by a rule of its own. */
const createDecider = () =>
  decideByRules(() => new DemandRule({ margin: 1, windowSteps: 2, shares: 512, keepAliveSeconds: 600 }))

/** Two functions, one of them under load. */
const open = async () => {
  const standIn = await openStandIn({ workMs: 1000 })
  const { official, client, platform } = standIn
  platform.namespaceLimits = { ...platform.namespaceLimits, concurrentInvocations: 100, invocationsPerMinute: 1000 }
  for (const name of ['busy', 'idle']) await official.actions.update({ name, action: CODE })
  const source = new ActivationSource({ client, clock: platform })
  const invoker = { userMemoryMiB: 4096, totalShares: 8192 }
  const actuator = new ApiActuator({ client, clock: platform, invoker })
  const tenants = new WhiskTenants({
    tenants: [
      { action: 'busy', sloMs: 2000 },
      { action: 'idle', sloMs: 500 },
    ],
    source,
    actuator,
    clock: platform,
  })
  const control = new AbortController()
  const ticks = runTenants(tenants, createDecider(), {
    stepMs: STEP_MS,
    clock: platform,
    signal: control.signal,
    sleep: async () => {},
  })
  /** Twenty calls in 5 s, each of which takes one; 5 s later all have ended, and the next step is taken. */
  const next = async (): Promise<WhiskTick> => {
    for (let i = 0; i < CALLS; i++) {
      await official.actions.invoke({ name: 'busy' })
      await platform.advance(250)
    }
    await platform.advance(STEP_MS - 250 * CALLS)
    return (await platform.until(ticks.next())).value as WhiskTick
  }
  return { ...standIn, control, ticks, next }
}

describe('the tenants of a namespace', () => {
  it('are seen and scaled, each for itself', async () => {
    const { next, official } = await open()
    const first = await next()
    expect([first.allocations.size, first.changes.size, first.errors]).toEqual([0, 0, []]) // nothing is known yet
    const { telemetry, allocations, changes } = await next()
    expect(telemetry.get('busy')).toMatchObject({
      stepSeconds: 10,
      arrivals: CALLS,
      coldStarts: 0,
      demandContainers: 2,
      p99Ms: 1000,
      sloMs: 2000,
      queued: NaN,
      warmContainers: NaN,
    })
    expect(telemetry.get('idle')).toMatchObject({ arrivals: 0, demandContainers: 0, p99Ms: NaN })
    expect(allocations.get('busy')).toMatchObject({ containers: 4, shares: 512 })
    expect(allocations.get('idle')).toMatchObject({ containers: 0 })
    expect(changes.get('busy')).toMatchObject({ state: 'changed', inForce: { containers: 4, shares: 512 } })
    expect((await official.actions.get('busy')).limits).toMatchObject({ memory: 256, instances: 8 })
    const third = await next()
    expect(third.telemetry.get('busy')).toMatchObject({ shares: 512, memoryMiBPerContainer: 256, containers: 4 })
  })

  it('do not count their own warm-ups as load', async () => {
    const { next, official } = await open()
    await next()
    const { warmUps } = (await next()).changes.get('busy')!
    expect(warmUps).toHaveLength(4)
    expect((await next()).telemetry.get('busy')).toMatchObject({ arrivals: CALLS })
    const all = await official.activations.list({ limit: 200 })
    expect(all.map(({ activationId }) => activationId)).toEqual(expect.arrayContaining([...warmUps]))
  })

  it('are left as they are while nothing is known, and go on when it is', async () => {
    const { next, proxy } = await open()
    await next()
    await next()
    proxy.fault = () => ({ status: 401 })
    const blind = await next()
    expect(blind.errors.map(({ code }) => code)).toContain('whisk_denied')
    expect([blind.allocations.size, blind.changes.size]).toEqual([0, 0])
    expect(blind.telemetry.size).toBe(0)
    proxy.fault = undefined
    const seeing = await next()
    expect(seeing.errors).toEqual([])
    expect(seeing.telemetry.get('busy')).toMatchObject({ arrivals: 2 * CALLS })
    expect(seeing.telemetry.get('busy')!.stepSeconds).toBeGreaterThanOrEqual(20)
  })

  it.each([429, 500, 503])('live through HTTP %d for two tries of three', async (status) => {
    const { next, proxy } = await open()
    await next()
    let tries = 0
    proxy.fault = ({ method }) => (method !== 'POST' && tries++ % 3 < 2 ? { status } : undefined)
    const tick = await next()
    expect(tick.errors).toEqual([])
    expect(tick.changes.get('busy')).toMatchObject({ state: 'changed' })
  })

  it('live through an action that is deleted in mid-run, and one that comes back', async () => {
    const { next, official } = await open()
    await next()
    await next()
    await official.actions.delete('idle')
    const gone = await next()
    expect([gone.changes.get('idle')?.state, gone.errors]).toEqual(['gone', []])
    expect(gone.changes.get('busy')?.state).not.toBe('gone')
    await official.actions.update({ name: 'idle', action: CODE })
    expect((await next()).changes.get('idle')?.state).not.toBe('gone')
  })

  it('live through annotations that are gone', async () => {
    const { next, proxy } = await open()
    await next()
    proxy.rewrite = (value) => (Array.isArray(value) ? value.map(({ annotations, ...record }) => record) : value)
    const { telemetry, changes } = await next()
    expect(telemetry.get('busy')).toMatchObject({ coldStarts: NaN, p99Ms: NaN })
    expect(changes.get('busy')).toMatchObject({ state: 'changed' })
  })

  it('are left as they are where the work of their calls is not known', async () => {
    const { next, proxy } = await open()
    await next()
    proxy.rewrite = (value) => (Array.isArray(value) ? value.map(({ duration, end, ...record }) => record) : value)
    const { telemetry, allocations, fallbacks } = await next()
    expect(telemetry.get('busy')).toMatchObject({ arrivals: CALLS, demandContainers: NaN })
    expect([...allocations.keys()]).toEqual(['idle'])
    expect([...fallbacks]).toEqual([['busy', 'demand_unknown']])
  })

  it('end with their signal', async () => {
    const { next, control, ticks } = await open()
    await next()
    control.abort()
    expect(await ticks.next()).toEqual({ done: true, value: undefined })
  })

  it('are the same to a coordinator by metrics and beside an invoker', async () => {
    let scrapes = 0
    const scrape = async () => {
      scrapes++
      const labels = { namespace: 'guest', action: 'busy' }
      const samples = [
        { name: 'openwhisk_action_activations_total', labels, value: 40 * scrapes },
        { name: 'openwhisk_action_duration_seconds_sum', labels, value: 30 * scrapes },
      ]
      return { samples, sampledAtMs: 10_000 * scrapes }
    }
    const set: unknown[] = []
    const shares = {
      list: async () => [{ id: 'a', name: 'wsk0_1_guest_busy', labels: {}, cpuShares: 256 }],
      set: async (...of: unknown[]) => void set.push(of.slice(0, 2)),
    }
    const tenants = new WhiskTenants({
      tenants: [{ action: 'busy', sloMs: 2000 }],
      source: new UserEventsSource({ scraper: { scrape }, namespace: 'guest' }),
      actuator: new HostActuator({ shares, namespace: 'guest' }),
    })
    const control = new AbortController()
    const ticks = runTenants(tenants, createDecider(), { stepMs: 0, signal: control.signal, sleep: async () => {} })
    await ticks.next()
    const tick = (await ticks.next()).value as WhiskTick
    expect(tick.telemetry.get('busy')).toMatchObject({ arrivals: 40, demandContainers: 3, p99Ms: NaN })
    expect(tick.allocations.get('busy')).toMatchObject({ containers: 5, shares: 512 })
    expect(set).toEqual([['a', 512]])
  })
})
