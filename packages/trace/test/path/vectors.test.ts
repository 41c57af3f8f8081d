import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createCore } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { PathFinder, type Span, traceFromSpans } from '../../src/index.js'

const FOLDER = fileURLToPath(new URL('../../../../../shared/data/critical-path/', import.meta.url))
const core = await createCore()
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((f) => f.endsWith('.json')) : []
if (files.length === 0) console.warn('the shared vectors need ../shared/data (absent: not checked)')

describe.skipIf(files.length === 0)('vectors', () => {
  it.each(files)('%s', (file) => {
    const vector = JSON.parse(readFileSync(FOLDER + file, 'utf8'))
    const spans: Span[] = vector.spans.map((s: Record<string, unknown>) => ({
      ...s,
      isError: s.error,
      reference: s.refType === 'FOLLOWS_FROM' ? 'follows-from' : 'child-of',
    }))
    const trace = traceFromSpans(spans)
    const path = new PathFinder(core).find(trace)
    const sections = [...path.row].map((row, i) => ({
      spanId: trace.spanId(row),
      startUs: Number(trace.originUnixNs) / 1000 + path.startNs[i]! / 1000,
      endUs: Number(trace.originUnixNs) / 1000 + path.endNs[i]! / 1000,
    }))
    expect(sections.toReversed()).toEqual(vector.referenceSections ?? vector.ourExpectation.expected)
    const firm = new PathFinder(core, { mode: 'firm' }).find(trace)
    if (vector.root) expect([...firm.row].map((row) => trace.spanId(row))).toEqual(vector.firm.path)
  })
})
