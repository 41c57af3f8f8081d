import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  ampleLatencyMs,
  generateApplication,
  multisetKey,
  requestCosts,
  SEGMENTS,
  seedsFrom,
  withPayload,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

describe('segments', () => {
  it('are sixteen of different names', () => {
    expect(new Set(SEGMENTS.map((s) => s.name)).size).toBe(16)
  })

  it('add up along a request, by hand', () => {
    const [json, read] = ['json', 'file-read'].map((name) => SEGMENTS.find((s) => s.name === name)!)
    const costs = requestCosts([json!, read!]) // 8 ± √.5·8 and 3 ± √.5·3 ms of work, 6 ms of waiting, 50 and 60 MiB
    expect(costs.workSeconds).toBeCloseTo(0.011, 12)
    expect(costs.waitSeconds).toBeCloseTo(0.006, 12)
    expect(costs.variability).toBeCloseTo((0.5 * (64 + 9)) / 121, 12)
    expect(costs.requestMemoryMiB).toBeCloseTo(24, 12)
  })

  it('grow with their payload', () => {
    const read = SEGMENTS.find((s) => s.name === 's3-read')!
    expect(withPayload(read, 4)).toEqual({ ...read, workMs: 32, waitMs: 90 })
  })
})

describe('generated applications', () => {
  const count = 2000
  const appsOf = () => seedsFrom(1, count).map((seed) => generateApplication(core, seed))

  it('are the same for the same seed and all different otherwise', () => {
    const apps = appsOf()
    expect(appsOf()).toEqual(apps)
    expect(new Set(apps.map((app) => app.workSeconds)).size).toBe(count)
    expect(new Set(apps.map((app) => app.name)).size).toBe(count)
  })

  it('use every segment, one to three at a time, mostly three', () => {
    const apps = appsOf()
    expect(new Set(apps.flatMap((app) => app.segments.map((s) => s.name))).size).toBe(16)
    const share = (n: number): number => apps.filter((app) => app.segments.length === n).length / count
    // Four standard errors of a share of 2000.
    expect(Math.abs(share(1) - 0.02)).toBeLessThan(0.013)
    expect(Math.abs(share(2) - 0.14)).toBeLessThan(0.032)
    expect(Math.abs(share(3) - 0.84)).toBeLessThan(0.033)
  })

  it('keep to their ranges: 1–8 cores at the peak, 100–400 MiB idle, an SLO that can be met', () => {
    for (const app of appsOf()) {
      const peakCores = app.peakRatePerSecond * app.workSeconds
      expect(peakCores).toBeGreaterThan(1 - 1e-9)
      expect(peakCores).toBeLessThan(8 + 1e-9)
      expect(app.baseMemoryMiB).toBeGreaterThanOrEqual(100)
      expect(app.baseMemoryMiB).toBeLessThan(400)
      const ample = ampleLatencyMs(core, app)
      expect(ample).toBeGreaterThan(1000 * app.workSeconds)
      expect(ample).toBeLessThan(10_000) // the timeout
    }
  })

  it('have the key of their multiset: order and payload do not make another key', () => {
    const [a, b, c] = SEGMENTS as unknown as [(typeof SEGMENTS)[0], (typeof SEGMENTS)[0], (typeof SEGMENTS)[0]]
    const key = (...segments: (typeof SEGMENTS)[number][]): string =>
      multisetKey({ ...generateApplication(core, 1), segments })
    expect(key(a, b, c)).toBe(key(c, a, withPayload(b, 2)))
    expect(key(a, b)).not.toBe(key(a, b, b))
    expect(new Set(appsOf().map(multisetKey)).size).toBeGreaterThan(600) // of 968, in 2000 draws
  })
})
