import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PathFinder, Profile, type Span, traceFromSpans } from '../src/index.js'
import { OwnTime } from '../src/own-time.js'
import { sharedCore } from '../src/path/shared-core.js'

/** Own µs of each service of one trace. */
function ownTimes(spans: readonly Span[]): Record<string, number> {
  const profile = new Profile()
  const finder = new PathFinder(sharedCore())
  profile.add(finder.find(traceFromSpans(spans)))
  finder.dispose()
  return Object.fromEntries(profile.services().map(({ service, own }) => [service, own.sumNs / 1000]))
}

const span = (id: string, parentId: string | undefined, startUs: number, durationUs: number): Span => ({
  id,
  parentId,
  service: id,
  operation: 'work',
  startUs,
  durationUs,
})
const follower = (of: Span): Span => ({ ...of, reference: 'follows-from' })

describe('own time', () => {
  it('leaves out what its calls cover, once', () => {
    const spans = [span('front', undefined, 0, 100), span('a', 'front', 10, 30), span('b', 'front', 30, 30)]
    expect(ownTimes(spans)).toEqual({ front: 50, a: 30, b: 30 })
  })

  it('keeps the time of what goes on in the background', () => {
    expect(ownTimes([span('front', undefined, 0, 100), follower(span('mail', 'front', 10, 50))])).toEqual({
      front: 100,
      mail: 50,
    })
  })

  it('leaves out the calls of a background span, for which that one waits, but not what follows from it', () => {
    const spans = [
      span('front', undefined, 0, 100),
      follower(span('mail', 'front', 10, 50)),
      span('smtp', 'mail', 20, 30),
      follower(span('log', 'mail', 15, 10)),
    ]
    expect(ownTimes(spans)).toMatchObject({ front: 100, mail: 20, smtp: 30, log: 10 })
  })

  it('is each span without the union of its children, counted microsecond by microsecond', () => {
    const spans = fc.array(fc.tuple(fc.nat(8), fc.nat(30), fc.nat(20)), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(spans, (list) => {
        const trace = traceFromSpans(
          list.map(([parent, startUs, durationUs], i) => ({
            id: `${i}`,
            parentId: i === 0 ? undefined : `${parent % i}`,
            service: 's',
            operation: 'o',
            startUs,
            durationUs,
          })),
        )
        const expected = Array.from({ length: trace.size }, (_, row) => {
          let free = 0
          for (let us = trace.startNs[row]!; us < trace.endNs[row]!; us += 1000) {
            const covered = trace.parent.some(
              (parent, child) => parent === row && trace.startNs[child]! <= us && us < trace.endNs[child]!,
            )
            if (!covered) free += 1000
          }
          return free
        })
        expect([...new OwnTime().of(trace, new Uint8Array(trace.size)).slice(0, trace.size)]).toEqual(expected)
      }),
    )
  })
})
