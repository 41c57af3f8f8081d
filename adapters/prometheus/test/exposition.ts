// Prometheus' text format 0.0.4 as its documentation describes it: a reader that refuses everything else.

export interface Family {
  readonly type: string
  readonly help: string
  /** Value by name and labels as they stand: `x_bucket{le="1"}`. */
  readonly samples: Map<string, number>
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const SAMPLE = new RegExp(
  `^(${NAME})(\\{${LABEL}(?:,${LABEL})*\\})? (NaN|[+-]Inf|[+-]?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`,
)
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  counter: /^$/,
  gauge: /^$/,
  histogram: /^_(bucket|sum|count)$/,
  summary: /^(_sum|_count)?$/,
}

/** @throws {Error} with the line that is not of the format */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line must end with a line feed')
  const families = new Map<string, Family>()
  let current: { name: string; family: Family } | undefined
  let help: { name: string; text: string } | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line)
    if (comment?.[1] === 'HELP') help = { name: comment[2]!, text: comment[3]! }
    else if (comment) {
      const [, , name, type] = comment as unknown as [string, string, string, string]
      if (families.has(name) || help?.name !== name || !SUFFIXES[type]) throw new Error(`misplaced: ${line}`)
      current = { name, family: { type, help: help.text, samples: new Map() } }
      families.set(name, current.family)
    } else {
      const found = SAMPLE.exec(line)
      if (!found || !current?.name || !found[1]!.startsWith(current.name)) throw new Error(`no sample: ${line}`)
      if (!SUFFIXES[current.family.type]!.test(found[1]!.slice(current.name.length)))
        throw new Error(`wrong suffix: ${line}`)
      const key = found[1]! + (found[2] ?? '')
      if (current.family.samples.has(key)) throw new Error(`twice: ${line}`)
      current.family.samples.set(key, Number(found[3]!.replace('Inf', 'Infinity')))
    }
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

/** Buckets grow with `le`, the last is +Inf and says as much as `_count`. */
function checkHistogram(name: string, { samples }: Family): void {
  const groups = new Map<string, { le: number; value: number }[]>()
  for (const [key, value] of samples) {
    const found = /^(.*)_bucket\{(.*)le="([^"]*)"\}$/.exec(key)
    if (!found) continue
    const list = groups.get(found[2]!) ?? []
    list.push({ le: Number(found[3]!.replace('Inf', 'Infinity')), value })
    groups.set(found[2]!, list)
  }
  for (const [labels, buckets] of groups) {
    for (let i = 1; i < buckets.length; i++) {
      if (buckets[i]!.le <= buckets[i - 1]!.le || buckets[i]!.value < buckets[i - 1]!.value)
        throw new Error(`${name}: buckets out of order`)
    }
    const count = samples.get(`${name}_count${labels ? `{${labels.replace(/,$/, '')}}` : ''}`)
    if (buckets.at(-1)?.le !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
      throw new Error(`${name}: the last bucket must be +Inf and equal to _count`)
  }
}
