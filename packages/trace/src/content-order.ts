import type { Names } from './names.js'
import type { SpanColumns } from './span-columns.js'
import { ERROR, FOLLOWS_FROM } from './types.js'

/** ns from start to end; 0 where the end is missing or before the start. */
export function lengthNs(columns: SpanColumns, row: number): number {
  const length = (columns.endUs[row]! - columns.startUs[row]!) * 1000 + (columns.endNs[row]! - columns.startNs[row]!)
  return Math.max(length, 0) || 0 // NaN where there is no end
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * One order over spans that does not know where they stood in the input: earliest start, then longest, then smallest
 * id, then all that is left. Only spans that are alike in everything compare equal.
 */
export function compareContent(columns: SpanColumns, names: Names, a: number, b: number): number {
  const { startUs, startNs, endUs, id, parent, service, operation, instance, host, kind, flags } = columns
  const byNumber =
    startUs[a]! - startUs[b]! ||
    startNs[a]! - startNs[b]! ||
    lengthNs(columns, b) - lengthNs(columns, a) ||
    Number(Number.isNaN(endUs[a])) - Number(Number.isNaN(endUs[b]))
  if (byNumber !== 0) return byNumber
  const byId = compareTexts(id.text(a), id.text(b))
  if (byId !== 0) return byId
  for (const column of [service, operation, instance, host]) {
    if (column[a] === column[b]) continue
    return compareTexts(names.text(column[a]!), names.text(column[b]!))
  }
  const told = (row: number) => flags[row]! & (FOLLOWS_FROM | ERROR)
  return kind[a]! - kind[b]! || told(a) - told(b) || compareTexts(parent.text(a), parent.text(b))
}
