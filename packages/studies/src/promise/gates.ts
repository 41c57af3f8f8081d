import { meanOf } from '../spread.js'
import { type CellFigures, type ControllerFigures, cellLabel, figuresOf } from './figures.js'
import { ERROR_BUDGET_PERCENT } from './spec.js'

/** What is promised, one line of it. */
export interface PromiseGate {
  readonly text: string
  readonly wanted: string
  readonly ours: string
  /** Undefined: there was nothing to judge it by. */
  readonly isMet: boolean | undefined
  /** Cells that it is judged on. */
  readonly cells: number
  /** The cells that did worst, worst first. */
  readonly worst: readonly string[]
}

/** Whose figures are judged, and against whom. */
export interface PromiseRoles {
  readonly candidate: string
  /** HPA+VPA, tuned. */
  readonly common: string
  /** The rule that resizes, tuned. */
  readonly resizing: string
}

/** The names of the study. */
export const PROMISE_ROLES: PromiseRoles = { candidate: 'trimtab', common: 'hpa-vpa', resizing: 'resize' }

const TOLERATED = 0.1
const WORST_TOLERATED = 0.5
const SHARE_WITHIN = 0.95
const COST_FACTORS: readonly number[] = [2, 3]
const NAMED = 5
const EPSILON = 1e-9

/** A cell with a number to its name. */
interface Valued {
  readonly cell: CellFigures
  readonly value: number
}

/** The gates on finished cells: violations in all of them, dollars where the judged part lies within what was seen. */
export function promiseGates(cells: readonly CellFigures[], roles: PromiseRoles = PROMISE_ROLES): PromiseGate[] {
  const { candidate, common, resizing } = roles
  const promised = cells.filter(isPromised)
  const slow = cells.filter(({ resize }) => resize !== 'in-place')
  const onCommon = ratios(promised, candidate, () => common)
  const onStrongest = ratios(promised, candidate, ({ strongest }) => strongest)
  const onResizing = ratios(promised, candidate, () => resizing)
  const onSlow = ratios(slow, candidate, ({ strongest }) => strongest)
  return [
    ...violationGates(
      'judged',
      excess(cells, candidate, ({ violations }) => violations.mean),
    ),
    ...violationGates(
      'while learning',
      excess(cells, candidate, ({ learningViolations }) => learningViolations),
    ),
    meanGate(`dollars against tuned ${common}, in place`, onCommon, 0.8),
    shareGate(`cells cheaper than tuned ${common}, in place`, onCommon, ({ value }) => value < 1, 0.85),
    worstGate('dollars against the strongest rule in the worst cell, in place', onStrongest, 1.25),
    meanGate(`dollars against the tuned ${resizing} rule, in place`, onResizing, 0.95),
    meanGate('dollars against the strongest rule, restart or none', onSlow, 1.05),
    worstGate('dollars against the strongest rule in the worst cell, restart or none', onSlow, 1.15),
  ]
}

/** Whether dollars are promised for a cell. */
export const isPromised = ({ resize, isWithinSeen, sloFactor }: CellFigures): boolean =>
  resize === 'in-place' && isWithinSeen && COST_FACTORS.includes(sloFactor)

/** Dollars of one over another's, cell by cell; cells without either are left out. */
export function ratios(
  cells: readonly CellFigures[],
  candidate: string,
  baselineOf: (cell: CellFigures) => string,
): Valued[] {
  return cells.flatMap((cell) => {
    const [ours, theirs] = [figuresOf(cell, candidate), figuresOf(cell, baselineOf(cell))]
    return ours && theirs ? [{ cell, value: ours.dollars.mean / theirs.dollars.mean }] : []
  })
}

/** Violations beyond the strongest rule's and the budget, points of percent; below 0 where there are less. */
export function excess(
  cells: readonly CellFigures[],
  candidate: string,
  of: (figures: ControllerFigures) => number,
): Valued[] {
  return cells.flatMap((cell) => {
    const [ours, rule] = [figuresOf(cell, candidate), figuresOf(cell, cell.strongest)]
    return ours && rule ? [{ cell, value: of(ours) - Math.max(of(rule), ERROR_BUDGET_PERCENT) }] : []
  })
}

function violationGates(when: string, values: readonly Valued[]): PromiseGate[] {
  const text = `violations ${when} beyond max(strongest rule's, ${ERROR_BUDGET_PERCENT} %)`
  const isWithin = ({ value }: Valued): boolean => value <= TOLERATED + EPSILON
  return [
    shareGate(`${text}: at most ${TOLERATED} points`, values, isWithin, SHARE_WITHIN, (value) => points(value)),
    {
      ...{ text: `${text}, worst cell`, wanted: `≤ ${points(WORST_TOLERATED)}` },
      ...judged(
        values,
        (value) => points(value),
        most,
        (value) => value <= WORST_TOLERATED + EPSILON,
      ),
    },
  ]
}

const most = (values: readonly Valued[]): number => Math.max(...values.map(({ value }) => value))
const mean = (values: readonly Valued[]): number => meanOf(values.map(({ value }) => value))
const points = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)} points`
const ratio = (value: number): string => value.toFixed(3)
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const meanGate = (text: string, values: readonly Valued[], limit: number): PromiseGate => ({
  ...{ text, wanted: `mean ≤ ${limit.toFixed(2)}` },
  ...judged(values, ratio, mean, (value) => value <= limit),
})

const worstGate = (text: string, values: readonly Valued[], limit: number): PromiseGate => ({
  ...{ text, wanted: `≤ ${limit.toFixed(2)}` },
  ...judged(values, ratio, most, (value) => value <= limit),
})

function shareGate(
  text: string,
  values: readonly Valued[],
  holds: (value: Valued) => boolean,
  limit: number,
  print: (value: number) => string = ratio,
): PromiseGate {
  const shareOf = (all: readonly Valued[]): number => all.filter(holds).length / all.length
  const { ours: _, ...rest } = judged(values, print, shareOf, (share) => share >= limit)
  const ours = values.length > 0 ? `${percent(shareOf(values))} of cells` : '–'
  return { text, wanted: `in ≥ ${percent(limit)} of cells`, ...rest, ours }
}

function judged(
  values: readonly Valued[],
  print: (value: number) => string,
  of: (values: readonly Valued[]) => number,
  holds: (value: number) => boolean,
): Pick<PromiseGate, 'ours' | 'isMet' | 'cells' | 'worst'> {
  if (values.length === 0) return { ours: '–', isMet: undefined, cells: 0, worst: [] }
  const value = of(values)
  const worst = values.toSorted((a, b) => b.value - a.value).slice(0, NAMED)
  return {
    ...{ ours: print(value), isMet: holds(value), cells: values.length },
    worst: worst.map((one) => `${cellLabel(one.cell)}: ${print(one.value)}`),
  }
}
