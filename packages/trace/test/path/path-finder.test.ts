import { createTraceCore } from '@trimtab/core/trace'
import { describe, expect, it } from 'vitest'
import { type CriticalPath, PathFinder, type PathOptions, rowsOnPath, traceFromSpans } from '../../src/index.js'
import { type TestSpan, traceOf } from './traces.js'
import { twinFirm, twinPath } from './twin.js'

const core = await createTraceCore()

/** `a<root 10-60` is span a under root from 10 to 60 ns; `p>` a producer, `c>` a consumer, `f>` one that follows from. */
function parse(text: string): TestSpan {
  const [, mark, id, parent, start, end] = /^(?:(\w)>)?(\w+)(?:<(\w+))? (-?\d+)-(-?\d+)$/.exec(text)!
  return {
    id: id!,
    parent,
    start: Number(start),
    end: Number(end),
    kind: mark === 'p' ? 3 : mark === 'c' ? 4 : 0,
    followsFrom: mark === 'f',
  }
}

function find(spans: readonly string[], options: PathOptions = {}): CriticalPath {
  const finder = new PathFinder(core, options)
  const path = finder.find(traceOf(spans.map(parse)))
  finder.dispose()
  return path
}

/** Sections as `id start-end`, in the order of the path. */
const show = (path: CriticalPath): string[] =>
  Array.from(path.row, (row, i) => `${path.trace.spanId(row)} ${path.startNs[i]}-${path.endNs[i]}`)

const pathOf = (spans: readonly string[], options: PathOptions = {}): string[] => show(find(spans, options))

describe('blocking', () => {
  it('gives a span the time between its children', () => {
    expect(pathOf(['r 0-100', 'a<r 10-30', 'b<r 40-90'])).toEqual([
      'r 0-10',
      'a 10-30',
      'r 30-40',
      'b 40-90',
      'r 90-100',
    ])
  })

  it('keeps both of two siblings that touch', () => {
    expect(pathOf(['r 0-100', 'a<r 0-50', 'b<r 50-100'])).toEqual(['a 0-50', 'b 50-100'])
  })

  it('leaves out a sibling that runs beside a longer one', () => {
    expect(pathOf(['r 0-100', 'a<r 10-60', 'b<r 20-90'])).toEqual(['r 0-20', 'b 20-90', 'r 90-100'])
  })

  it('takes the one that started last of siblings that end together', () => {
    expect(pathOf(['r 0-100', 'a<r 0-100', 'b<r 40-100'])).toEqual(['r 0-40', 'b 40-100'])
  })

  it('takes the last id of siblings with the same times', () => {
    const spans = ['r 0-100', 'b<r 10-90', 'a<r 10-90', 'below<b 20-80', 'beside<a 30-70']
    expect(pathOf(spans)).toEqual(['r 0-10', 'b 10-20', 'below 20-80', 'b 80-90', 'r 90-100'])
    expect(pathOf([spans[0]!, spans[2]!, spans[1]!, spans[4]!, spans[3]!])).toEqual(pathOf(spans))
  })

  it('never gives a section to a span without length', () => {
    expect(pathOf(['r 0-100', 'a<r 50-50', 'b<r 100-100', 'c<r 0-0'])).toEqual(['r 0-100'])
  })

  it('has no section for a root without length', () => {
    const path = find(['r 7-7', 'a<r 7-7'])
    expect(path).toMatchObject({ size: 0, latencyNs: 0 })
    expect(path.repairs.total).toBe(0)
  })

  it('cuts a child to its parent and its children to what is left, and counts both', () => {
    const path = find(['r 0-30', 'a<r 15-40', 'b<a 10-25'])
    expect(show(path)).toEqual(['r 0-15', 'b 15-25', 'a 25-30'])
    expect(path.repairs.list()).toEqual([{ code: 'clamped', count: 2, examples: ['trace/a', 'trace/b'] }])
  })

  it('drops a child that only touches its parent from outside, with all below it, and counts it once', () => {
    const path = find(['r 10-20', 'a<r 20-30', 'b<a 20-30', 'c<r 0-10'])
    expect(show(path)).toEqual(['r 10-20'])
    expect(path.repairs.list()).toEqual([{ code: 'dropped', count: 2, examples: ['trace/a', 'trace/c'] }])
    expect([...path.windowStartNs]).toEqual([10, Number.NaN, Number.NaN, Number.NaN])
  })

  it('does not look at other roots', () => {
    const path = find(['r 0-10', 'other 0-50', 'a<other 1-40'])
    expect(show(path)).toEqual(['r 0-10'])
    expect([...path.background]).toEqual([0, 0, 0])
    expect([...path.windowEndNs]).toEqual([10, Number.NaN, Number.NaN])
  })

  it('knows negative times', () => {
    expect(pathOf(['r -50-50', 'a<r -40--10', 'b<r -10-20'])).toEqual(['r -50--40', 'a -40--10', 'b -10-20', 'r 20-50'])
  })
})

describe('what nobody waits for', () => {
  const messages = ['p>r 0-100', 'c>a<r 10-90', 'b<a 20-80', 'd<r 30-40']
  const followers = ['r 0-100', 'f>a<r 10-90', 'b<a 20-80', 'd<r 30-40']

  it.each([messages, followers])('is off the path with all below it', (...spans) => {
    const path = find(spans)
    expect(show(path)).toEqual(['r 0-30', 'd 30-40', 'r 40-100'])
    expect([...path.background]).toEqual([0, 1, 1, 0])
    expect([...path.windowStartNs]).toEqual([0, Number.NaN, Number.NaN, 30])
    expect(path.repairs.total).toBe(0)
  })

  it('is on it by option', () => {
    const all = ['r 0-10', 'a 10-20', 'b 20-80', 'a 80-90', 'r 90-100']
    expect(pathOf(messages, { producerConsumer: 'blocking' })).toEqual(all)
    expect(pathOf(messages, { followsFrom: 'blocking' })).not.toEqual(all)
    expect(pathOf(followers, { followsFrom: 'blocking' })).toEqual(all)
    expect(pathOf(followers, { producerConsumer: 'blocking' })).not.toEqual(all)
  })

  it('is a late child by option', () => {
    const spans = ['r 0-100', 'a<r 10-150', 'b<r 20-100']
    expect(pathOf(spans)).toEqual(['r 0-20', 'b 20-100'])
    expect([...find(spans, { lateChild: 'background' }).background]).toEqual([0, 1, 0])
  })

  it('is waited for when it is the root that was asked for', () => {
    expect(pathOf(messages, { root: 'a' })).toEqual(['a 10-20', 'b 20-80', 'a 80-90'])
  })
})

describe('to the end of the trace', () => {
  const mode = 'to-trace-end'

  it('follows a hop that outlives its parents and gives it the time it waited in the queue, as a section of its own', () => {
    const path = find(['r 0-10', 'a<r 5-15', 'late<a 20-30', 'b<r 16-21'], { mode })
    expect(show(path)).toEqual(['r 0-5', 'a 5-15', 'late 15-20', 'late 20-30'])
    expect(path.latencyNs).toBe(30)
    expect(Array.from(rowsOnPath(path), (row) => path.trace.spanId(row))).toEqual(['r', 'a', 'late'])
  })

  it('follows messages, which are background otherwise', () => {
    const spans = ['p>r 0-10', 'c>a<r 50-90', 'b<a 60-80', 'c>c<r 20-30']
    expect(pathOf(spans, { mode })).toEqual(['r 0-10', 'a 10-50', 'a 50-60', 'b 60-80', 'a 80-90'])
    expect([...find(spans, { mode }).background]).toEqual([0, 0, 0, 1])
    expect(pathOf(spans)).toEqual(['r 0-10'])
  })

  it('is the blocking path where nothing outlives the root', () => {
    const spans = ['r 0-100', 'a<r 10-100', 'b<a 20-100', 'c<r 5-9']
    expect(pathOf(spans, { mode })).toEqual(pathOf(spans))
  })

  it('takes the last id of hops with the same times', () => {
    const spans = ['r 0-10', 'b<r 20-30', 'a<r 20-30', 'c<r 15-30']
    expect(pathOf(spans, { mode })).toEqual(['r 0-10', 'b 10-20', 'b 20-30'])
  })

  it('waits for children of the hop but not for its late siblings', () => {
    const spans = ['r 0-10', 'a<r 12-40', 'b<a 15-20', 'c<a 22-35', 'd<r 11-39']
    expect(pathOf(spans, { mode })).toEqual([
      'r 0-10',
      'a 10-12',
      'a 12-15',
      'b 15-20',
      'a 20-22',
      'c 22-35',
      'a 35-40',
    ])
  })
})

describe('firm', () => {
  const firm = (spans: readonly string[]): string[] => {
    const path = find(spans, { mode: 'firm' })
    return Array.from(path.row, (row) => path.trace.spanId(row))
  }

  it('lists whole spans: the last returned child, then all that happened before it by start', () => {
    const path = find(['r 0-110', 'd<r 70-100', 'c<r 15-35', 'b<r 10-20', 'e<d 80-90', 'f<r 60-75'], { mode: 'firm' })
    expect(show(path)).toEqual(['r 0-110', 'd 70-100', 'e 80-90', 'b 10-20', 'c 15-35'])
    expect([...path.selfNs]).toEqual([110, 30, 20, 10, 10, 0])
    expect(path.latencyNs).toBe(110)
  })

  it('leaves out what never returned to its parent, and clamps nothing', () => {
    expect(firm(['r 10-30', 'a<r 5-35'])).toEqual(['r'])
    expect(firm(['r 10-30', 'a<r 1-5'])).toEqual(['r', 'a'])
  })

  it('has no path through background children alone', () => {
    expect(firm(['r 0-10', 'a<r 5-15', 'b<r 16-21', 'c<a 20-30'])).toEqual(['r'])
  })

  it('does not list a last child without length twice', () => {
    expect(firm(['r 0-10', 'a<r 10-10', 'b<r 2-10'])).toEqual(['r', 'a', 'b'])
  })

  it('orders predecessors with the same times by id', () => {
    expect(firm(['r 0-100', 'z<r 50-90', 'b<r 10-20', 'a<r 10-20', 'c<r 10-20'])).toEqual(['r', 'z', 'a', 'b', 'c'])
  })
})

describe('overlap tolerance', () => {
  const spans = ['r 0-1000000', 'a<r 0-501000', 'b<r 500000-1000000', 'deep<a 100000-501000']

  it('is 0 unless asked for: a sibling that overlaps by a microsecond is lost', () => {
    expect(pathOf(spans)).toEqual(['r 0-500000', 'b 500000-1000000'])
  })

  it('trims what overlaps, through to the children, and counts it', () => {
    const path = find(spans, { overlapTolerance: 1 })
    expect(show(path)).toEqual(['a 0-100000', 'deep 100000-500000', 'b 500000-1000000'])
    expect(path.repairs.list()).toEqual([{ code: 'overlap_trimmed', count: 1, examples: ['trace'] }])
    expect(path.toleranceNs).toBe(1000)
  })

  it('does not reach further than it says', () => {
    expect(pathOf(spans, { overlapTolerance: 0.999 })).toEqual(pathOf(spans))
  })

  it('takes siblings that coincide once', () => {
    const same = ['r 0-1000', 'a<r 100-200', 'b<r 100-200', 'c<r 150-150', 'd<r 120-180']
    expect(pathOf(same, { overlapTolerance: 10 })).toEqual(['r 0-100', 'b 100-200', 'r 200-1000'])
  })

  it('finds out by itself what the clocks resolve', () => {
    const ms = 1_000_000
    const clock = ['r 0-90', 'a<r 1-31', 'b<r 30-51', 'c<r 50-81'].map((text) =>
      text.replace(/\d+/g, (time) => String(Number(time) * ms)),
    )
    const selfMs = (options: PathOptions): number[] => Array.from(find(clock, options).selfNs, (ns) => ns / ms)
    expect(selfMs({})).toEqual([29, 30, 0, 31])
    expect(selfMs({ overlapTolerance: 'auto' })).toEqual([10, 29, 20, 31])
    const path = find(clock, { overlapTolerance: 'auto' })
    expect(path.toleranceNs).toBe(ms)
    expect(path.repairs.count('overlap_trimmed')).toBe(2)
  })
})

describe('many spans', { timeout: 600_000 }, () => {
  const chain = (n: number): TestSpan[] =>
    Array.from({ length: n }, (_, i) => ({
      id: `${i}`,
      parent: i > 0 ? `${i - 1}` : undefined,
      start: i,
      end: 3 * n - i,
    }))

  /** n children; `time(i)` says when each runs. */
  const family = (n: number, time: (i: number) => [number, number]): TestSpan[] =>
    Array.from({ length: n + 1 }, (_, i) => {
      if (i === 0) return { id: 'root', start: -1e9, end: 1e9 }
      const [start, end] = time(i)
      return { id: `child ${(i * 7919) % 100_003}`, parent: 'root', start, end }
    })

  it('a chain a million deep has two sections a span', () => {
    const path = new PathFinder(core).find(traceOf(chain(1_000_000)))
    expect(path.size).toBe(2 * 1_000_000 - 1)
    expect(path.latencyNs).toBe(3_000_000)
    expect(path.selfNs.reduce((sum, ns) => sum + ns)).toBe(3_000_000)
  })

  it('a million children one after the other are all on the path', () => {
    const n = 1_000_000
    const spans = family(n, (i) => [10 * i, 10 * i + 10])
    const path = new PathFinder(core).find(traceOf(spans))
    expect(path.size).toBe(n + 2)
    expect(path.latencyNs).toBe(2e9)
  })

  const families: [string, (i: number) => [number, number]][] = [
    ['few different times', (i) => [(i * 31) % 50, 50 + ((i * 17) % 7)]],
    ['before and after zero', (i) => [-((i * 7919) % 5000), (i * 104_729) % 5000]],
    ['short ones in any order', (i) => [((i * 7919) % 4001) * 10 - 20_000, ((i * 7919) % 4001) * 10 - 19_990]],
    ['in order', (i) => [i * 10, i * 10 + 8]],
    ['backwards', (i) => [-i * 10, -i * 10 + 12]],
    ['fractions', (i) => [((i * 7919) % 997) / 8, ((i * 7919) % 997) / 8 + ((i * 31) % 11) / 16]],
  ]
  it.each(families)('a wide family is that of the slow twin: %s', (_, time) => {
    const options = { mode: 'blocking', overlapTolerance: 0 } as const
    const trace = traceOf(family(700, time))
    const path = new PathFinder(core, options).find(trace)
    expect(show(path)).toEqual(twinPath(trace, options).map(({ id, start, end }) => `${id} ${start}-${end}`))
    const firm = new PathFinder(core, { mode: 'firm' }).find(trace)
    expect(Array.from(firm.row, (row) => trace.spanId(row))).toEqual(twinFirm(trace, options))
  })

  it('keeps the memory of the largest trace and gives it back when disposed', () => {
    const before = core.usedBytes
    const finder = new PathFinder(core)
    const [small, large] = [traceOf(chain(10)), traceOf(chain(5000))]
    finder.find(large)
    const held = core.usedBytes
    for (let i = 0; i < 100; i++) {
      finder.find(small)
      finder.find(large)
    }
    expect(core.usedBytes).toBe(held)
    finder.dispose()
    finder.dispose()
    expect(core.usedBytes).toBe(before)
    expect(() => finder.find(small)).toThrow(expect.objectContaining({ code: 'object_disposed' }))
  })
})

describe('options', () => {
  it('names every one that is wrong', () => {
    const wrong = { mode: 'fast', overlapTolerance: -1, followsFrom: 'maybe', lateChild: 'drop', root: 7 } as never
    expect(() => new PathFinder(core, wrong)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message:
          "PathOptions: mode must be blocking, to-trace-end or firm, got fast; followsFrom must be background or blocking, got maybe; lateChild must be clamp or background, got drop; root must be the id of a span, got 7; overlapTolerance must be 'auto' or microseconds >= 0, got -1",
      }),
    )
  })

  it('refuses a row that the trace does not have, and a trace without rows', () => {
    const finder = new PathFinder(core)
    const trace = traceOf([parse('r 0-10')])
    expect(show(finder.find(trace, 0))).toEqual(['r 0-10'])
    for (const root of [1, -1, 0.5, Number.NaN]) {
      expect(() => finder.find(trace, root)).toThrow(expect.objectContaining({ code: 'root_unknown' }))
    }
    expect(() => finder.find({ ...trace, size: 0 })).toThrow(/rows 0 … -1, got root 0/)
  })

  it('refuses a root that the trace does not have', () => {
    const finder = new PathFinder(core, { root: 'nobody' })
    const trace = traceFromSpans([{ id: 'a', service: 's', operation: 'o', startUs: 0, durationUs: 1, traceId: 't' }])
    expect(() => finder.find(trace)).toThrow(
      expect.objectContaining({ code: 'root_unknown', message: expect.stringContaining('t has no span nobody') }),
    )
  })
})
