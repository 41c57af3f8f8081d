import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { diffProfiles, Profile } from '../../src/profile/index.js'
import type { Span } from '../../src/types.js'
import { anyTrace, pathOf, sharedCore } from '../some-traces.js'

beforeAll(sharedCore)

const profileOf = (traces: readonly Span[][]): Profile => {
  const profile = new Profile()
  for (const spans of traces) profile.add(pathOf(spans))
  return profile
}

const isSame = (a: Profile, b: Profile): boolean => Buffer.compare(a.save(), b.save()) === 0

/** Everything that can be read of a profile, as text. */
function readOut(profile: Profile): string {
  const cells = [profile.services(), profile.instances(), profile.edges(), profile.callPaths()].map((list) =>
    list.map((cell) => ({
      ...cell,
      frames: 'frames' in cell ? cell.frames : undefined,
      counts: [cell.requests, cell.onPathRequests, cell.calls, cell.errors, cell.backgroundCalls],
      shares: [cell.meanNs, cell.share, cell.relativeImportance, cell.varianceShare],
      self: { ...cell.self, p50: cell.self.quantile(0.5), p99: cell.self.quantile(0.99) },
      own: { ...cell.own },
      slowest: cell.slowest,
    })),
  )
  const endpoints = profile.endpoints().map((endpoint) => ({ ...endpoint, near: endpoint.near(0.5) }))
  const slice = profile.slice({ from: 0.3, to: 0.9 })
  const callPaths = slice.callPaths.map(({ callPath, ...rest }) => ({ frames: callPath.frames, ...rest }))
  return JSON.stringify({ latency: profile.latency, cells, endpoints, slice: { ...slice, callPaths } })
}

test('profiles of parts merge to exactly the profile of the whole, whatever the parts and the order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyTrace, fc.integer({ min: 0, max: 2 })), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (traces, isReversed) => {
        const whole = profileOf(traces.map(([spans]) => spans))
        const parts = [0, 1, 2].map((part) => profileOf(traces.filter(([, of]) => of === part).map(([spans]) => spans)))
        if (isReversed) parts.reverse()
        const merged = new Profile()
        for (const part of parts) merged.merge(part)
        expect(isSame(merged, whole)).toBe(true)
        expect(readOut(merged)).toBe(readOut(whole))
      },
    ),
    { numRuns: 2000 },
  )
})

test('a saved profile comes back as it was, goes on as it would have, and is saved as the same bytes', () => {
  fc.assert(
    fc.property(fc.array(anyTrace, { maxLength: 5 }), anyTrace, (traces, next) => {
      const profile = profileOf(traces)
      const loaded = Profile.load(profile.save())
      expect(loaded.mode).toBe(profile.mode)
      expect(isSame(loaded, profile)).toBe(true)
      profile.add(pathOf(next))
      loaded.add(pathOf(next))
      expect(readOut(loaded)).toBe(readOut(profile))
    }),
    { numRuns: 500 },
  )
})

test('nothing changed between a window and itself', () => {
  fc.assert(
    fc.property(fc.array(anyTrace, { minLength: 1, maxLength: 5 }), (traces) => {
      const { latency, callPaths, services, newEndpoints, goneEndpoints } = diffProfiles(
        profileOf(traces),
        profileOf(traces.toReversed()),
      )
      for (const { deltaNs, z } of [latency, ...callPaths, ...services]) expect([deltaNs, z]).toEqual([0, 0])
      expect([...newEndpoints, ...goneEndpoints]).toEqual([])
    }),
    { numRuns: 300 },
  )
})
