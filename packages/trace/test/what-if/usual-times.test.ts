import { beforeAll, describe, expect, it } from 'vitest'
import { OwnTimes, type Span, UsualTimes, WhatIf, whatIf } from '../../src/index.js'
import { pathOf, sharedCore, span, uniforms } from '../some-traces.js'

beforeAll(sharedCore)

/** front calls cart over a network; µs of each, two ways on the network. */
const request = ({ front, network, cart }: { front: number; network: number; cart: number }): Span[] => {
  const server = front + network
  const back = server + cart
  return [
    span('r', null, 'front GET', 0, back + network + front, { kind: 'server' }),
    span('c', 'r', 'front call', front, back + network, { kind: 'client' }),
    span('s', 'c', 'cart get', server, back, { kind: 'server' }),
  ]
}

/** A window and what a baseline makes of it. */
function windows(network: (uniform: () => number) => number) {
  const uniform = uniforms(5)
  const draw = (slow: (uniform: () => number) => number) =>
    Array.from({ length: 400 }, () =>
      pathOf(
        request({
          front: Math.round(1000 + 500 * uniform()),
          network: Math.round(slow(uniform)),
          cart: Math.round(3000 + 2000 * uniform()),
        }),
      ),
    )
  const before = draw((u) => 200 + 100 * u())
  const after = draw(network)
  const [usual, now] = [before, after].map((paths) => {
    const times = new OwnTimes()
    for (const path of paths) times.add(path)
    return times
  })
  return { before, after, usual: new UsualTimes(now!, usual!) }
}
const mean = (paths: readonly { readonly latencyNs: number }[]) =>
  paths.reduce((sum, { latencyNs }) => sum + latencyNs, 0) / paths.length

describe('as in the baseline', () => {
  it('gains just what was added, by all or by some of the requests', () => {
    for (const network of [(u: () => number) => 40_000 + 100 * u(), (u: () => number) => (u() < 0.2 ? 50_000 : 250)]) {
      const { before, after, usual } = windows(network)
      const answer = whatIf(after, { service: 'front', callee: 'cart', isAsUsual: true }, { usual })
      expect(answer.savedNs / (mean(after) - mean(before))).toBeCloseTo(1, 1)
      expect(answer.after.quantile(0.99) / 1e6).toBeLessThan(9)
      expect(whatIf(after, { service: 'cart', isAsUsual: true }, { usual }).saved01).toBeLessThan(0.01)
    }
  })

  it('changes nothing where nothing changed, nor where the baseline knows nothing', () => {
    const { after } = windows((u) => 200 + 100 * u())
    const times = new OwnTimes()
    for (const path of after) times.add(path)
    const same = whatIf(after, [{ isAsUsual: true }, { callee: 'cart', isAsUsual: true }], {
      usual: new UsualTimes(times, times),
    })
    expect(same.after.meanNs).toBe(same.before.meanNs)
    const unknown = whatIf(after, { isAsUsual: true }, { usual: new UsualTimes(times, new OwnTimes()) })
    expect(unknown.savedNs).toBe(0)
  })

  it('merges to what all at once gives', () => {
    const { after, usual } = windows((u) => 20_000 * u())
    const parts = [after.slice(0, 150), after.slice(150)].map((paths) => {
      const times = new OwnTimes()
      for (const path of paths) times.add(path)
      return times
    })
    parts[0]!.merge(parts[1]!)
    const change = { callee: 'cart', isAsUsual: true } as const
    const baseline = new OwnTimes()
    for (const path of windows((u) => 200 + 100 * u()).before) baseline.add(path)
    const merged = whatIf(after, change, { usual: new UsualTimes(parts[0]!, baseline) })
    expect(merged.savedNs).toBe(whatIf(after, change, { usual }).savedNs)
  })

  it('needs a baseline', () => {
    expect(() => new WhatIf({ service: 'cart', isAsUsual: true })).toThrow(
      /changes\[0\].isAsUsual needs the option usual/,
    )
    expect(() => new WhatIf({ service: 'cart', kind: 'call', speedUp: 2 })).toThrow(
      /kind is of an edge: give its callee/,
    )
  })
})

describe('a change of an edge', () => {
  it('moves the time on the way and no work; of a service, its work and no way but in the bounds', () => {
    const path = pathOf(request({ front: 10, network: 30, cart: 20 })) // 100 µs
    const after = (change: ConstructorParameters<typeof WhatIf>[0]) => {
      const { optimisticNs, estimateNs, pessimisticNs } = new WhatIf(change).add(path)
      return [optimisticNs / 1000, estimateNs / 1000, pessimisticNs / 1000]
    }
    expect(after({ service: 'front', callee: 'cart', speedUp: 3 })).toEqual([60, 60, 60])
    expect(after({ callee: 'cart', kind: 'queue', speedUp: 3 })).toEqual([100, 100, 100])
    expect(after({ service: 'cart', speedUp: 2 })).toEqual([60, 90, 90])
    expect(after({ service: 'cart', speedUp: 0.5 })).toEqual([120, 120, 180])
    expect(after({ service: 'front', speedUp: 2 })).toEqual([90, 90, 90])
    expect(after({ service: 'cart', isRemoved: true })[1]).toBe(80)
  })
})
