// Who is admitted next by the simulated engine.
import { WorkAgeing } from '@trimtab/core/internal'

/** A request that wants a place. */
export interface Waiting {
  readonly row: number
  /** Tokens that it has got already, before it lost its place. */
  generated: number
}

/** Prompt and expected answer of a request, in tokens. */
export interface ExpectedTokens {
  readonly prompt: number
  readonly output: number
}

/** An order of admission. */
export interface Admission {
  /** What a request counts for: the smaller first. Absent: first come, first served. */
  size?(tokens: ExpectedTokens): number
  /** Ageing by work, in sizes; absent: none. */
  readonly bypass?: number
  /** Cache that is kept free for a request when it is admitted, in tokens. Absent: its prompt. */
  reserve?(tokens: ExpectedTokens): number
  /** A lane for the short: of requests whose size exceeds `bound` no more than `most` run together. */
  readonly lane?: { size(tokens: ExpectedTokens): number; readonly bound: number; readonly most: number }
}

/** The line of those that wait under an admission. */
export interface AdmissionLine {
  enter(row: number): void
  /** Who is next, beside those that run; undefined when nobody may be admitted. */
  first(running: readonly Waiting[]): Waiting | undefined
  take(row: number): void
  reserve(row: number): number
}

interface Columns {
  readonly promptTokens: Float64Array
  readonly estimate: Float64Array
}

interface Standing {
  readonly row: number
  readonly size: number
  /** Work that had arrived, its own with it. */
  readonly place: number
}

/** The line of an admission, empty. */
export function createAdmission({ promptTokens, estimate }: Columns, admission: Admission): AdmissionLine {
  const { bypass, lane } = admission
  const ageing = bypass === undefined ? undefined : new WorkAgeing({ bypass })
  /** In the order in which they came. */
  const waiting: Standing[] = []
  const expected = (row: number): ExpectedTokens => ({ prompt: promptTokens[row]!, output: estimate[row]! })
  const keyOf = ({ size, place }: Standing): number => (ageing ? place + ageing.allowance(size) : size)
  const isLong = ({ row }: { readonly row: number }): boolean =>
    lane !== undefined && lane.size(expected(row)) > lane.bound
  return {
    enter(row) {
      const size = admission.size?.(expected(row)) ?? 0
      ageing?.enter(size)
      waiting.push({ row, size, place: ageing?.arrivedTokens ?? 0 })
    },
    first(running) {
      const isFull = lane !== undefined && running.filter(isLong).length >= lane.most
      let best: Standing | undefined
      for (const one of waiting) {
        if (isFull && isLong(one)) continue
        if (!best || keyOf(one) < keyOf(best)) best = one
      }
      return best && { row: best.row, generated: 0 }
    },
    take(row) {
      const at = waiting.findIndex((one) => one.row === row)
      const [taken] = waiting.splice(at, 1)
      ageing?.leave(taken!.size)
    },
    reserve: (row) => admission.reserve?.(expected(row)) ?? promptTokens[row]!,
  }
}
