import { meanOf } from '../spread.js'
import { type CellFigures, cellLabel, figuresOf } from './figures.js'
import type { PromiseGate } from './gates.js'

/** What is changed a little, to see how much the figures move. */
export const PERTURBATIONS = [
  { name: 'one rule episode before', ruleSteps: 100 },
  { name: 'five rule episodes before', ruleSteps: 500 },
  { name: '2 % more load', loadScale: 1.02 },
  { name: '2 % less load', loadScale: 0.98 },
  { name: 'other sampler seeds', seedOffset: 10 },
] as const

/** A figure of all cells together: its mean, and what another seed moves it by in one cell (root mean square over cells). */
export interface PerturbedFigure {
  readonly mean: number
  /** Undefined: there was one seed. */
  readonly spread: number | undefined
}

/** The candidate in the cells of one perturbation. */
export interface PerturbationFigures {
  readonly name: string
  /** Dollars over those of the strongest rule, which lives through the same perturbation. */
  readonly cost: PerturbedFigure
  /** Violations judged and while learning, percent. */
  readonly violations: PerturbedFigure
  readonly learningViolations: number
  /** The cell whose cost moved most from the unperturbed one's. */
  readonly mostMoved: string
}

const LEAST_SPREAD_POINTS = 0.1 // what gates on violations tolerate

/** Figures of unperturbed cells and of the same cells perturbed; `base` comes first. */
export function perturbationFigures(
  base: readonly CellFigures[],
  perturbed: readonly { readonly name: string; readonly cells: readonly CellFigures[] }[],
  candidate: string,
): PerturbationFigures[] {
  const costs = base.map((cell) => costOf(cell, candidate))
  const isSpread = base.every(({ seeds }) => seeds > 1)
  const spreadOf = (values: readonly number[]): number | undefined => (isSpread ? rootMeanSquare(values) : undefined)
  return [{ name: 'as it is', cells: base }, ...perturbed].map(({ name, cells }) => {
    const own = cells.map((cell) => figuresOf(cell, candidate)!)
    const moves = cells.map((cell, i) => ({ cell, value: costOf(cell, candidate) - costs[i]! }))
    const most = moves.reduce((a, b) => (Math.abs(b.value) > Math.abs(a.value) ? b : a))
    const strongest = cells.map((cell) => figuresOf(cell, cell.strongest)!.dollars.mean)
    return {
      name,
      cost: {
        mean: meanOf(cells.map((cell) => costOf(cell, candidate))),
        spread: spreadOf(own.map(({ dollars }, i) => dollars.deviation / strongest[i]!)),
      },
      violations: {
        mean: meanOf(own.map(({ violations }) => violations.mean)),
        spread: spreadOf(own.map(({ violations }) => violations.deviation)),
      },
      learningViolations: meanOf(own.map(({ learningViolations }) => learningViolations)),
      mostMoved: name === 'as it is' ? '' : `${cellLabel(most.cell)}: ${signed(most.value)}`,
    }
  })
}

const costOf = (cell: CellFigures, candidate: string): number =>
  figuresOf(cell, candidate)!.dollars.mean / figuresOf(cell, cell.strongest)!.dollars.mean

const rootMeanSquare = (values: readonly number[]): number => Math.sqrt(meanOf(values.map((value) => value * value)))
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`

/** Whether no perturbation moves a figure by more than another seed moves it. */
export function perturbationGates(figures: readonly PerturbationFigures[]): PromiseGate[] {
  const [base, ...perturbed] = figures
  const gate = (text: string, of: (figures: PerturbationFigures) => PerturbedFigure, least: number): PromiseGate => {
    const spread = base && of(base).spread
    if (!base || spread === undefined || perturbed.length === 0) {
      return { text, wanted: '–', ours: '–', isMet: undefined, cells: 0, worst: [] }
    }
    const limit = Math.max(least, spread)
    const moved = perturbed
      .map((one) => ({ name: one.name, by: Math.abs(of(one).mean - of(base).mean) }))
      .sort((a, b) => b.by - a.by)
    return {
      ...{ text, wanted: `≤ ${limit.toFixed(3)}`, ours: moved[0]!.by.toFixed(3), isMet: moved[0]!.by <= limit },
      cells: perturbed.length,
      worst: moved.map(({ name, by }) => `${name}: ${by.toFixed(3)}`),
    }
  }
  return [
    gate('perturbations move dollars against the strongest rule by no more than another seed', ({ cost }) => cost, 0),
    gate(
      'perturbations move violations judged by no more than another seed, points',
      ({ violations }) => violations,
      LEAST_SPREAD_POINTS,
    ),
  ]
}
