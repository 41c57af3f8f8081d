import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { QTable, type QTableOptions } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const tableOf = (options: Partial<QTableOptions> = {}): QTable =>
  new QTable(core, { states: 6, actions: 2, learningRate: 0.5, discount: 0.9, seed: 1, ...options })

/** A corridor of six: action 1 goes right, 0 left; the right end pays 1 and ends. */
function walk(table: QTable, episodes: number): void {
  for (let episode = 0; episode < episodes; episode++) {
    let state = 0
    for (let step = 0; step < 50; step++) {
      const action = table.explore(state)
      const next = Math.max(0, state + (action === 1 ? 1 : -1))
      const isEnd = next === 6
      table.update(state, action, isEnd ? 1 : 0, isEnd ? 0 : next, isEnd)
      if (isEnd) break
      state = next
    }
  }
}

describe('QTable', () => {
  it('finds the values of a corridor, γ to the power of the steps left, with every one of five seeds', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const table = tableOf({ seed })
      walk(table, 300)
      for (let state = 0; state < 6; state++) {
        expect(table.best(state)).toBe(1)
        expect(table.values(state)[1]).toBeCloseTo(0.9 ** (5 - state), 6)
      }
    }
  })

  it('goes on from a file to the byte', () => {
    const [whole, first, second] = [tableOf(), tableOf(), tableOf({ seed: 7 })]
    walk(whole, 20)
    walk(first, 10)
    second.load(first.save())
    walk(second, 10)
    expect(second.save()).toEqual(whole.save())
  })

  it('prefers the first of equals and explores by its schedule', () => {
    const table = tableOf({ epsilon: { from: 1, to: 0, steps: 10 } })
    expect(table.best(3)).toBe(0)
    for (let i = 0; i < 10; i++) table.explore(0)
    expect(table.epsilon).toBe(0)
    table.update(0, 1, 5, 1, true)
    expect(table.explore(0)).toBe(1)
  })

  it.each([
    ['a NaN reward', (t: QTable) => t.update(0, 0, NaN, 1, false), 'not_finite'],
    ['an infinite reward', (t: QTable) => t.update(0, 0, Infinity, 1, true), 'not_finite'],
    ['a state it has not', (t: QTable) => t.update(6, 0, 0, 1, false), 'state_invalid'],
    ['a next state it has not', (t: QTable) => t.update(0, 0, 0, -1, false), 'state_invalid'],
    ['an action it has not', (t: QTable) => t.update(0, 2, 0, 1, false), 'action_invalid'],
    ['a table of another size', (t: QTable) => t.load(tableOf({ states: 3 }).save()), 'tensor_mismatch'],
  ] as const)('refuses %s and changes nothing', (_, call, code) => {
    const table = tableOf()
    walk(table, 3)
    const before = table.save()
    expect(() => call(table)).toThrow(expect.objectContaining({ code }))
    expect(table.save()).toEqual(before)
  })

  it('names every problem of its options at once', () => {
    expect(() => tableOf({ states: 0, learningRate: 2, discount: -1 })).toThrow(/states.*learningRate.*discount/)
  })
})
