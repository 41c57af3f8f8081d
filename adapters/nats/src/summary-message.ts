import type { Summary } from '@trimtab/control'
import { FormatError } from '@trimtab/core'
import { JsonFields } from '@trimtab/core/internal'

/** A summary as a message: JSON, whose numbers come back to the bit. */
export const writeSummary = ({ numbers, ...rest }: Summary): string =>
  JSON.stringify({ ...rest, numbers: Array.from(numbers) })

const refuse = (what: string): FormatError => new FormatError('summary_invalid', `a summary cannot be used: ${what}`)

/** @throws {FormatError} `summary_invalid` */
export function readSummary(text: string): Summary {
  const fields = JsonFields.parse(text, refuse)
  return {
    member: fields.text('member'),
    incarnation: fields.integer('incarnation', 0),
    sequence: fields.integer('sequence', 0),
    numbers: Float64Array.from(fields.numbers('numbers')),
  }
}
