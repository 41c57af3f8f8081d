import { type Core, createCore, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { boxSpace, createQTable, discreteSpace, type QTable, type QTableSetup } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const tableOf = ({ options, ...setup }: Partial<QTableSetup> = {}): QTable =>
  createQTable(core, {
    observation: discreteSpace('place', 6),
    action: discreteSpace('step', 2),
    options: { learningRate: 0.5, discount: 0.9, ...options },
    seed: 1,
    ...setup,
  })

const step = (state: number, action: number, reward: number, next: number, terminated = false): Transition => ({
  observation: Float32Array.of(state),
  action: Float32Array.of(action),
  reward,
  nextObservation: Float32Array.of(next),
  terminated,
})

/** A corridor of six: action 1 goes right, 0 left; the right end pays 1 and ends. */
function walk(table: QTable, episodes: number): void {
  const action = new Float32Array(1)
  for (let episode = 0; episode < episodes; episode++) {
    let state = 0
    for (let i = 0; i < 50; i++) {
      table.explore(Float32Array.of(state), action)
      const next = Math.max(0, state + (action[0] === 1 ? 1 : -1))
      const isEnd = next === 6
      table.observe(step(state, action[0]!, isEnd ? 1 : 0, isEnd ? 0 : next, isEnd))
      if (isEnd) break
      state = next
    }
    table.endEpisode()
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
    const table = tableOf({ options: { epsilon: { from: 1, to: 0, steps: 10 } } })
    const out = new Float32Array(1)
    expect(table.best(3)).toBe(0)
    for (let i = 0; i < 10; i++) table.explore(Float32Array.of(0), out)
    expect(table.explorationLevel).toBe(0)
    table.observe(step(0, 1, 5, 1, true))
    table.explore(Float32Array.of(0), out)
    expect(out[0]).toBe(1)
    table.explorationScale = 0.5
    expect(table.update()).toEqual({ updates: 1, skipped: 0, criticLoss: 25, actorLoss: 0, meanQ: 2.5 })
  })

  it('cuts a box into equal bins, whatever lies beyond its bounds into the outermost', () => {
    const table = tableOf({ observation: boxSpace(['load', 'replicas'], 0, 1), options: { bins: 4 } })
    const stateOf = (...observation: number[]): number => table.stateOf(Float32Array.from(observation))
    expect([stateOf(0, 0), stateOf(0.25, 0), stateOf(1, 0), stateOf(0, 0.3), stateOf(2, -1)]).toEqual([0, 1, 3, 4, 3])
    const out = new Float32Array(1)
    table.decide(Float32Array.of(0.5, Number.NaN), out)
    expect(out[0]).toBeNaN()
  })

  it.each([
    ['a NaN reward', (t: QTable) => t.observe(step(0, 0, NaN, 1)), 'transition_not_finite'],
    ['a reward beyond f64', (t: QTable) => t.learn(0, 0, Infinity, 1, true), 'not_finite'],
    ['a state it has not', (t: QTable) => t.observe(step(6, 0, 0, 1)), 'state_invalid'],
    ['a next state it has not', (t: QTable) => t.observe(step(0, 0, 0, -1)), 'state_invalid'],
    ['an action it has not', (t: QTable) => t.observe(step(0, 2, 0, 1)), 'action_invalid'],
    ['a context', (t: QTable) => t.setContext(Float32Array.of(1)), 'size_mismatch'],
    [
      'a table of another size',
      (t: QTable) => t.load(tableOf({ observation: discreteSpace('place', 3) }).save()),
      'policy_space_mismatch',
    ],
  ] as const)('refuses %s and changes nothing', (_, call, code) => {
    const table = tableOf()
    walk(table, 3)
    const before = table.save()
    expect(() => call(table)).toThrow(expect.objectContaining({ code }))
    expect(table.save()).toEqual(before)
  })

  it('names every problem of its set-up at once', () => {
    expect(() => tableOf({ action: boxSpace(['x']), options: { learningRate: 2, discount: -1 } })).toThrow(
      /learningRate.*discount.*action must be discrete/,
    )
    expect(() => tableOf({ observation: boxSpace(['load'], 0, Infinity) })).toThrow(/finite bounds/)
    expect(() => tableOf({ observation: boxSpace(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 0, 1) })).toThrow(
      /200000000 values.*fewer bins/,
    )
  })
})
