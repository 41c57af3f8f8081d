// InfluxDB's line protocol: measurement,tag=value field=1,other=2i time. The same in 1.x and 2.x.

/** What a field holds; `bigint` is an integer of the database. */
export type FieldValue = number | bigint | string

/**
 * A name or a tag's value that may stand in a line. The protocol has no way to say a line break, and reads a backslash by what follows it;
 * these, whatever else no line can show, `%` and a leading `#` (a comment) are written as `%` and their code, so that two names stay two.
 */
export const encodeName = (name: string): string =>
  name.replace(/^#|[%\\\p{Cc}\p{Cs}]/gu, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** One point. Names and values as `encodeName` gives them; texts of fields as they are. */
export interface Point {
  readonly measurement: string
  readonly tags: Readonly<Record<string, string>>
  readonly fields: Iterable<readonly [name: string, value: FieldValue]>
  /** Whole. */
  readonly timeUs: number
}

export function toLine({ measurement, tags, fields, timeUs }: Point): string {
  const head = [
    escaped(measurement, /[, ]/g),
    ...pairs(Object.entries(tags).map(([name, value]) => [name, escaped(value)])),
  ]
  const body = pairs(Array.from(fields, ([name, value]) => [name, literal(value)]))
  return `${head.join(',')} ${body.join(',')} ${timeUs}`
}

const pairs = (entries: readonly (readonly [string, string])[]): string[] =>
  entries.map(([name, value]) => `${escaped(name)}=${value}`)

const escaped = (text: string, special = /[,= ]/g): string => text.replace(special, '\\$&')

function literal(value: FieldValue): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return typeof value === 'bigint' ? `${value}i` : Object.is(value, -0) ? '-0' : String(value)
}
