// The whole way of an input: read, assembled, its paths found in every mode, aggregated; what must hold is checked on it.
import { createTraceCoreSync } from '@trimtab/core/trace'
import { expect } from 'vitest'
import {
  type CriticalPath,
  PathFinder,
  Profile,
  type ReadOptions,
  type RepairCode,
  Repairs,
  readTraces,
  type Trace,
  type TraceSource,
  Workflow,
} from '../../src/index.js'

const MODES = ['blocking', 'to-trace-end', 'firm'] as const
const core = createTraceCoreSync()

export interface Outcome {
  readonly traces: readonly Trace[]
  /** Of the reading, of all traces, and of their paths in the default mode. */
  readonly counts: Partial<Record<RepairCode, number>>
}

export async function wholeWay(
  source: TraceSource,
  { modes = MODES, ...options }: ReadOptions & { readonly modes?: readonly CriticalPath['mode'][] } = {},
): Promise<Outcome> {
  const finders = modes.map((mode) => new PathFinder(core, { mode }))
  const repairs = new Repairs()
  const traces: Trace[] = []
  const profiles = modes.map(() => new Profile())
  const workflow = new Workflow()
  for await (const trace of readTraces(source, { ...options, repairs })) {
    traces.push(trace)
    expectAssembled(trace)
    for (const [i, finder] of finders.entries()) {
      const path = finder.find(trace)
      if (path.mode !== 'firm') expectTiling(path)
      profiles[i]!.add(path)
      if (path.mode !== 'blocking') continue
      repairs.merge(path.repairs)
      workflow.add(path)
    }
    repairs.merge(trace.repairs)
  }
  for (const finder of finders) finder.dispose()
  for (const profile of profiles) expectSums(profile, traces.length)
  return { traces, counts: Object.fromEntries(repairs.list().map(({ code, count }) => [code, count])) }
}

/** Plain loops: a million expectations would take minutes. */
function firstWhere(size: number, isWrong: (i: number) => boolean): number {
  for (let i = 0; i < size; i++) if (isWrong(i)) return i
  return -1
}

function expectAssembled({ size, root, parent, startNs, endNs }: Trace): void {
  expect(size).toBeGreaterThan(0)
  expect(parent[root]).toBe(-1)
  expect(firstWhere(size, (row) => !(endNs[row]! >= startNs[row]!) || parent[row]! >= size)).toBe(-1)
  const depth = new Int32Array(size).fill(-1)
  for (let row = 0; row < size; row++) {
    let steps = 0
    let at = row
    while (at >= 0 && depth[at]! < 0 && steps <= size) {
      at = parent[at]!
      steps++
    }
    if (steps > size) throw new Error(`row ${row} is its own ancestor`)
    let below = (at < 0 ? -1 : depth[at]!) + steps
    for (at = row; at >= 0 && depth[at]! < 0; at = parent[at]!) depth[at] = below--
  }
}

function expectTiling({ trace, root, latencyNs, size, row, startNs, endNs, selfNs }: CriticalPath): void {
  const start = trace.startNs[root]!
  expect(latencyNs).toBeGreaterThanOrEqual(0)
  expect(firstWhere(size, (i) => startNs[i] !== (i === 0 ? start : endNs[i - 1]) || !(endNs[i]! > startNs[i]!))).toBe(
    -1,
  )
  expect(size === 0 ? start : endNs[size - 1]).toBe(start + latencyNs)
  expect(firstWhere(size, (i) => !(row[i]! >= 0 && row[i]! < trace.size))).toBe(-1)
  expect(selfNs.reduce((sum, ns) => sum + ns, 0)).toBe(latencyNs)
}

function expectSums(profile: Profile, traces: number): void {
  expect(profile.traces).toBe(traces)
  const onPath = [...profile.services(), ...profile.edges()].reduce((sum, { selfNs }) => sum + selfNs, 0)
  if (profile.mode !== 'firm')
    expect(onPath / Math.max(1, profile.latency.sumNs)).toBeCloseTo(traces && onPath ? 1 : 0, 9)
}
