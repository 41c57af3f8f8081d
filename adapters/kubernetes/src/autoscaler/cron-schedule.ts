import { ConfigError } from '@trimtab/core'

const MINUTE_MS = 60_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS = [
  { name: 'minute', first: 0, last: 59, words: [] },
  { name: 'hour', first: 0, last: 23, words: [] },
  { name: 'day of month', first: 1, last: 31, words: [] },
  { name: 'month', first: 1, last: 12, words: MONTHS },
  { name: 'day of week', first: 0, last: 7, words: DAYS }, // 0 and 7 are Sunday
] as const

/** The minutes, in UTC, that a cron line names: five fields of numbers, names, ranges, steps and lists. */
export class CronSchedule {
  readonly #fields: readonly ReadonlySet<number>[]
  readonly #isAnyDay: boolean

  /** @throws {ConfigError} `schedule_invalid` */
  constructor(line: string) {
    const parts = line.trim().split(/\s+/)
    if (parts.length !== FIELDS.length)
      throw new ConfigError(
        'schedule_invalid',
        `a cron line has 5 fields as "0 8 * * 1-5", got ${JSON.stringify(line)}`,
      )
    this.#fields = parts.map((part, index) => parseField(part, FIELDS[index]!))
    this.#isAnyDay = parts[2]!.startsWith('*') || parts[4]!.startsWith('*')
  }

  /** Whether a minute is named. @param atMs  any moment of it, ms since 1970 */
  names(atMs: number): boolean {
    const at = new Date(atMs)
    const [minutes, hours, dates, months, days] = this.#fields as [Set<number>, ...Set<number>[]]
    const isTime = minutes.has(at.getUTCMinutes()) && hours!.has(at.getUTCHours()) && months!.has(at.getUTCMonth() + 1)
    const [isDate, isDay] = [
      dates!.has(at.getUTCDate()),
      days!.has(at.getUTCDay()) || (at.getUTCDay() === 0 && days!.has(7)),
    ]
    // As in cron: where both are restricted, either will do.
    return isTime && (this.#isAnyDay ? isDate && isDay : isDate || isDay)
  }

  /** Whether something that begins at each named minute and lasts so many minutes holds at a moment. */
  holds(atMs: number, minutes: number): boolean {
    for (let ago = 0; ago < minutes; ago++) if (this.names(atMs - ago * MINUTE_MS)) return true
    return false
  }
}

function parseField(text: string, { name, first, last, words }: (typeof FIELDS)[number]): Set<number> {
  const fail = (): never => {
    throw new ConfigError(
      'schedule_invalid',
      `${name} of a cron line is ${first} … ${last}, *, a-b, */n or a list of these, got "${text}"`,
    )
  }
  const toNumber = (word: string): number => {
    const index = (words as readonly string[]).indexOf(word.toLowerCase())
    const value = index >= 0 ? index + first : /^\d+$/.test(word) ? Number(word) : Number.NaN
    return value >= first && value <= last ? value : fail()
  }
  const named = new Set<number>()
  for (const item of text.split(',')) {
    const [range = '', step, ...rest] = item.split('/')
    const by = step === undefined ? 1 : /^[1-9]\d*$/.test(step) ? Number(step) : fail()
    const [from = '', to, ...more] = range.split('-')
    if (rest.length > 0 || more.length > 0) fail()
    const low = range === '*' ? first : toNumber(from)
    const high = range === '*' ? last : to !== undefined ? toNumber(to) : step !== undefined ? last : low
    if (low > high) fail()
    for (let value = low; value <= high; value += by) named.add(value)
  }
  return named
}
