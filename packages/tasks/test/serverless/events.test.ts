import { type Core, createCore, mean, mg1ProcessorSharing, mmcTimes, percentile } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  EventPlatform,
  INVOKER,
  PAPER_FUNCTIONS,
  SERVERLESS_DEFAULTS,
  ServerlessPlatform,
  type ServerlessSpec,
} from '../../src/serverless/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const HUGE_MIB = 1e6 // no interference

/** One function at a steady rate on invokers of one core. */
function alone(ratePerSecond: number, steps: number, profile: object, spec: object = {}): ServerlessSpec {
  const base = { ...PAPER_FUNCTIONS[0]!, workScv: 1, ioSeconds: 0, workSeconds: 0.5 }
  return {
    ...SERVERLESS_DEFAULTS,
    functions: [{ ...base, name: 'one', ...profile }],
    loads: { steady: Array.from({ length: steps + 1 }, () => ratePerSecond) },
    tenants: [{ functions: ['one'], loads: ['steady'] }],
    invokers: [{ ...INVOKER, memoryMiB: HUGE_MIB, ioStreams: 1e6 }],
    episodeSteps: steps,
    timeoutSeconds: 1e6,
    bounds: { shares: [128, 2048], containers: [0, 500] },
    ...spec,
  }
}

function run(platform: EventPlatform, seed: number, containers: number): void {
  platform.reset(seed)
  const allocation = { containers, shares: 1024, keepAliveSeconds: 0 }
  for (let step = 0; step < platform.spec.episodeSteps; step++) {
    platform.step([allocation])
  }
}

describe('requests one by one', () => {
  it('wait as in M/M/c where each container has a core of its own', () => {
    const platform = new EventPlatform(core, alone(5, 1000, {}))
    run(platform, 1, 4)
    const { latenciesMs, coreSeconds } = platform.events(0)
    const truth = mmcTimes(core.math, { arrivalRate: 5, serviceRate: 2, servers: 4 })
    expect(latenciesMs.length).toBeGreaterThan(49_000)
    expect(mean(latenciesMs) / 1000 / truth.meanSojourn).toBeCloseTo(1, 1)
    expect(percentile(latenciesMs, 99) / 1000 / truth.sojournQuantile).toBeGreaterThan(0.94)
    expect(percentile(latenciesMs, 99) / 1000 / truth.sojournQuantile).toBeLessThan(1.06)
    expect(coreSeconds / 10_000).toBeCloseTo(2.5, 1)
  })

  it('share one core as in M/G/1 with processor sharing where there are containers enough', () => {
    const platform = new EventPlatform(
      core,
      alone(1.2, 2000, { workScv: 0.25 }, { invokers: [{ ...INVOKER, cores: 1, memoryMiB: HUGE_MIB }] }),
    )
    run(platform, 2, 60)
    const { meanSojourn } = mg1ProcessorSharing({ arrivalRate: 1.2, meanWork: 0.5, capacity: 1 })
    expect(mean(platform.events(0).latenciesMs) / 1000 / meanSojourn).toBeGreaterThan(0.95)
    expect(mean(platform.events(0).latenciesMs) / 1000 / meanSojourn).toBeLessThan(1.05)
  })

  it('get no more than their quota, whatever is free', () => {
    const platform = new EventPlatform(core, alone(0.05, 400, { workScv: 0.01 }, { cpuMode: 'quota' }))
    platform.reset(1)
    for (let step = 0; step < 400; step++) platform.step([{ containers: 20, shares: 256, keepAliveSeconds: 1e6 }])
    expect(mean(platform.events(0).latenciesMs)).toBeGreaterThan(1800) // half a second of work at a quarter of a core
    expect(mean(platform.events(0).latenciesMs)).toBeLessThan(2200)
  })
})

describe('the closed form beside requests one by one', () => {
  const STEPS = 50
  /** The paper's twelve on one node without interference, all with equal shares, each with R + c√R containers. */
  function both(load01: number, c: number) {
    const meanCores = (8 * load01) / PAPER_FUNCTIONS.length
    const spec: ServerlessSpec = {
      ...alone(1, STEPS, {}),
      functions: PAPER_FUNCTIONS,
      tenants: PAPER_FUNCTIONS.map(({ name }) => ({ functions: [name], loads: ['steady'], meanCores })),
    }
    const allocations = PAPER_FUNCTIONS.map(({ workSeconds, ioSeconds }) => {
      const busy = (meanCores * (workSeconds + ioSeconds)) / workSeconds
      return { containers: Math.ceil(busy + c * Math.sqrt(busy)), shares: 1024, keepAliveSeconds: 0 }
    })
    const events = new EventPlatform(core, spec)
    const closed = new ServerlessPlatform(core, spec)
    events.reset(1)
    closed.reset(1)
    const p99 = new Float64Array(PAPER_FUNCTIONS.length) // Σ p99 · arrivals
    const arrivals = new Float64Array(PAPER_FUNCTIONS.length)
    let usedCores = 0
    for (let step = 0; step < STEPS; step++) {
      events.step(allocations)
      closed.step(allocations)
      for (const [i, t] of closed.telemetry.entries()) {
        usedCores += t.usedCores / STEPS
        if (t.arrivals === 0) continue
        p99[i]! += t.p99Ms * t.arrivals
        arrivals[i]! += t.arrivals
      }
    }
    const isolated = closed.telemetry.map(({ sloMs }) => sloMs / spec.sloFactor)
    const all = PAPER_FUNCTIONS.map((_, i) => events.events(i))
    return {
      multiOverSingle: mean(all.map(({ latenciesMs }, i) => percentile(latenciesMs, 99) / isolated[i]!)),
      closedMultiOverSingle: mean(isolated.map((single, i) => p99[i]! / arrivals[i]! / single)),
      utilisation01: all.reduce((sum, { coreSeconds }) => sum + coreSeconds, 0) / (8 * 10 * (STEPS + 1)),
      closedUtilisation01: usedCores / 8,
    }
  }

  // p99 of many tenants over that of one, as an event-by-event run of the notes had it. Above 80 % it had 1.9 and 3.9, and this one,
  // longer, has 2.9 and 7.2: see the README beside the code.
  it.each([
    [0.62, 1.1],
    [0.8, 1.7],
  ])('at %d load functions of one node have a p99 of %d times the isolated one', (load01, ratio) => {
    const { multiOverSingle } = both(load01, 12)
    expect(multiOverSingle / ratio).toBeGreaterThan(0.88)
    expect(multiOverSingle / ratio).toBeLessThan(1.12)
  })

  it.each([
    [0.3, 2],
    [0.5, 4],
    [0.62, 2],
    [0.8, 2],
    [0.9, 4],
  ])('agrees on p99 and use at %d load with R + %d√R containers', (load01, c) => {
    const { multiOverSingle, closedMultiOverSingle, utilisation01, closedUtilisation01 } = both(load01, c)
    expect(closedMultiOverSingle / multiOverSingle).toBeGreaterThan(0.88)
    expect(closedMultiOverSingle / multiOverSingle).toBeLessThan(1.12)
    expect(Math.abs(closedUtilisation01 - utilisation01)).toBeLessThan(0.03)
  })

  it('agrees on cold starts of containers that come and go as asked', () => {
    const spec = alone(2, 60, { coldStartSeconds: 2.35 })
    const [events, closed] = [new EventPlatform(core, spec), new ServerlessPlatform(core, spec)].map((platform) => {
      platform.reset(3)
      let coldStarts = 0
      for (let step = 0; step < 60; step++) {
        platform.step([{ containers: step % 10 < 5 ? 2 : 12, shares: 1024, keepAliveSeconds: 0 }])
        coldStarts += platform.telemetry[0]!.coldStarts
      }
      return coldStarts
    })
    expect(events).toBeGreaterThan(50)
    expect(closed! / events!).toBeGreaterThan(0.85)
    expect(closed! / events!).toBeLessThan(1.15)
  })

  it('agrees on cold starts of requests that meet no container', () => {
    const spec = alone(0.02, 400, { coldStartSeconds: 4 })
    const [events, closed] = [new EventPlatform(core, spec), new ServerlessPlatform(core, spec)].map((platform) => {
      platform.reset(3)
      const seen = { coldStarts: 0, p99Ms: [] as number[] }
      for (let step = 0; step < 400; step++) {
        platform.step([{ containers: 0, shares: 1024, keepAliveSeconds: 0 }])
        const { coldStarts, p99Ms } = platform.telemetry[0]!
        seen.coldStarts += coldStarts
        if (coldStarts > 0 && p99Ms > 0) seen.p99Ms.push(p99Ms)
      }
      return seen
    })
    expect(events!.coldStarts).toBeGreaterThan(60)
    expect(closed!.coldStarts / events!.coldStarts).toBeGreaterThan(0.8)
    expect(closed!.coldStarts / events!.coldStarts).toBeLessThan(1.25)
    // Both have it wait for the start.
    expect(mean(events!.p99Ms)).toBeGreaterThan(4000)
    expect(mean(closed!.p99Ms)).toBeGreaterThan(4000)
  })

  it('refuses churn, which it does not know', () => {
    const churn = { ...alone(1, 10, {}), events: [{ step: 2, kind: 'leave', tenant: 0 }] } as const
    expect(() => new EventPlatform(core, churn)).toThrow(/spec.events must be empty/)
  })
})
