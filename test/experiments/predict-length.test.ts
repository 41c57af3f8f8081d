import { describe, expect, it } from 'vitest'
import { fitNeighbours } from './predict-length/neighbours.mjs'
import { fitRidge } from './predict-length/ridge.mjs'
import { fitTrees } from './predict-length/trees.mjs'
import { columnsOf, countsOf, N_GRAMS } from './predict-length/words.mjs'

describe('fitRidge', () => {
  it('is the closed form on one column: slope Σxy / (Σx² + λ) over the mean', () => {
    const rows = [[0], [], [0], []].map((row) => Int32Array.from(row))
    const predict = fitRidge(rows, [3, 1, 3, 1], 1, 2)
    expect(predict(Int32Array.of(0))).toBeCloseTo(2 + 2 / 4, 9) // targets less their mean: 1, −1, 1, −1
    expect(predict(Int32Array.of())).toBeCloseTo(2, 9)
  })

  it('leaves no slope of the penalised error', () => {
    const rows = [[0, 1], [1, 2], [2], [0, 3, 4], [1, 4]].map((row) => Int32Array.from(row))
    const targets = [1, 0, 2, 5, 3]
    const penalty = 0.7
    const error = (change: readonly number[]): number => {
      const predict = fitRidge(rows, targets, 5, penalty)
      const mean = predict(Int32Array.of())
      const weights = change.map((by, j) => predict(Int32Array.of(j)) - mean + by)
      const residuals = rows.map(
        (row, i) => targets[i]! - mean - row.reduce((sum, j) => sum + weights[j]!, 0) / Math.sqrt(row.length),
      )
      return [...residuals, ...weights.map((w) => w * Math.sqrt(penalty))].reduce((sum, r) => sum + r * r, 0)
    }
    const least = error([0, 0, 0, 0, 0])
    for (let j = 0; j < 5; j++)
      for (const by of [-0.01, 0.01]) expect(error([0, 0, 0, 0, 0].with(j, by))).toBeGreaterThan(least)
  })
})

describe('fitTrees', () => {
  it('finds steps in two features and ignores a third', () => {
    const rows = Array.from({ length: 2048 }, (_, i) => [i % 32, Math.floor(i / 32) % 32, (i * 7) % 13])
    const truth = ([a, b]: readonly number[]): number => (a! > 12 ? 2 : 0) + (b! > 20 ? 1 : 0)
    const predict = fitTrees(rows, rows.map(truth))
    for (const row of rows.filter((_, i) => i % 97 === 0)) expect(predict(row)).toBeCloseTo(truth(row), 1)
  })
})

describe('fitNeighbours', () => {
  it('gives what a copy of the prompt took most weight, and the middle to a prompt like no other', () => {
    const prompts = ['list three fruits', 'write a long essay on rain', 'is rain wet']
    const columns = prompts.map((prompt) => columnsOf(prompt, N_GRAMS.wide))
    const expectOf = fitNeighbours(columns, [0.2, 1, 0], 2 ** N_GRAMS.wide.bits, Math.log)
    expect(expectOf(columns[1]!)).toBeGreaterThan(0.9)
    expect(expectOf(columnsOf('zebra', N_GRAMS.wide))).toBeCloseTo(0.5, 9)
  })
})

describe('countsOf', () => {
  it('gives 54 numbers of any text', () => {
    for (const prompt of ['', 'List 3 fruits?', '漢字\n'.repeat(2000)]) {
      const counts = countsOf(prompt)
      expect(counts).toHaveLength(54)
      expect(counts.every(Number.isFinite)).toBe(true)
    }
  })
})
