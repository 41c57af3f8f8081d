import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  INVOKER,
  PAPER_FUNCTIONS,
  ServerlessPlatform,
  type ServerlessSpec,
  type TenantAllocation,
  type TenantTelemetry,
} from '../../src/serverless/index.js'
import { anything, busySpec, paperFunction, sameForAll, steadySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const ALLOCATION: TenantAllocation = { containers: 4, shares: 1024, keepAliveSeconds: 0 }

/** Lives `steps` of a new platform under `decide`, and looks at each. */
function live(
  spec: ServerlessSpec,
  steps: number,
  decide: (platform: ServerlessPlatform) => readonly TenantAllocation[],
  look: (platform: ServerlessPlatform, step: number) => void = () => {},
  seed = 1,
): void {
  const platform = new ServerlessPlatform(core, spec)
  platform.reset(seed)
  for (let step = 1; step <= steps; step++) {
    platform.step(decide(platform))
    look(platform, step)
  }
  platform.dispose()
}

/** Runs a busy platform whose agents ask for anything. */
function wander(spec: ServerlessSpec, look: (platform: ServerlessPlatform, step: number) => void, seed = 1): void {
  const random = new Random(core, seed, 9)
  live(spec, spec.episodeSteps, (platform) => anything(platform, random), look, seed)
  random.dispose()
}

const sum = (platform: ServerlessPlatform, of: (t: TenantTelemetry) => number): number =>
  platform.telemetry.reduce((total, t) => total + (of(t) || 0), 0)

describe('whatever is asked', () => {
  it('no invoker holds more memory than it has, and what is free is what no container holds', () => {
    for (const seed of [1, 2, 3]) {
      wander(busySpec(core, seed, 12), ({ containers, invokers }) => {
        const held = invokers.map(() => 0)
        for (let row = 0; row < containers.count; row++) held[containers.invoker[row]!]! += containers.memoryMiB[row]!
        for (const [i, { memoryMiB }] of invokers.entries()) {
          expect(held[i]!).toBeLessThanOrEqual(memoryMiB)
          if (!containers.isLost(i)) expect(containers.freeMiB[i]!).toBe(memoryMiB - held[i]!)
          else expect(held[i]).toBe(0)
        }
      })
    }
  })

  it('requests are served, given up or wait: none is lost, none is served twice', () => {
    // Used cores times seconds over the work of one is what was served, where nothing interferes.
    const quiet = PAPER_FUNCTIONS.map((one) => ({ ...one, memorySensitivity: 0, ioSensitivity: 0 }))
    const spec = { ...busySpec(core, 5, 12), functions: quiet, events: [] }
    const queued = new Float64Array(12)
    const platform = new ServerlessPlatform(core, spec)
    const random = new Random(core, 5, 9)
    platform.reset(5)
    for (const [i, t] of platform.telemetry.entries()) queued[i] = t.queued
    for (let step = 0; step < spec.episodeSteps; step++) {
      platform.step(anything(platform, random))
      for (const [i, t] of platform.telemetry.entries()) {
        const served = (t.usedCores * t.stepSeconds) / platform.functions[i]!.workSeconds
        expect(served + t.dropped + t.queued).toBeCloseTo(t.arrivals + queued[i]!, 6)
        queued[i] = t.queued
      }
    }
    random.dispose()
    platform.dispose()
  })

  it('no more cores are used than there are, and all where requests wait for nothing else', () => {
    wander({ ...busySpec(core, 3, 12), invokers: [INVOKER], events: [] }, (platform) => {
      expect(sum(platform, (t) => t.usedCores)).toBeLessThanOrEqual(8 + 1e-9)
    })
    const spec = steadySpec(PAPER_FUNCTIONS.slice(0, 4), 4)
    live(
      spec,
      10,
      (platform) => sameForAll(platform, { ...ALLOCATION, containers: 8 }),
      (platform) => {
        expect(sum(platform, (t) => t.usedCores)).toBeCloseTo(8, 6)
      },
    )
  })

  it('every container counts as a cold start once, when its start begins', () => {
    wander({ ...busySpec(core, 4, 12), events: [] }, () => {}, 4)
    const platform = new ServerlessPlatform(core, { ...busySpec(core, 4, 12), events: [] })
    const random = new Random(core, 4, 9)
    platform.reset(4)
    const held = (t: TenantTelemetry): number => t.warmContainers + t.startingContainers
    let [starts, went, before] = [0, 0, sum(platform, held)]
    const first = before
    for (let step = 0; step < 50; step++) {
      const rows = platform.containers.count
      platform.step(anything(platform, random))
      const now = sum(platform, held)
      expect(now).toBe(platform.containers.count)
      const started = sum(platform, (t) => t.coldStarts)
      starts += started
      went += rows + started - now
      expect(went).toBeGreaterThanOrEqual(0)
      before = now
    }
    expect(first + starts - went).toBe(before)
    expect(starts).toBeGreaterThan(0)
    random.dispose()
    platform.dispose()
  })
})

describe('shares', () => {
  it('more of them never make a function slower, whatever the others do', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const spec: ServerlessSpec = { ...busySpec(core, seed, 12), events: [], invokers: [{ ...INVOKER, count: 2 }] }
      const random = new Random(core, seed, 9)
      const [few, many] = [new ServerlessPlatform(core, spec), new ServerlessPlatform(core, spec)]
      few.reset(seed)
      for (let step = 0; step < 20; step++) {
        const allocations = anything(few, random)
        many.load(few.save())
        few.step(allocations)
        many.step(allocations.map((a, i) => (i === 3 ? { ...a, shares: Math.min(2048, 2 * a.shares) } : a)))
        const [slow, fast] = [few.telemetry[3]!.p99Ms, many.telemetry[3]!.p99Ms]
        if (Number.isNaN(slow)) expect(fast).toBeNaN()
        else expect(fast).toBeLessThanOrEqual(slow * (1 + 1e-9))
      }
      random.dispose()
      few.dispose()
      many.dispose()
    }
  })

  it('are worth nothing where cores are free, and limit where they are quotas', () => {
    const p99 = (options: Partial<ServerlessSpec>, shares: number): number => {
      let last = 0
      const spec = steadySpec([paperFunction('primes')], 0.5, options)
      live(
        spec,
        5,
        (platform) => sameForAll(platform, { ...ALLOCATION, shares }),
        ({ telemetry }) => {
          last = telemetry[0]!.p99Ms
        },
      )
      return last
    }
    expect(p99({}, 128)).toBeCloseTo(p99({}, 2048), 6)
    expect(p99({ cpuMode: 'quota' }, 512) / p99({ cpuMode: 'quota' }, 1024)).toBeGreaterThan(1.9)
    expect(p99({ cpuMode: 'quota' }, 1024)).toBeCloseTo(p99({}, 1024), 6)
  })
})

describe('containers', () => {
  const one = steadySpec([{ ...paperFunction('base64'), coldStartSeconds: 25 }], 1)

  it('that take three steps to start serve in the third', () => {
    const told: [number, number][] = []
    live(
      one,
      5,
      (platform) => sameForAll(platform, { ...ALLOCATION, containers: 10 }),
      ({ telemetry }) => {
        told.push([telemetry[0]!.warmContainers, telemetry[0]!.startingContainers])
      },
    )
    expect(told).toEqual([
      [4, 6],
      [4, 6],
      [10, 0],
      [10, 0],
      [10, 0],
    ])
  })

  it('start by themselves where requests meet none, and these wait for it', () => {
    const asked: TenantAllocation = { ...ALLOCATION, containers: 0 }
    const p99s: number[] = []
    live(
      steadySpec([paperFunction('base64')], 1),
      2,
      (platform) => sameForAll(platform, asked),
      ({ telemetry }) => {
        p99s.push(telemetry[0]!.p99Ms)
      },
    )
    expect(p99s[0]!).toBeGreaterThan(2350) // a cold start of 2.35 s
  })

  it('that nobody asks for stay for the keep-alive, and go when they served nothing for so long', () => {
    const spec = steadySpec([paperFunction('base64')], 0.05)
    const silent: ServerlessSpec = {
      ...spec,
      loads: { steady: Array.from({ length: 51 }, (_, step) => (step < 5 ? 1 : 0)) },
    }
    const held: number[] = []
    live(
      silent,
      20,
      (platform) => sameForAll(platform, { ...ALLOCATION, containers: 0, keepAliveSeconds: 60 }),
      (platform) => {
        held.push(platform.containers.count)
      },
    )
    expect(held[3]).toBeGreaterThan(0)
    expect(held.indexOf(0)).toBeGreaterThanOrEqual(4 + 6) // the last requests come in step 4
    expect(held.indexOf(0)).toBeLessThanOrEqual(4 + 7)
  })

  it('that serve again and again stay, though nobody asks for them', () => {
    const asked: TenantAllocation = { ...ALLOCATION, containers: 0, keepAliveSeconds: 30 }
    const starts: number[] = []
    live(
      steadySpec([paperFunction('base64')], 1),
      20,
      (platform) => sameForAll(platform, asked),
      ({ telemetry }) => starts.push(telemetry[0]!.coldStarts),
    )
    expect(starts).toEqual(new Array(20).fill(0))
  })

  it('that there is no room for go to another tenant first in every step', () => {
    const quiet = steadySpec([paperFunction('base64'), paperFunction('primes')], 0, {
      invokers: [{ ...INVOKER, memoryMiB: 256 }], // one container
    })
    const owners: number[] = []
    let step = 0
    live(
      quiet,
      12,
      (platform) => sameForAll(platform, { ...ALLOCATION, containers: ++step % 3 === 0 ? 1 : 0 }),
      ({ containers }) => owners.push(...containers.tenant.subarray(0, containers.count)),
    )
    expect(owners).toEqual([1, 0, 1, 0]) // in steps 3, 6, 9 and 12
  })

  it('are lost with their invoker, and the function starts anew elsewhere', () => {
    const spec = steadySpec([paperFunction('base64')], 1, {
      invokers: [{ ...INVOKER, count: 2 }],
      events: [{ step: 2, kind: 'invoker-loss', invoker: 0 }],
    })
    live(
      spec,
      4,
      (platform) => sameForAll(platform, ALLOCATION),
      (platform, step) => {
        const { containers, telemetry } = platform
        const hosts = new Set(containers.invoker.subarray(0, containers.count))
        expect(hosts).toEqual(new Set([step < 2 ? 0 : 1]))
        expect(telemetry[0]!.coldStarts).toBe(step === 2 ? 4 : 0)
      },
    )
  })

  it('interfere through memory: an invoker that is full makes memory-bound functions slower', () => {
    const hungry = { ...paperFunction('markdown-to-html'), memoryMiB: 1600, idleMemoryMiB: 1600 }
    const p99 = (containers: number): number => {
      let last = 0
      live(
        steadySpec([hungry], 0.2),
        3,
        (platform) => sameForAll(platform, { ...ALLOCATION, containers }),
        (platform) => {
          last = platform.telemetry[0]!.p99Ms
        },
      )
      return last
    }
    // 7 of 16 GiB are below the knee; 16,000 MiB are .277 above it: half of that is what this function loses.
    expect(p99(10) / p99(7)).toBeCloseTo(1 + 0.5 * (16_000 / 16_384 - 0.7), 2)
  })
})

describe('latency', () => {
  const p99 = (spec: ServerlessSpec, allocation: TenantAllocation, look: (t: TenantTelemetry) => void): void =>
    live(
      spec,
      40,
      (platform) => sameForAll(platform, allocation),
      ({ telemetry }) => look(telemetry[0]!),
    )

  it('of a request alone is the isolated one: it waits for others only', () => {
    let alone = 0
    p99(steadySpec([paperFunction('primes')], 0.05), { ...ALLOCATION, containers: 1 }, (t) => {
      if (t.arrivals !== 1) return
      alone++
      expect(t.p99Ms).toBeCloseTo(t.sloMs / 1.15, 6)
    })
    expect(alone).toBeGreaterThan(5)
  })

  it('of work that nothing slows is divided by the speed of its invoker', () => {
    p99(steadySpec([paperFunction('primes')], 0.05, { invokers: [{ ...INVOKER, speed: 2 }] }), ALLOCATION, (t) => {
      if (t.arrivals === 1) expect(t.p99Ms).toBeCloseTo(t.sloMs / 1.15 / 2, 6) // primes do no I/O
    })
  })

  it('never shows a longer wait than the timeout: what waits longer is given up', () => {
    let dropped = 0
    p99(steadySpec([paperFunction('base64')], 4), { ...ALLOCATION, containers: 1 }, (t) => {
      dropped += t.dropped
      expect(t.p99Ms).toBeLessThan(60_000 + 3000)
      expect(t.queued).toBeLessThanOrEqual(60 / (0.12 + 0.01) + 1e-6) // what one container serves in a minute
    })
    expect(dropped).toBeGreaterThan(0)
  })
})

describe('tenants', () => {
  it('come and go when the spec says so: nothing is told of those that are not there', () => {
    wander(busySpec(core, 1, 12), (platform, step) => {
      const isThere = (i: number): boolean => (i === 0 ? step < 5 || step >= 20 : i === 1 ? step >= 12 : true)
      for (const [i, t] of platform.telemetry.entries()) {
        expect(platform.isPresent(i)).toBe(isThere(i))
        if (!isThere(i)) expect([t.arrivals, t.warmContainers, t.startingContainers, t.queued]).toEqual([0, 0, 0, 0])
      }
    })
  })

  it('meet the same arrivals whatever is decided', () => {
    const arrivals = (shares: number): number[] => {
      const told: number[] = []
      live(
        busySpec(core, 2, 12),
        30,
        (platform) => sameForAll(platform, { ...ALLOCATION, shares }),
        (platform) => {
          told.push(...platform.telemetry.map((t) => t.arrivals))
        },
      )
      return told
    }
    expect(arrivals(128)).toEqual(arrivals(2048))
  })
})

describe('a moment', () => {
  const story = (platform: ServerlessPlatform, random: Random): unknown[] =>
    Array.from({ length: 15 }, () => {
      platform.step(anything(platform, random))
      return structuredClone(platform.telemetry)
    })

  it('is saved whole: elsewhere it goes on to the byte, in the midst of churn too', () => {
    const spec = busySpec(core, 6, 12)
    const [here, there] = [new ServerlessPlatform(core, spec), new ServerlessPlatform(core, spec)]
    const random = new Random(core, 3)
    for (const steps of [0, 1, 10, 17]) {
      here.reset(8)
      for (let i = 0; i < steps; i++) here.step(anything(here, random))
      there.reset(99)
      there.load(here.save())
      const before = random.save()
      const first = story(here, random)
      random.load(before)
      expect(story(there, random)).toEqual(first)
      expect(there.save()).toEqual(here.save())
    }
    random.dispose()
    here.dispose()
    there.dispose()
  })

  it('of another spec, or one that cannot be, is refused and changes nothing', () => {
    const platform = new ServerlessPlatform(core, busySpec(core, 6, 12))
    const other = new ServerlessPlatform(core, busySpec(core, 7, 12))
    other.reset(1)
    platform.reset(1)
    const state = platform.save()
    const impossible = state.slice()
    const numbers = new Float64Array(impossible.buffer)
    numbers[numbers.length - 1] = 7 // whether the last invoker is lost
    for (const bad of [other.save(), impossible, state.slice(8), new Uint8Array()]) {
      expect(() => platform.load(bad)).toThrow(expect.objectContaining({ code: 'simulator_state_invalid' }))
      expect(platform.save()).toEqual(state)
    }
    platform.dispose()
    other.dispose()
  })
})

it('refuses allocations that are none, changing nothing', () => {
  const platform = new ServerlessPlatform(core, busySpec(core, 6, 12))
  platform.reset(1)
  const state = platform.save()
  const good = sameForAll(platform, ALLOCATION)
  expect(() => platform.step(good.slice(1))).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
  for (const name of ['containers', 'shares', 'keepAliveSeconds'] as const) {
    const bad = good.map((one, i) => (i === 5 ? { ...one, [name]: Number.NaN } : one))
    expect(() => platform.step(bad)).toThrow(/allocations\[5\]/)
  }
  expect(platform.save()).toEqual(state)
  platform.dispose()
})
