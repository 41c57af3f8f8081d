import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Application,
  AutoscalingEnvironment,
  generateApplication,
  generateLoad,
  requestCosts,
  SEGMENTS,
  seedsFrom,
  UPDATE_SCENARIOS,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const appOf = (...names: string[]): Application => {
  const segments = names.map((name) => SEGMENTS.find((s) => s.name === name)!)
  return { name: 'app', segments, ...requestCosts(segments), baseMemoryMiB: 100, peakRatePerSecond: 50 }
}

const scenario = (name: string) => UPDATE_SCENARIOS.find((s) => s.name === name)!

describe('update scenarios', () => {
  it('are the seven of the dissertation, the load in both directions', () => {
    expect(UPDATE_SCENARIOS.map((s) => s.name)).toEqual([
      'file-size',
      'table-size',
      'operations',
      'image-dimension',
      'text-size',
      'matrix-dimension',
      'load-high-to-low',
      'load-low-to-high',
    ])
  })

  it.each([
    ['file-size', 's3-read', 8 * 2, 45 * Math.SQRT2],
    ['table-size', 'database-read', 6 * 1.5, 25 * Math.sqrt(1.5)],
    ['operations', 'float-operations', 600, 0],
    ['image-dimension', 'image-resize', 30, 0],
    ['text-size', 'json', 12, 0],
    ['matrix-dimension', 'matrix-multiplication', 90, 0],
  ])('%s makes %s dearer and leaves its neighbour alone', (name, segment, workMs, waitMs) => {
    const before = appOf(segment, 'sleep')
    const after = scenario(name).apply(before)
    expect(after.segments[0]).toMatchObject({ workMs, waitMs })
    expect(after.segments[1]).toBe(before.segments[1])
    expect(after.workSeconds).toBeCloseTo((workMs + 0.5) / 1000, 12)
    expect(after.waitSeconds).toBeCloseTo((waitMs + 300) / 1000, 12)
    expect(after).toMatchObject({ name: 'app', baseMemoryMiB: 100, peakRatePerSecond: 50 })
  })

  it.each(UPDATE_SCENARIOS.slice(0, 6).map((s) => s.name))(
    '%s gives an application back that it does not concern',
    (name) => {
      const idle = appOf('sleep')
      expect(scenario(name).apply(idle)).toBe(idle)
    },
  )

  it('changes the load there and back', () => {
    const app = appOf('json')
    const high = scenario('load-low-to-high').apply(app)
    expect(high.peakRatePerSecond).toBeCloseTo(70, 12)
    expect(scenario('load-high-to-low').apply(high).peakRatePerSecond).toBeCloseTo(50, 12)
    expect(high.segments).toBe(app.segments)
  })

  it('concern every generated application with a payload, and leave it one that the simulator can run', () => {
    for (const seed of seedsFrom(1, 30)) {
      const app = generateApplication(core, seed)
      const updates = UPDATE_SCENARIOS.map((s) => s.apply(app)).filter((updated) => updated !== app)
      expect(updates.length).toBeGreaterThan(app.segments.every((s) => s.payload === 'none') ? 1 : 2)
      const environment = new AutoscalingEnvironment(core, updates[0]!, generateLoad(core, seed, 1))
      expect(environment.reset(1).every(Number.isFinite)).toBe(true)
      environment.dispose()
    }
  })
})
