import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonKind, type JsonScalar, jsonPaths, skimJson } from '../src/skim-json.js'

const WANTED = ['a', 'a.b', 'a.b.a', 'b']
type Told = [path: string, value: JsonScalar][]

async function skim(bytes: Buffer): Promise<{ kind: JsonKind; told: Told }> {
  const told: Told = []
  const kind = await skimJson(bytes, jsonPaths(WANTED), (path, value) => told.push([path, value]))
  return { kind, told }
}

/** The slow twin: the whole value, then a walk over it. */
function walk(text: string): { kind: JsonKind; told: Told } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'invalid', told: [] }
  }
  const told: Told = []
  const visit = (path: string, each: unknown): void => {
    if (Array.isArray(each)) for (const item of each) visit(path, item)
    else if (typeof each === 'object' && each !== null)
      for (const [key, item] of Object.entries(each))
        visit(key === '' || key.includes('.') ? '?' : path ? `${path}.${key}` : key, item)
    else if (WANTED.includes(path)) told.push([path, each as JsonScalar])
  }
  if (typeof value === 'object') visit('', value)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return { kind: isObject ? 'object' : 'other', told: isObject ? told : [] }
}

const key = fc.constantFrom('a', 'b', 'c', 'a.b', '', '\u00fc')
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false, 0, -1.5e300, 7),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

/** A long text is read in another way than a short one: the same behind as much whitespace. */
const LONG = ' '.repeat(64 * 1024)

describe('JSON that is skimmed', () => {
  it('tells what a parser would find at the same paths', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(undefined, 1, '\t'), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const expected = walk(text)
        for (const sent of [text, LONG + text]) {
          const { kind, told } = await skim(Buffer.from(sent))
          expect(kind).toBe(expected.kind)
          if (kind === 'object') expect(told).toEqual(expected.told)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is what a parser would take, whatever is broken in it', async () => {
    const noise = fc.constantFrom(...'{}[]",:\\u0e+-.1tn \n\u0001ü')
    await fc.assert(
      fc.asyncProperty(json, fc.nat(), fc.nat(3), noise, async (value, place, cut, put) => {
        const text = JSON.stringify(value)
        const at = place % (text.length + 1)
        const broken = text.slice(0, at) + put + text.slice(at + cut)
        for (const sent of [broken, LONG + broken]) expect((await skim(Buffer.from(sent))).kind).toBe(walk(broken).kind)
      }),
      { numRuns: 1000 },
    )
  })

  it('takes the whitespace and the byte order mark that a parser takes', async () => {
    for (const space of ['', LONG])
      expect(await skim(Buffer.from(`\ufeff \t\r\n${space}{ "a" :\n[ 1 , 2 ] } `))).toEqual({
        kind: 'object',
        told: [
          ['a', 1],
          ['a', 2],
        ],
      })
  })

  it('gives the end of a long string, no letter of it cut', async () => {
    const pieces = ['x', '\\', '"', '\n', 'ü', '漢', '😀', '\u0001']
    for (const ascii of [false, true]) {
      const long = Array.from({ length: 60_000 }, (_, i) => pieces[(i * i) % 8]).join('')
      const text = JSON.stringify({ a: long })
      const sent = ascii
        ? text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : text
      const { told } = await skim(Buffer.from(sent))
      const [, kept] = told[0] as [string, string]
      expect(long.endsWith(kept.slice(2)), 'its end').toBe(true) // of a pair that is escaped in two halves one may be left
      expect(kept.length).toBeGreaterThan(2500)
      expect(kept.length).toBeLessThan(33_000)
    }
  })

  it('may be deep, but not without an end', async () => {
    for (const space of ['', LONG]) {
      const nested = (depth: number) => Buffer.from(`${space}{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      expect((await skim(nested(511))).kind).toBe('object')
      expect((await skim(nested(512))).kind).toBe('invalid')
      expect((await skim(nested(20_000))).kind).toBe('invalid')
    }
  })

  it('lets others in between: no turn reads more than a slice', async () => {
    const body = Buffer.from(JSON.stringify({ a: Array.from({ length: 100_000 }, (_, i) => ({ b: `${i}` })) }))
    let turns = 0
    let isDone = false
    const done = skim(body).then(() => {
      isDone = true
    })
    while (!isDone) {
      turns++
      await nextTurn()
    }
    await done
    expect(turns).toBeGreaterThan(body.length / (64 * 1024) - 2)
  })
})
