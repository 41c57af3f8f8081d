// Assembly again, slowly: strings, objects and loops over everything, no tables.
import type { RepairCode, SpanRow } from '../../src/index.js'

export interface TwinSpan {
  id: string
  readonly row: SpanRow
  readonly start: bigint
  end: bigint | undefined
  parent: TwinSpan | undefined
}

export interface TwinTrace {
  readonly spans: TwinSpan[]
  readonly root: TwinSpan | undefined
  readonly counts: Partial<Record<RepairCode, number>>
}

const KINDS = ['internal', 'server', 'client', 'producer', 'consumer']
const LIMIT = 2n ** 53n // ns of a span, µs of a time

const nanoseconds = (us: number, ns = 0): bigint => BigInt(us) * 1000n + BigInt(ns)
const isTime = (us: number): boolean => Number.isSafeInteger(us)

/** What tells two spans apart, most important first. */
function contentOf({ start, end, row }: TwinSpan): (bigint | string | number)[] {
  const length = end !== undefined && end > start ? end - start : 0n
  return [
    start,
    -length,
    end === undefined ? 1 : 0,
    row.id,
    row.service,
    row.operation,
    row.instance ?? '',
    row.host ?? '',
    KINDS.indexOf(row.kind ?? 'internal'),
    (row.isFollowsFrom ? 1 : 0) + (row.isError ? 2 : 0),
    row.parentId ?? '',
  ]
}

function compare(a: TwinSpan, b: TwinSpan): number {
  const left = contentOf(a)
  const right = contentOf(b)
  for (const [i, value] of left.entries()) {
    if (value < right[i]!) return -1
    if (value > right[i]!) return 1
  }
  return 0
}

function isAncestor(span: TwinSpan, of: TwinSpan, atMost: number): boolean {
  let above = of.parent
  for (let steps = 0; above && steps < atMost; steps++) {
    if (above === span) return true
    above = above.parent
  }
  return false
}

export function assembleSlowly(rows: readonly SpanRow[]): TwinTrace {
  const counts: Partial<Record<RepairCode, number>> = {}
  const count = (code: RepairCode) => {
    counts[code] = (counts[code] ?? 0) + 1
  }
  let spans: TwinSpan[] = []
  for (const row of rows) {
    const endUs = row.endUs ?? Number.NaN
    if (row.id === '') count('unreadable_span')
    else if (!isTime(row.startUs) || !(Number.isNaN(endUs) || isTime(endUs))) count('time_invalid')
    else {
      const start = nanoseconds(row.startUs, row.startNs)
      const end = Number.isNaN(endUs) ? undefined : nanoseconds(endUs, row.endNs)
      if (end !== undefined && (end - start) / 1000n > LIMIT / 1000n) count('time_invalid')
      else spans.push({ id: row.id, row, start, end, parent: undefined })
    }
  }

  spans.sort(compare)
  spans = spans.filter((span, i) => {
    const isCopy = i > 0 && compare(spans[i - 1]!, span) === 0
    if (isCopy) count('duplicate_span')
    return !isCopy
  })
  const given = new Set(spans.map(({ id }) => id))
  const owners = new Map<string, TwinSpan>()
  for (const span of spans) {
    const old = span.id
    if (!owners.has(old)) owners.set(old, span)
    else {
      count('duplicate_id')
      for (let number = 1; given.has(span.id); number++) span.id = `${old}_${number}`
      given.add(span.id)
    }
  }

  for (const span of spans) {
    const parentId = span.row.parentId ?? ''
    if (parentId === '') continue
    if (parentId === span.row.id) count('self_parent')
    else if (owners.has(parentId)) span.parent = owners.get(parentId)
    else if (!/^0+$/.test(parentId)) count('missing_parent')
  }
  // Sorted: the first of a ring that is met is its earliest. Where a span only follows from its parent a ring is cut first.
  for (const span of [...spans.filter(({ row }) => row.isFollowsFrom), ...spans]) {
    if (!isAncestor(span, span, spans.length)) continue
    count('cycle')
    span.parent = undefined
  }

  const open = spans.filter(({ end }) => end === undefined)
  for (const span of spans) {
    if (span.end === undefined) {
      count('missing_end')
      span.end = span.start
    } else if (span.end < span.start) {
      count('negative_duration')
      span.end = span.start
    }
  }
  for (let round = 0; round < spans.length; round++) {
    for (const span of open) {
      for (const child of spans) {
        if (child.parent !== span || child.row.isFollowsFrom || child.end! <= span.end!) continue
        if ((child.end! - span.start) / 1000n <= LIMIT / 1000n) span.end = child.end
      }
    }
  }

  const reason = ({ row: { id, parentId = '' } }: TwinSpan): number => {
    if (/^0*$/.test(parentId ?? '')) return 0
    if (parentId === id) return 1
    return owners.has(parentId ?? '') ? 3 : 2
  }
  const roots = spans.filter(({ parent }) => !parent).sort((a, b) => reason(a) - reason(b) || compare(a, b))
  if (roots.length > 1) count('several_roots')
  return { spans, root: roots[0], counts }
}
