import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTraceCore, type TraceCore } from '@trimtab/trace'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { handlers as paths } from './trace.mjs'
import { handlers as dependencies } from './trace-dependencies.mjs'

type Handler = (vector: unknown, file: unknown, context: { traceCore: TraceCore; kind: string }) => unknown[]

const VECTORS = fileURLToPath(new URL('../../../shared/data/critical-path', import.meta.url))
/** Ours, for what no peer asserts; right answers by hand. */
const OWN = fileURLToPath(new URL('./vectors', import.meta.url))
const traceCore = await createTraceCore()
const handlers: Record<string, Handler> = { ...paths, ...dependencies }
const check = (vector: { kind: string }) => handlers[vector.kind]!(vector, vector, { traceCore, kind: vector.kind })

const files = existsSync(VECTORS)
  ? readdirSync(VECTORS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))
  : []

describe('the vectors of critical paths', () => {
  if (files.length === 0) notChecked(basename(VECTORS), '../shared/data')

  it.each(files)('%s', (file) => {
    expect(check(JSON.parse(readFileSync(join(VECTORS, file), 'utf8')))).toEqual([])
  })
})

describe('our own vectors', () => {
  it.each(readdirSync(OWN))('%s', (file) => {
    expect(check(JSON.parse(readFileSync(join(OWN, file), 'utf8')))).toEqual([])
  })
})

describe('the handlers', () => {
  const vector = {
    kind: 'trace/critical-path',
    spans: [
      { id: 'r', parentId: null, startUs: 0, durationUs: 100, kind: 'internal', refType: null },
      { id: 'a', parentId: 'r', startUs: 10, durationUs: 50, kind: 'internal', refType: 'CHILD_OF' },
    ],
    root: 'r',
    expected: null,
    referenceSections: [
      { spanId: 'r', startUs: 60, endUs: 100 },
      { spanId: 'a', startUs: 10, endUs: 60 },
      { spanId: 'r', startUs: 0, endUs: 10 },
    ],
  }
  const isWrong = (change: object): boolean => check({ ...vector, ...change }).length > 0

  it('notice every kind of wrong answer', () => {
    expect(isWrong({})).toBe(false)
    expect(isWrong({ referenceSections: vector.referenceSections.slice(1) })).toBe(true)
    expect(isWrong({ expected: [] })).toBe(true)
    expect(isWrong({ expectedNodes: ['a', 'r'] })).toBe(true)
    expect(isWrong({ expectedExclusiveUs: { r: 50 } })).toBe(true)
    expect(isWrong({ expectedExclusiveByOperation: { '[] ': 99 } })).toBe(true)
    expect(isWrong({ drag: { inclusive: { r: 99 } } })).toBe(true)
    expect(isWrong({ drag: { exclusive: { a: 49 } } })).toBe(true)
    expect(isWrong({ slack: { a: 1 } })).toBe(true)
    expect(isWrong({ firm: { path: ['r'] } })).toBe(true)
    expect(isWrong({ ourExpectation: { expected: [] } })).toBe(true)
    expect(isWrong({ ourExpectation: { diagnostics: ['missing-parent'] } })).toBe(true)
  })

  it("leave out a peer's answers where the vector says that they differ", () => {
    expect(isWrong({ expected: [], referenceAgreesWithPeer: false })).toBe(false)
  })
})
