import { meanOf } from '../spread.js'
import { type CellFigures, figuresOf } from './figures.js'
import { PROMISE_ROLES, type PromiseRoles } from './gates.js'

/** One controller over some cells. */
export interface ControllerSummary {
  readonly controller: string
  /** Cells in which it was run. */
  readonly cells: number
  /** Mean of dollars an hour, and what another seed moves it by (root mean square over cells). */
  readonly dollars: number
  readonly seedSpread: number
  /** Means of its dollars over those of tuned HPA+VPA and of the strongest rule, and the most of the latter. */
  readonly onCommon: number
  readonly onStrongest: number
  readonly worstOnStrongest: number
  /** What it saves beside the strongest rule, as a share of what the oracle saves; absent without an oracle. */
  readonly shareOfSaving?: number
  /** Percent of steps. */
  readonly violations: number
  readonly learningViolations: number
  readonly worstHour: number
  readonly cores: number
  readonly memoryGiB: number
  /** Cells in which it is the strongest rule. */
  readonly strongestIn: number
}

/** Every controller over some cells, in the order in which they first appear. */
export function summarise(cells: readonly CellFigures[], roles: PromiseRoles = PROMISE_ROLES): ControllerSummary[] {
  const names = [...new Set(cells.flatMap(({ controllers }) => controllers.map(({ controller }) => controller)))]
  const saved = (name: string): number => {
    const both = cells.filter((cell) => figuresOf(cell, name) && figuresOf(cell, 'oracle'))
    return 1 - meanOf(both.map((cell) => ratio(cell, name, cell.strongest)))
  }
  return names.map((controller) => {
    const present = cells.filter((cell) => figuresOf(cell, controller))
    const own = present.map((cell) => figuresOf(cell, controller)!)
    const onStrongest = present.map((cell) => ratio(cell, controller, cell.strongest))
    const share = saved(controller) / saved('oracle')
    return {
      ...{ controller, cells: present.length },
      dollars: meanOf(own.map(({ dollars }) => dollars.mean)),
      seedSpread: Math.sqrt(meanOf(own.map(({ dollars }) => dollars.deviation ** 2))),
      onCommon: meanOf(
        present.filter((cell) => figuresOf(cell, roles.common)).map((cell) => ratio(cell, controller, roles.common)),
      ),
      onStrongest: meanOf(onStrongest),
      worstOnStrongest: Math.max(...onStrongest),
      ...(Number.isFinite(share) && { shareOfSaving: share }),
      violations: meanOf(own.map(({ violations }) => violations.mean)),
      learningViolations: meanOf(own.map(({ learningViolations }) => learningViolations)),
      worstHour: meanOf(own.map(({ worstHour }) => worstHour)),
      cores: meanOf(own.map(({ cores }) => cores)),
      memoryGiB: meanOf(own.map(({ memoryGiB }) => memoryGiB)),
      strongestIn: cells.filter(({ strongest }) => strongest === controller).length,
    }
  })
}

const ratio = (cell: CellFigures, controller: string, baseline: string): number =>
  figuresOf(cell, controller)!.dollars.mean / figuresOf(cell, baseline)!.dollars.mean
