import { type Core, createCore } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AbsoluteView,
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  LogarithmicView,
  RelativeView,
  type Telemetry,
  type View,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const KINDS = ['relative', 'absolute', 'logarithmic'] as const
function viewOf(kind: (typeof KINDS)[number], bounds: AllocationBounds = DEFAULT_BOUNDS): View {
  if (kind === 'relative') return new RelativeView(core.math, bounds)
  return kind === 'absolute' ? new AbsoluteView(bounds) : new LogarithmicView(core.math, bounds)
}

/** Four cores in use by 100 requests a second, on eight replicas of 1 core and 512 MiB of which 300 are used. */
const busy: Telemetry = {
  ...createTelemetry(),
  timeSeconds: 60,
  requests: 1500,
  ratePerSecond: 100,
  p99Ms: 50,
  sloMs: 100,
  usedCores: 4,
  usedMemoryMiB: 300,
  readyReplicas: 8,
  memoryMiBPerReplica: 512,
}
const allocationOf = (view: View, action: ArrayLike<number>): Allocation => {
  const out = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  view.toAllocation(Float32Array.from(action), out)
  return out
}
const actionOf = (view: View, allocation: Allocation): Float32Array => {
  const out = new Float32Array(3)
  view.toAction(allocation, out)
  return out
}

describe.each(KINDS)('the %s view', (kind) => {
  it('never leaves the bounds, whatever the action says', () => {
    const anything = fc.oneof(
      fc.double(),
      fc.constantFrom(Number.NaN, 1e9, -1e9, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    )
    const bounds: AllocationBounds = { cores: [0.3, 2.5], memoryMiB: [200, 900], replicas: [2, 7] }
    const load = fc.double({ min: 0, max: 1e4, noNaN: true })
    fc.assert(
      fc.property(fc.tuple(anything, anything, anything), load, load, (action, ratePerSecond, usedMemoryMiB) => {
        const view = viewOf(kind, bounds)
        const requests = Math.round(15 * ratePerSecond)
        view.update({ ...busy, ratePerSecond, requests, usedMemoryMiB, memoryMiBPerReplica: 500, readyReplicas: 3 })
        const { coresPerReplica, memoryMiBPerReplica, replicas } = allocationOf(view, action)
        expect(coresPerReplica >= 0.3 && coresPerReplica <= 2.5).toBe(true)
        expect(memoryMiBPerReplica >= 200 && memoryMiBPerReplica <= 900).toBe(true)
        expect(Number.isInteger(replicas) && replicas >= 2 && replicas <= 7).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps what is in force where the action is not a number', () => {
    const view = viewOf(kind)
    view.update(busy)
    expect(allocationOf(view, [Number.NaN, Number.NaN, Number.NaN])).toEqual({
      coresPerReplica: 1,
      memoryMiBPerReplica: 512,
      replicas: 8,
    })
  })

  it('gives back any allocation that an action can reach: replicas exactly, the rest to float precision', () => {
    const unit = fc.double({ min: -1, max: 1, noNaN: true })
    const rate = fc.double({ min: 10, max: 400, noNaN: true })
    fc.assert(
      fc.property(fc.tuple(unit, unit, unit), rate, (action, ratePerSecond) => {
        const view = viewOf(kind)
        view.update({ ...busy, ratePerSecond, usedCores: 0.04 * ratePerSecond, requests: 15 * ratePerSecond })
        const wanted = allocationOf(view, action)
        const again = allocationOf(view, actionOf(view, wanted))
        expect(again.coresPerReplica / wanted.coresPerReplica).toBeCloseTo(1, 5)
        expect(again.memoryMiBPerReplica / wanted.memoryMiBPerReplica).toBeCloseTo(1, 5)
        // Outside the target's range (very many small replicas, or the bound on replicas) the closest is all there is.
        const target = (0.04 * ratePerSecond) / (wanted.coresPerReplica * Math.max(0.5, wanted.replicas - 0.25))
        if (kind !== 'relative' || (target >= 0.05 && target <= 1)) expect(again.replicas).toBe(wanted.replicas)
      }),
      { numRuns: 1000 },
    )
  })

  it('has no latency to show where requests were not measured, and one that holds where there were none', () => {
    const view = viewOf(kind)
    const at = view.sources.findIndex((sources) => sources.includes('p99Ms'))
    const shown = (telemetry: Partial<Telemetry>) => {
      view.update({ ...busy, ...telemetry, p99Ms: Number.NaN })
      const out = new Float32Array(view.observation.names.length)
      view.observe(out)
      return out[at]
    }
    expect(shown({})).toBeNaN()
    expect(shown({ requests: 0 })).toBeGreaterThan(0.5)
  })

  it('forgets the last episode on reset, and remembers everything through save and load', () => {
    const view = viewOf(kind)
    const other = viewOf(kind)
    for (const ratePerSecond of [100, 180, 60]) view.update({ ...busy, ratePerSecond })
    other.load(view.save())
    const seen = [view, other].map((v) => {
      v.update({ ...busy, ratePerSecond: 90 })
      const out = new Float32Array(v.observation.names.length)
      v.observe(out)
      return [...out, ...Object.values(allocationOf(v, [0, 0, 0]))]
    })
    expect(seen[0]).toEqual(seen[1])
    view.reset()
    view.update(busy)
    const out = new Float32Array(view.observation.names.length)
    view.observe(out)
    const change = view.observation.names.findIndex((name) => /change/i.test(name))
    expect(out[change]).toBe(kind === 'relative' ? 0 : 1) // relative: no load before; absolute: from nothing, as printed
  })
})

describe('the relative view', () => {
  it('reads its actions by hand: half-way up the logarithms', () => {
    const view = viewOf('relative')
    view.update(busy)
    const { coresPerReplica, memoryMiBPerReplica, replicas } = allocationOf(view, [0, 0, 0])
    expect(coresPerReplica).toBeCloseTo(1, 6) // √(.25 · 4)
    expect(memoryMiBPerReplica).toBeCloseTo(300 * Math.sqrt(2.5), 3)
    expect(replicas).toBe(Math.ceil(4 / Math.sqrt(0.05))) // 4 cores of demand at a target of 22 %
  })

  it('asks for as many replicas as pods of the size that they can have need', () => {
    const bounds: AllocationBounds = { ...DEFAULT_BOUNDS, cores: [0.125, 0.3] }
    const view = new RelativeView(core.math, bounds)
    view.update(busy) // 4 cores in use
    const out: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
    view.toAllocation(Float32Array.of(1, 0, 1), out) // 4 cores a pod at full use: 4 / .3
    expect(out).toMatchObject({ coresPerReplica: 0.3, replicas: 14 })
  })

  it('follows the load with the same action', () => {
    const view = viewOf('relative')
    view.update(busy)
    const before = allocationOf(view, [1, 0, 0]).replicas
    view.update({ ...busy, ratePerSecond: 300, requests: 4500, usedCores: 12 })
    expect(allocationOf(view, [1, 0, 0]).replicas / before).toBeCloseTo(3, 0)
  })

  it('plans for a fifth more than a limit that killed', () => {
    const view = viewOf('relative')
    view.update({ ...busy, oomKills: 8, usedMemoryMiB: 512 })
    expect(allocationOf(view, [0, -1, 0]).memoryMiBPerReplica).toBeCloseTo(1.2 * 512, 3)
  })

  it('stays finite through no traffic, no use and first telemetry', () => {
    const idle = { ...busy, requests: 0, ratePerSecond: 0, p99Ms: Number.NaN, usedCores: 0, usedMemoryMiB: 0 }
    for (const kind of KINDS) {
      const view = viewOf(kind)
      view.update(idle)
      const out = new Float32Array(view.observation.names.length)
      view.observe(out)
      expect(out.every(Number.isFinite)).toBe(true)
    }
  })
})

describe('clampAllocation', () => {
  it('rounds replicas, cuts at the bounds and keeps what is not a number', () => {
    const current = { coresPerReplica: 2, memoryMiBPerReplica: 300, replicas: 4 }
    const clamp = (coresPerReplica: number, memoryMiBPerReplica: number, replicas: number): number[] => {
      const allocation = { coresPerReplica, memoryMiBPerReplica, replicas }
      clampAllocation(allocation, DEFAULT_BOUNDS, current)
      return Object.values(allocation)
    }
    expect(clamp(9, 1, 2.6)).toEqual([4, 128, 3])
    expect(clamp(Number.NaN, Number.NaN, Number.NaN)).toEqual([2, 300, 4])
    expect(clamp(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1e9)).toEqual([0.125, 3072, 20])
  })
})
