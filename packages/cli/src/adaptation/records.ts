// What `pretrain` and `adapt` write down, one JSON object a line: readable while a run goes on, plottable when it is over.
import { UsageError } from '../options.js'

/** A round of pretraining: one episode of every pair in the pool, and what was learned from them. */
export interface RoundRecord {
  readonly event: 'round'
  readonly round: number
  /** Mean reward a step over the round's episodes, exploration included. */
  readonly reward: number
  readonly episodes: number
  readonly updates: number
  readonly skipped: number
}

/** A policy judged without exploration after so many episodes of one pair. */
export interface EvaluationRecord {
  readonly event: 'evaluation'
  readonly pair: string
  readonly seed: number
  /** `pretrained`, `scratch`, … */
  readonly method: string
  readonly episode: number
  /** Mean reward a step. */
  readonly reward: number
}

/** Where a pair lies in the space of embeddings. */
export interface EmbeddingRecord {
  readonly event: 'embedding'
  readonly pair: string
  readonly z: readonly number[]
}

export type AdaptationRecord = RoundRecord | EvaluationRecord | EmbeddingRecord

/** A record as a line of the log. */
export const toLine = (record: AdaptationRecord): string => `${JSON.stringify(record)}\n`

/** Where a log grows while its run goes on: an older log keeps its name until the new one is whole. */
export const partOf = (log: string): string => `${log}.part`

/**
 * Reads a file of records; lines of events that it does not know are passed over.
 * @throws {UsageError} a line that is no JSON object, by its number
 */
export function parseRecords(text: string, file: string): AdaptationRecord[] {
  const records: AdaptationRecord[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const record = parseLine(line)
    if (!record) throw new UsageError(`${file}, line ${i + 1} is no JSON object with an event: ${line.slice(0, 60)}`)
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
