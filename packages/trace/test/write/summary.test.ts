import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownerName, Profile, prometheusText, Repairs, summarisePath, summariseProfile } from '../../src/index.js'
import { anySpans, pathOf, SHOP } from './traces.js'

const profileOf = (...traces: Parameters<typeof pathOf>[0][]): Profile => {
  const profile = new Profile()
  for (const spans of traces) profile.add(pathOf(spans))
  return profile
}
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

describe('summarisePath', () => {
  it('keeps the longest sections in time order and says what it left out', () => {
    const { sections, omittedSections, owners } = summarisePath(pathOf(SHOP), 3)
    expect(sections).toEqual([
      { spanId: 'a', service: 'front', operation: 'GET /', startUs: 0, durationUs: 10 },
      { spanId: 'c', service: 'db', operation: 'read; all', startUs: 15, durationUs: 20 },
      { spanId: 'e', service: 'cart', operation: 'get', startUs: 50, durationUs: 45 },
    ])
    expect(omittedSections).toEqual({ count: 4, selfUs: 25 })
    expect(owners.map((owner) => [ownerName(owner), owner.selfUs])).toEqual([
      ['cart', 55],
      ['db', 20],
      ['front', 15],
    ])
  })

  it('never loses time: what is listed and what is left out add up to the latency', () => {
    fc.assert(
      fc.property(anySpans, fc.integer({ min: 0, max: 8 }), (spans, top) => {
        const summary = summarisePath(pathOf(spans), top)
        const { sections, omittedSections, owners, omittedOwners, latencyUs } = summary
        expect(sections.length).toBeLessThanOrEqual(top)
        expect(sum(sections.map(({ durationUs }) => durationUs)) + omittedSections.selfUs).toBeCloseTo(latencyUs, 6)
        expect(sum(owners.map(({ selfUs }) => selfUs)) + omittedOwners.selfUs).toBeCloseTo(latencyUs, 6)
      }),
    )
  })
})

describe('summariseProfile', () => {
  it('never loses time: what is listed and what is left out add up to the latency of all requests', () => {
    fc.assert(
      fc.property(fc.array(anySpans, { minLength: 1, maxLength: 4 }), fc.nat(3), (traces, top) => {
        const summary = summariseProfile(profileOf(...traces), top)
        const { requests, latency, services, omittedServices, edges, omittedEdges } = summary
        const { callPaths, omittedCallPaths } = summary
        const totalUs = latency.meanUs * requests
        const listed = (cells: readonly { readonly meanUs: number }[]) =>
          sum(cells.map(({ meanUs }) => meanUs)) * requests
        const owned = listed(services) + omittedServices.selfUs + listed(edges) + omittedEdges.selfUs
        expect(owned).toBeCloseTo(totalUs, 6)
        expect(listed(callPaths) + omittedCallPaths.selfUs).toBeCloseTo(totalUs, 6)
      }),
    )
  })

  it('names call paths from the endpoint down', () => {
    const { callPaths } = summariseProfile(profileOf(SHOP, SHOP), 2)
    expect(callPaths.map(({ frames }) => frames)).toEqual([
      ['front: GET /', 'cart: get'],
      ['front: GET /', 'cart: get', 'db: read; all'],
    ])
  })
})

describe('prometheusText', () => {
  const repairs = new Repairs()
  repairs.add('clamped', () => 'a/b', 3)
  const strange = SHOP.map((span) => (span.service === 'db' ? { ...span, service: 'd"b\\\n' } : span))
  const text = prometheusText(profileOf(SHOP, strange), repairs)

  /** Reads the text format line by line, refusing whatever its grammar refuses. */
  const samples = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/.exec(
        line,
      )!
      return { name: name!, labels, value: Number(value) }
    })

  it('is what the format allows: every metric announced before its samples, labels escaped', () => {
    const announced = [...text.matchAll(/^# TYPE (\S+) (?:summary|gauge|counter)$/gm)].map(([, name]) => name!)
    expect(new Set(announced).size).toBe(announced.length)
    for (const { name } of samples) expect(announced).toContain(name.replace(/_(sum|count)$/, ''))
    expect(samples.map(({ labels }) => labels)).toContain('service="d\\"b\\\\\\n"')
    expect(text.endsWith('\n')).toBe(true)
  })

  it('counts in seconds, and its shares sum to one', () => {
    const sampleOf = (name: string, labels = '') =>
      samples.find((one) => one.name === name && one.labels === labels)?.value
    expect(sampleOf('trimtab_request_latency_seconds_sum')).toBeCloseTo(200e-6, 12)
    expect(sampleOf('trimtab_request_latency_seconds_count')).toBe(2)
    expect(sampleOf('trimtab_critical_path_self_seconds_sum', 'service="cart"')).toBeCloseTo(110e-6, 12)
    expect(sampleOf('trimtab_trace_repairs_total', 'code="clamped"')).toBe(3)
    const shares = samples.filter(({ name }) => name === 'trimtab_critical_path_share_ratio')
    expect(sum(shares.map(({ value }) => value))).toBeCloseTo(1, 12)
  })
})
