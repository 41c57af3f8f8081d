// An action of several choices wherever actions go.
import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ActionLimiter, boxSpace, drawAction, headsOf, headsSpace } from '../src/index.js'
import { stepColumns, toRows } from '../src/meta/trajectory.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const action = headsSpace({ containers: 4, shares: 2 })

describe('several choices at once', () => {
  it('are counted head by head', () => {
    expect(headsOf(action)).toEqual([4, 2])
    expect(headsOf(boxSpace(['a', 'b'], 0, 3))).toEqual([])
  })

  it('are drawn each in its own range, and each choice comes', () => {
    using random = new Random(core, 1)
    const drawn = new Float32Array(2)
    const seen = [new Set<number>(), new Set<number>()]
    for (let i = 0; i < 200; i++) {
      drawAction(action, random, drawn)
      for (const [head, index] of drawn.entries()) seen[head]!.add(index)
    }
    expect(seen.map((indices) => [...indices].sort())).toEqual([
      [0, 1, 2, 3],
      [0, 1],
    ])
  })

  it('are limited head by head', () => {
    const limiter = new ActionLimiter(action, { containers: { increase: { maxStep: 1 } } }, [0, 0])
    const wanted = Float32Array.of(3, 5)
    limiter.apply(wanted)
    expect([...wanted]).toEqual([1, 1])
  })

  it('are one-hot in each head to an encoder', () => {
    const shapes = { observation: boxSpace(['load']), action }
    expect(stepColumns(shapes)).toBe(1 + 6 + 1)
    const rows = toRows(
      {
        observations: Float32Array.of(0.5, 0.25),
        actions: Float32Array.of(2, 0, 0, 1),
        rewards: Float32Array.of(7, 8),
      },
      shapes,
    )
    expect([...rows]).toEqual([0.5, 0, 0, 1, 0, 1, 0, 7, 0.25, 1, 0, 0, 0, 0, 1, 8])
    expect(() =>
      toRows({ observations: Float32Array.of(0), actions: Float32Array.of(0, 2), rewards: Float32Array.of(0) }, shapes),
    ).toThrow(/action "shares" must be in 0 … 1, got 2/)
  })
})
