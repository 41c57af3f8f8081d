import { createCore, Random, TensorReader } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { type BufferRule, ContextBuffer } from '../../src/meta/context-buffer.js'

/** A sequence of `steps` rows of two columns, all of them `mark`. */
const rows = (mark: number, steps = 3): Float32Array => new Float32Array(2 * steps).fill(mark)

/** The marks of the sequences kept, in order of insertion. */
const marks = (buffer: ContextBuffer): number[] => {
  const { steps, lengths } = buffer.all({ sequences: 100, steps: 1 })
  return Array.from(lengths, (_, i) => steps[2 * i]!)
}

/** Inserts totals in turn, each marked by its total; those above 1000 are exploratory. */
function filled(rule: BufferRule, capacity: number, totals: readonly number[]): ContextBuffer {
  const buffer = new ContextBuffer(rule, capacity, 2)
  for (const total of totals) buffer.insert(rows(total), total, total > 1000)
  return buffer
}

describe('what a buffer keeps', () => {
  it('top: the M trajectories of the highest reward', () => {
    expect(marks(filled('top', 3, [5, 1, 9, 7, 3, 8]))).toEqual([9, 7, 8])
  })

  it('half: M/2 of the highest and M/2 of the lowest reward', () => {
    expect(marks(filled('half', 4, [5, 6, 1, 9, 7, 3, 8]))).toEqual([1, 9, 3, 8])
  })

  it('half: not the lowest of the first tenth of all episodes', () => {
    const totals = [0, 1, 50, 60, ...Array.from({ length: 16 }, (_, i) => 100 + i)]
    expect(marks(filled('half', 4, totals))).toEqual([50, 104, 114, 115]) // 0 and 1 went; 60 had gone for want of room before they did
  })

  it('mixed: half exploratory, half others, the newest of both; others alone fill all of it', () => {
    expect(marks(filled('mixed', 4, [1, 2001, 2002, 2, 2003, 3]))).toEqual([2002, 2, 2003, 3])
    expect(marks(filled('mixed', 4, [1, 2, 3, 4, 5]))).toEqual([2, 3, 4, 5])
  })
})

describe('what a context is made of', () => {
  it('sequences of different length are padded with zeros and know their length', () => {
    const buffer = new ContextBuffer('top', 4, 2)
    buffer.insert(rows(1, 2), 1, false)
    buffer.insert(rows(2, 3), 2, false)
    const { steps, lengths } = buffer.all({ sequences: 4, steps: 10 })
    expect([...lengths]).toEqual([2, 3])
    expect([...steps]).toEqual([1, 1, 1, 1, 0, 0, 2, 2, 2, 2, 2, 2])
  })

  it('of a sequence that is too long the end counts, of too many the newest', () => {
    const buffer = new ContextBuffer('top', 4, 1)
    for (const first of [0, 10, 20]) buffer.insert(Float32Array.of(first, first + 1, first + 2), first, false)
    expect([...buffer.all({ sequences: 2, steps: 2 }).steps]).toEqual([11, 12, 21, 22])
  })

  it('nothing inserted is the null context', async () => {
    using random = new Random(await createCore(), 1)
    expect(new ContextBuffer('mixed', 4, 2).draw(random, { sequences: 3, steps: 5 }).lengths.length).toBe(0)
  })

  it('half of the draws are of exploratory sequences alone, windows lie anywhere and nothing comes twice', async () => {
    using random = new Random(await createCore(), 1)
    const buffer = new ContextBuffer('mixed', 6, 1)
    for (let i = 0; i < 6; i++)
      buffer.insert(
        Float32Array.from({ length: 10 }, (_, t) => 10 * i + t),
        i,
        i < 3,
      )
    const draws = Array.from({ length: 400 }, () => buffer.draw(random, { sequences: 4, steps: 4 }))
    const from = draws.map(({ steps, lengths }) => Array.from(lengths, (_, i) => Math.floor(steps[4 * i]! / 10)))
    for (const chosen of from) expect(new Set(chosen).size).toBe(chosen.length)
    const exploratory = from.filter((chosen) => chosen.every((i) => i < 3)).length
    expect(exploratory).toBeGreaterThan(200)
    expect(exploratory).toBeLessThan(300) // half, and some of the others by chance
    expect(new Set(draws.flatMap(({ steps }) => steps[0]! % 10)).size).toBe(7)
  })
})

it('a saved buffer goes on as it was', () => {
  const buffer = filled('half', 4, [5, 6, 1, 9, 7, 3, 8])
  const other = new ContextBuffer('half', 4, 2)
  other.load(new TensorReader(buffer.save('b.')), 'b.')()
  for (const one of [buffer, other]) one.insert(rows(0), 0, false)
  expect(marks(other)).toEqual(marks(buffer))
  expect(other.save('b.')).toEqual(buffer.save('b.'))
})
