import { beforeEach, describe, expect, it } from 'vitest'
import { type PathColumns, type PathRequest, TraceKernel } from '../../src/internal.js'
import { createTraceCore, type TraceCore } from '../../src/trace.js'

let core: TraceCore
beforeEach(async () => {
  core = await createTraceCore()
})

const BLOCKING: PathRequest = {
  root: 0,
  mode: 'blocking',
  toleranceNs: 0,
  followsFromBlocks: false,
  consumerBlocks: false,
  lateIsBackground: false,
}

const columns = (spans: readonly (readonly [parent: number, start: number, end: number])[]): PathColumns => ({
  parent: Int32Array.from(spans, ([parent]) => parent),
  startNs: Float64Array.from(spans, ([, start]) => start),
  endNs: Float64Array.from(spans, ([, , end]) => end),
  kind: new Uint8Array(spans.length),
  flags: new Uint8Array(spans.length),
})

const never = (): void => {
  throw new Error('nothing ties')
}

describe('the path kernel', () => {
  it('answers in arrays of its own', () => {
    const kernel = new TraceKernel(core)
    const trace = columns([
      [-1, 0, 100],
      [0, 10, 60],
    ])
    const { row, startNs, endNs, finishNs } = kernel.extract(trace, BLOCKING, never)
    kernel.extract(columns([[-1, 5, 6]]), BLOCKING, never)
    expect([[...row], [...startNs], [...endNs], finishNs]).toEqual([[0, 1, 0], [0, 10, 60], [10, 60, 100], 100])
    expect([trace.startNs, row, startNs].some(({ buffer }) => buffer === core.memory.buffer)).toBe(false)
  })

  it('asks for an order only where siblings that can own a section have the same times', () => {
    const kernel = new TraceKernel(core)
    const asked: number[][] = []
    const order = (rows: Int32Array): void => {
      asked.push([...rows].sort())
      rows.sort()
    }
    const { row } = kernel.extract(
      columns([
        [-1, 0, 100],
        [0, 10, 60],
        [0, 10, 60],
        [0, 20, 50],
        [0, 20, 50],
        [0, 70, 70],
        [0, 70, 70],
      ]),
      BLOCKING,
      order,
    )
    expect(asked).toEqual([[1, 2]])
    expect([...row]).toEqual([0, 2, 0])
  })

  it('ends where parents form a ring through the root, or are no rows', () => {
    const kernel = new TraceKernel(core)
    const ring = columns([
      [2, 0, 100],
      [0, 10, 90],
      [1, 20, 80],
      [99, 0, 100],
      [-7, 0, 100],
    ])
    expect([...kernel.extract(ring, BLOCKING, never).row]).toEqual([0, 1, 2, 1, 0])
    expect([...kernel.extract(columns([[0, 0, 5]]), BLOCKING, never).row]).toEqual([0])
  })

  it('says when the memory of the core ends, and goes on with what fits', () => {
    const kernel = new TraceKernel(core)
    const tooMany = { startNs: { length: 30_000_000 } } as unknown as PathColumns
    expect(() => kernel.extract(tooMany, BLOCKING, never)).toThrow(
      expect.objectContaining({
        code: 'core_out_of_memory',
        message: expect.stringMatching(/the path of 30000000 spans takes 2610\d+ bytes .* 2 GiB a block/),
      }),
    )
    expect(kernel.extract(columns([[-1, 0, 10]]), BLOCKING, never).size).toBe(1)
  })

  it('is of no use once disposed, and gives everything back', () => {
    const kernel = new TraceKernel(core)
    kernel.extract(columns(Array.from({ length: 1000 }, (_, i) => [i - 1, i, 3000 - i] as const)), BLOCKING, never)
    kernel.dispose()
    kernel[Symbol.dispose]()
    expect(core.usedBytes).toBe(0)
    expect(() => kernel.extract(columns([[-1, 0, 1]]), BLOCKING, never)).toThrow(/TraceKernel was disposed/)
  })

  it('allocates nothing in the core for small traces in a row', () => {
    const kernel = new TraceKernel(core)
    const before = [core.usedBytes, core.memory.buffer.byteLength]
    const trace = columns(Array.from({ length: 50 }, (_, i) => [i - 1, i, 200 - i] as const))
    for (let i = 0; i < 10_000; i++) kernel.extract(trace, BLOCKING, never)
    expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
  })
})
