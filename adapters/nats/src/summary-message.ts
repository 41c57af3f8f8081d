import type { Summary } from '@trimtab/control'
import { FormatError } from '@trimtab/core'
import { JsonFields } from '@trimtab/core/internal'

/** What a member heard of late, passed on. */
export interface Relayed {
  /** Which life passes it on: the lower, the longer a member. */
  readonly by: number
  readonly summaries: readonly Summary[]
}

/** A summary as a message: JSON, whose numbers come back to the bit. */
export const writeSummary = (summary: Summary): string => JSON.stringify(plain(summary))

/** Summaries that are passed on, as one message. */
export const writeRelayed = ({ by, summaries }: Relayed): string =>
  JSON.stringify({ by, summaries: summaries.map(plain) })

const plain = ({ numbers, ...rest }: Summary) => ({ ...rest, numbers: Array.from(numbers) })

const refuse = (what: string): FormatError => new FormatError('summary_invalid', `a summary cannot be used: ${what}`)

/** @throws {FormatError} `summary_invalid` */
export const readSummary = (text: string): Summary => summaryOf(JsonFields.parse(text, refuse))

/** @throws {FormatError} `summary_invalid`, also where one of the summaries is none */
export function readRelayed(text: string): Relayed {
  const fields = JsonFields.parse(text, refuse)
  return { by: fields.integer('by', 0), summaries: fields.objects('summaries').map(summaryOf) }
}

const summaryOf = (fields: JsonFields): Summary => ({
  member: fields.text('member'),
  incarnation: fields.integer('incarnation', 0),
  sequence: fields.integer('sequence', 0),
  numbers: Float64Array.from(fields.numbers('numbers')),
})
