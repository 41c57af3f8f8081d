// What `pretrain` and `adapt` write down, one JSON object a line.
import type { AdaptationRecord } from '@trimtab/studies'
import { UsageError } from '../options.js'

/** One line of such a file. */
export const toLine = (record: AdaptationRecord): string => `${JSON.stringify(record)}\n`

/** Where a log grows while its run goes on: an older log keeps its name until the new one is whole. */
export const partOf = (log: string): string => `${log}.part`

/**
 * Reads a file of records; lines of events that it does not know are passed over.
 * @throws {UsageError} a line that is not a JSON object, by its number
 */
export function parseRecords(text: string, file: string): AdaptationRecord[] {
  const records: AdaptationRecord[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const record = parseLine(line)
    if (!record) throw new UsageError(`${file}, line ${i + 1} is not a JSON object with an event: ${line.slice(0, 60)}`)
    if (['round', 'evaluation', 'embedding'].includes(record.event)) records.push(record as AdaptationRecord)
  }
  return records
}

function parseLine(line: string): { readonly event: string } | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'event' in value && typeof value.event === 'string'
      ? (value as { event: string })
      : undefined
  } catch {
    return undefined
  }
}
