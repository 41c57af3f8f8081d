// One declaration of a command's options gives its parsing, its validation and its help.
import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.js'

export { UsageError }

export interface Option<T> {
  /** What stands for the value in the help (`N`, `FILE`); a switch has none. */
  readonly value?: string
  readonly help: string
  readonly fallback: T
  /** How the help writes the fallback; left out: as it is, if it is a number or a text. */
  readonly shown?: string
  /** Reads the text of the value, or says in a few words what it must be. */
  read(text: string): { readonly value: T } | { readonly must: string }
  /** What an option is that is given again; left out: the later value wins. */
  join?(earlier: T, later: T): T
}

export type Options = Readonly<Record<string, Option<unknown>>>
export type Values<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never }

export function switchOption(help: string): Option<boolean> {
  return { help, fallback: false, read: () => ({ value: true }) }
}

export function textOption<T extends string | undefined>(value: string, help: string, fallback: T): Option<string | T> {
  return {
    value,
    help,
    fallback,
    read: (text) => (text.trim() === '' ? { must: 'must not be empty' } : { value: text }),
  }
}

/** Texts of an option that may be given several times. */
export function repeatedOption(value: string, help: string): Option<readonly string[]> {
  const { read } = textOption(value, help, undefined)
  return {
    value,
    help: `${help}; may be given several times`,
    fallback: [],
    read(text) {
      const result = read(text)
      return 'must' in result ? result : { value: [text] }
    },
    join: (earlier, later) => [...earlier, ...later],
  }
}

/** A number in `[min, max]`, whole unless `fraction`. */
export function numberOption<T extends number | undefined>(
  help: string,
  fallback: T,
  range: { readonly min: number; readonly max: number; readonly fraction?: boolean },
): Option<number | T> {
  const kind = range.fraction ? 'a number' : 'a whole number'
  return {
    value: 'N',
    help,
    fallback,
    read(text) {
      const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
      const fits = value >= range.min && value <= range.max && (range.fraction || Number.isSafeInteger(value))
      return fits ? { value } : { must: `must be ${kind} from ${range.min} to ${range.max}` }
    },
  }
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** A number of bytes: `500000`, `64MiB`, `1.5GiB`. */
export function sizeOption<T extends number | undefined>(help: string, fallback: T): Option<number | T> {
  return {
    value: 'SIZE',
    help,
    fallback,
    ...(fallback !== undefined && { shown: formatSize(fallback) }),
    read(text) {
      const [, number, unit = 'B'] = /^(\d+(?:\.\d+)?) ?([KMGT]iB|B)?$/i.exec(text) ?? []
      const power = UNITS.findIndex((one) => one.toLowerCase() === unit.toLowerCase())
      const value = Math.floor(Number(number) * 1024 ** power)
      return value >= 1 && Number.isSafeInteger(value)
        ? { value }
        : { must: 'must be a size, as 500000, 64MiB or 1.5GiB' }
    },
  }
}

/** Bytes in the largest unit that leaves one digit before the point: `64MiB`, as `sizeOption` reads it. */
export function formatSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${Number((bytes / 1024 ** power).toFixed(1))}${UNITS[power]}`
}

/** Exactly one of `choices`. */
export function choiceOption<T extends string, F extends T | undefined>(
  help: string,
  choices: readonly T[],
  fallback: F,
): Option<T | F> {
  return {
    value: choices.join('|'),
    help,
    fallback,
    read(text) {
      const value = choices.find((choice) => choice === text)
      return value === undefined ? { must: `must be one of ${choices.join(', ')}` } : { value }
    },
  }
}

/** One or more of `choices`, separated by commas. */
export function listOption<T extends string>(help: string, choices: readonly T[]): Option<readonly T[]> {
  const isChoice = (name: string): name is T => choices.includes(name as T)
  return {
    value: 'A,B',
    help,
    fallback: choices,
    read(text) {
      const names = text.split(',').map((name) => name.trim())
      const known = names.filter(isChoice)
      if (known.length < names.length) return { must: `must name some of ${choices.join(', ')}` }
      return { value: [...new Set(known)] }
    },
  }
}

/** A call that takes options only, as `readCall` reads it. */
export function readOptions<O extends Options>(options: O, argv: readonly string[]): Values<O> {
  return readCall(options, argv).values
}

/**
 * Reads `argv` by `options`. Later values win, where an option does not join them; `--name value` and `--name=value` are the same.
 * @param operands  what stands beside the options (`FILE…`); without it nothing may
 * @throws {UsageError} with every problem of the call at once
 */
export function readCall<O extends Options>(
  options: O,
  argv: readonly string[],
  operands?: string,
): { readonly values: Values<O>; readonly operands: readonly string[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }] as const),
    ),
  })
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(options).map(([name, { fallback }]) => [name, fallback]),
  )
  const problems: string[] = []
  const found: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') {
      if (operands) found.push(token.value)
      else
        problems.push(`unexpected argument ${JSON.stringify(token.value)}: every value follows the name of an option`)
      continue
    }
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (!option) problems.push(`unknown option ${token.rawName}${suggestion(token.name, Object.keys(options))}`)
    else if (option.value === undefined && token.value !== undefined)
      problems.push(`${token.rawName} takes no value, got ${JSON.stringify(token.value)}`)
    else if (option.value !== undefined && (token.value === undefined || token.value.startsWith('--')))
      problems.push(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
    else {
      const result = option.read(token.value ?? '')
      if ('value' in result) values[token.name] = option.join?.(values[token.name], result.value) ?? result.value
      else problems.push(`${token.rawName} ${result.must}, got ${JSON.stringify(token.value)}`)
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  return { values: values as Values<O>, operands: found }
}

/** One aligned line an option. */
export function helpOfOptions(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const isShort = typeof option.fallback === 'number' || typeof option.fallback === 'string'
    const fallback = option.shown ?? (isShort ? option.fallback : '')
    return {
      left: option.value ? `--${name} ${option.value}` : `--${name}`,
      right: fallback === '' ? option.help : `${option.help} (default ${fallback})`,
    }
  })
  const width = Math.max(...rows.map(({ left }) => left.length))
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

/** `; did you mean --seeds?`, or nothing when no known name is near. Of two that are as near it is the one with the same first letter. */
export function suggestion(name: string, known: readonly string[], prefix = '--'): string {
  const ranked = known.map((other) => ({
    other,
    distance: editDistance(name, other),
    startsElse: other[0] === name[0] ? 0 : 1,
  }))
  ranked.sort((a, b) => a.distance - b.distance || a.startsElse - b.startsElse)
  const best = ranked[0]
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3))
    ? `; did you mean ${prefix}${best.other}?`
    : ''
}

/** Optimal string alignment: insertions, deletions and replacements of one letter, and two neighbours exchanged. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const [before, row] = [rows[i - 1]!, [i]]
    for (let j = 1; j <= b.length; j++) {
      const replaced = before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(before[j]! + 1, row[j - 1]! + 1, replaced))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
