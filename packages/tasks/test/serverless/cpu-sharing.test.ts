import { type Core, createCore, erlangC, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Crowd, crowdOf, waterLevel } from '../../src/serverless/cpu-sharing.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const rowsOf = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i)

/** Water poured in small drops: each goes to the row that has got least for its weight and still wants more. */
function pour(count: Float64Array, want: Float64Array, weight: Float64Array, capacity: number): Float64Array {
  const got = new Float64Array(want.length) // one of each row
  const drop = capacity / 20_000
  for (let left = capacity; left > 0; left -= drop) {
    let next = -1
    for (let i = 0; i < want.length; i++) {
      if (count[i] === 0 || got[i]! >= want[i]!) continue
      if (next < 0 || got[i]! / weight[i]! < got[next]! / weight[next]!) next = i
    }
    if (next < 0) break
    got[next]! += drop / count[next]!
  }
  return got
}

function draw(seed: number) {
  const random = new Random(core, seed)
  const n = 2 + random.integer(12)
  const column = (of: () => number): Float64Array => Float64Array.from({ length: n }, of)
  const drawn = {
    count: column(() => 0.3 + 0.7 * random.uniform()),
    want: column(() => 0.05 + random.uniform()),
    weight: column(() => 128 + random.integer(1921)),
    capacity: 0.5 + 4 * random.uniform(),
    n,
  }
  random.dispose()
  return drawn
}

describe('the water level', () => {
  it('gives everybody what water poured in drops would', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { count, want, weight, capacity, n } = draw(seed)
      const level = waterLevel(count, want, weight, rowsOf(n), capacity)
      const poured = pour(count, want, weight, capacity)
      for (let i = 0; i < n; i++)
        expect(Math.abs(Math.min(want[i]!, weight[i]! * level) - poured[i]!)).toBeLessThan(0.01) // a few drops
    }
  })

  it('leaves nothing over while anybody wants more, and never gives more than there is', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { count, want, weight, capacity, n } = draw(seed)
      const level = waterLevel(count, want, weight, rowsOf(n), capacity)
      const wanted = count.reduce((sum, c, i) => sum + c * want[i]!, 0)
      const given = count.reduce((sum, c, i) => sum + c * Math.min(want[i]!, weight[i]! * level), 0)
      expect(given).toBeCloseTo(Math.min(wanted, capacity), 9)
    }
  })
})

/** A node of 8 cores with `containers` alike, whose work asks for `load` of it. */
function node(containers: number, load: number, weight: (row: number) => number = () => 1024) {
  const column = (of: (row: number) => number): Float64Array =>
    Float64Array.from({ length: containers }, (_, i) => of(i))
  const sharing = {
    demand: column(() => (8 * load) / containers),
    cap: column(() => 1),
    weight: column(weight),
    running: new Float64Array(containers),
  }
  const crowd: Crowd = { probability: 0, level: 0 }
  crowdOf(sharing, rowsOf(containers), 8, crowd)
  return { ...crowd, slownessOf: (row: number) => 1 / Math.min(1, weight(row) * crowd.level) }
}

describe('the crowd on a node', () => {
  it.each([0.5, 0.62, 0.8, 0.9])(
    'slows requests as M/M/8 with processor sharing does on average, at a load of %f',
    (load) => {
      const { probability, slownessOf } = node(1000, load) // so many containers that none is ever the limit
      const mean = 1 - probability + probability * slownessOf(0)
      expect(mean).toBeCloseTo(1 + erlangC(8, 8 * load) / (8 * (1 - load)), 6)
    },
  )

  it('is none where there are no more containers than cores', () => {
    expect(node(8, 0.95).probability).toBe(0)
    expect(node(9, 0.95).probability).toBeGreaterThan(0)
  })

  it('gives a container more for more shares, at the cost of the others', () => {
    const even = node(40, 0.9)
    const favoured = node(40, 0.9, (row) => (row === 0 ? 2048 : 1024))
    expect(favoured.slownessOf(0)).toBeLessThan(even.slownessOf(0))
    expect(favoured.slownessOf(1)).toBeGreaterThan(even.slownessOf(1))
  })

  it('has no jump where the load passes what the node can do', () => {
    const [below, above] = [node(12, 0.999), node(12, 1.001)]
    expect(above.slownessOf(0) / below.slownessOf(0)).toBeCloseTo(1, 2)
  })
})
