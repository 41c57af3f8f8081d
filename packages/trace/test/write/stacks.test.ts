import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callTree, foldedStacks, type Span, type SpeedscopeFile, SpeedscopeWriter } from '../../src/index.js'
import { anySpans, pathOf, SHOP, timeByStack } from './traces.js'

/** Reads folded stacks as flame graph tools do: everything before the last blank is the stack. */
const readFolded = (lines: Iterable<string>): Map<string, number> => {
  const entries = Array.from(lines, (line): [string, number] => {
    const [, stack, value] = /^(.*) (\d+)\n$/.exec(line)!
    return [stack!, Number(value)]
  })
  return new Map(entries.sort())
}

/** Replays a speedscope file, refusing whatever its format refuses. */
function readSpeedscope(file: SpeedscopeFile, index = 0): { times: Map<string, number>; stacks: string[] } {
  expect(file.$schema).toBe('https://www.speedscope.app/file-format-schema.json')
  const { type, unit, events, startValue, endValue } = file.profiles[index]!
  expect({ type, unit, startValue }).toEqual({ type: 'evented', unit: 'nanoseconds', startValue: 0 })
  const times = new Map<string, number>()
  const stacks: string[] = []
  const stack: number[] = []
  let now = 0
  for (const { type, at, frame } of events) {
    expect(at).toBeGreaterThanOrEqual(now)
    if (at > now) {
      const key = stack.map((number) => file.shared.frames[number]!.name).join(';')
      times.set(key, (times.get(key) ?? 0) + at - now)
      stacks.push(key)
    }
    now = at
    if (type === 'O') stack.push(frame)
    else expect(stack.pop()).toBe(frame)
  }
  expect(stack).toEqual([])
  expect(now).toBeLessThanOrEqual(endValue)
  return { times: new Map([...times].sort()), stacks }
}

const CHAIN = 200_000
const chain = (): Span[] =>
  Array.from({ length: CHAIN }, (_, i) => ({
    id: String(i),
    parentId: i === 0 ? undefined : String(i - 1),
    service: `s${i}`,
    operation: 'call',
    startUs: i,
    durationUs: 2 * CHAIN - 2 * i,
  }))

describe('foldedStacks', () => {
  it('writes one line for each call path, the largest first, in whole nanoseconds', () => {
    expect([...foldedStacks(callTree(pathOf(SHOP)))]).toEqual([
      'front: GET / 15000\n',
      'front: GET /;cart: get 55000\n',
      'front: GET /;cart: get;db: read: all 20000\n',
      'front: GET /;ads: pick 10000\n',
    ])
  })

  it('says the same as the sections of the path, for any trace', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const path = pathOf(spans)
        expect(readFolded(foldedStacks(callTree(path)))).toEqual(timeByStack(path))
      }),
    )
  })

  it('adds up to the latency of all requests together', () => {
    fc.assert(
      fc.property(fc.array(anySpans, { maxLength: 5 }), (traces) => {
        const paths = traces.map((spans) => pathOf(spans))
        const times = [...readFolded(foldedStacks(callTree(paths))).values()]
        expect(times.reduce((sum, ns) => sum + ns, 0)).toBe(paths.reduce((sum, { latencyNs }) => sum + latencyNs, 0))
      }),
    )
  })

  it('shortens the middle of very deep stacks', () => {
    let last: string[] = []
    for (const line of foldedStacks(callTree(pathOf(chain())))) last = line.split(';')
    expect(last).toHaveLength(129)
    expect(last[64]).toBe(`(${CHAIN - 128} more)`)
    expect(last.at(-1)).toMatch(`s${CHAIN - 1}: call 2000`)
  })
})

describe('SpeedscopeWriter', () => {
  it('holds what the sections of the path say, for any trace, as a tree and in time order', () => {
    fc.assert(
      fc.property(anySpans, (spans) => {
        const path = pathOf(spans)
        const writer = new SpeedscopeWriter('any')
        writer.addTree('all', callTree(path))
        writer.addPath('one', path)
        const file: SpeedscopeFile = JSON.parse(JSON.stringify(writer.finish()))
        expect(readSpeedscope(file, 0).times).toEqual(timeByStack(path))
        expect(readSpeedscope(file, 1).times).toEqual(timeByStack(path))
        expect(file.profiles.map(({ endValue }) => endValue)).toEqual([path.latencyNs, path.latencyNs])
      }),
    )
  })

  it('keeps the order in which the request waited', () => {
    const writer = new SpeedscopeWriter('shop')
    writer.addPath('request', pathOf(SHOP))
    expect(readSpeedscope(writer.finish()).stacks.map((stack) => stack.split(';').at(-1))).toEqual([
      'front: GET /',
      'cart: get',
      ' all', // the operation's own semicolon, kept as it is
      'cart: get',
      'ads: pick',
      'cart: get',
      'front: GET /',
    ])
  })

  it('names each frame once in all profiles of the file', () => {
    const writer = new SpeedscopeWriter('shop')
    writer.addTree('all', callTree(pathOf(SHOP)))
    writer.addPath('request', pathOf(SHOP))
    const names = writer.finish().shared.frames.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('grows with the spans, however deep they lie', () => {
    const path = pathOf(chain())
    const writer = new SpeedscopeWriter('chain')
    writer.addPath('request', path)
    expect(writer.finish().profiles[0]!.events).toHaveLength(2 * CHAIN)
  })
})
