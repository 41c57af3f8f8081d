// The features of a prompt as assembly/text/features.ts defines them, written a second time on code points and lists.

const FNV = 0x811c9dc5
const encoder = new TextEncoder()

const hashBytes = (bytes: readonly number[]): number =>
  bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), FNV) >>> 0

function mix(word: number): number {
  let h = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return (h ^ (h >>> 15)) >>> 0
}

type Kind = 'letter' | 'digit' | 'mark' | 'newline' | 'space' | 'wide'

function kindOf(letter: string): Kind {
  const code = letter.codePointAt(0)!
  if (code < 0x80) {
    if (/[A-Za-z_]/.test(letter)) return 'letter'
    if (/[0-9]/.test(letter)) return 'digit'
    return letter === '\n' ? 'newline' : code <= 32 ? 'space' : 'mark'
  }
  if (code <= 0xbf || (code >= 0x2000 && code <= 0x2fff)) return 'mark'
  return code >= 0x3000 ? 'wide' : 'letter'
}

/** log(1 + n) by halving until a table of 256 logarithms will do. */
function logOf(n: number): number {
  let doublings = 0
  let rest = n
  for (; rest >= 256; rest = Math.floor(rest / 2)) doublings += Math.LN2
  return Math.log(1 + rest) + doublings
}

function sizeOf(value: number): number {
  if (value <= 20) return value
  let step = 21
  let rest = value
  for (; rest >= 40; rest = Math.floor(rest / 2)) step += 2
  return step + (rest >= 28 ? 1 : 0)
}

interface Token {
  readonly kind: Kind
  readonly text: string
}

/** Runs of letters with inner apostrophes, of digits, of line breaks; wide letters and marks alone; three backticks together. */
function tokensOf(text: string): Token[] {
  const found: Token[] = []
  const letters = [...text]
  for (let i = 0; i < letters.length; ) {
    const kind = kindOf(letters[i]!)
    let end = i + 1
    const kindAt = (at: number): Kind | undefined => (letters[at] === undefined ? undefined : kindOf(letters[at]))
    if (kind === 'letter') {
      while (kindAt(end) === 'letter' || (letters[end] === "'" && kindAt(end + 1) === 'letter')) end++
    } else if (kind === 'digit') while (kindAt(end) === 'digit') end++
    else if (kind === 'newline') while (letters[end] !== undefined && letters[end]!.codePointAt(0)! <= 32) end++
    else if (letters.slice(i, i + 3).join('') === '```') end = i + 3
    found.push({ kind, text: letters.slice(i, end).join('') })
    i = end
  }
  return found
}

/** Rows in the order they are first met; the 24 counts and the two of a stated length. */
export function featuresTwin(prompt: string, bits: number): { readonly rows: number[]; readonly counts: number[] } {
  const decoded = new TextDecoder().decode(encoder.encode(prompt)) // lone surrogates become U+FFFD
  const tokens = tokensOf(decoded)
  const rows = new Set<number>()
  const note = (word: number): void => void rows.add(mix(word | 0) & (2 ** bits - 1))
  const words: number[] = []
  let opening = 0x51ed270b
  for (const { kind, text } of tokens) {
    let word: number
    if (kind === 'letter') {
      const bytes = [...encoder.encode(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))]
      word = hashBytes(bytes)
      note(hashBytes(bytes.slice(0, 5)) + 0x5555)
    } else if (kind === 'wide') word = hashBytes([...encoder.encode(text)])
    else if (kind === 'digit') word = 0x1000000 + sizeOf(Math.min(Number(text), 100_000_000))
    else if (kind === 'newline') word = text.split('\n').length > 2 ? 0x0a0a : 0x0a
    else continue
    note(word)
    if (words.length > 0) note(Math.imul(words.at(-1)!, 0x9e3779b1) + word)
    if (words.length < 3) {
      opening = Math.imul(opening, 31) ^ word
      note(opening + words.length)
    }
    words.push(word)
  }
  const closing = Math.imul(0x7feb352d, 37) ^ (words.at(-1) ?? 0)
  if (words.length > 0) note(closing + 1)
  if (words.length > 1) note((Math.imul(closing, 37) ^ words.at(-2)!) + 2)
  return { rows: [...rows], counts: [...countsOf(prompt, decoded, tokens), ...statedOf(tokens)] }
}

function countsOf(prompt: string, text: string, tokens: readonly Token[]): number[] {
  const of = (kind: Kind): Token[] => tokens.filter((token) => token.kind === kind)
  const times = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  const words = of('letter').length + of('wide').length
  const letters = of('letter').reduce((sum, token) => sum + encoder.encode(token.text).length, 0)
  const upper = of('letter').reduce((sum, token) => sum + (token.text.match(/[A-Z]/g)?.length ?? 0), 0)
  const foreignBytes = of('letter').reduce(
    (sum, token) => sum + encoder.encode(token.text).filter((b) => b >= 0x80).length,
    0,
  )
  const digits = of('digit').reduce((sum, token) => sum + token.text.length, 0)
  const marks = of('mark').length
  const lines = times(/\n/g)
  const sizes = of('digit').map((token) => Math.min(Number(token.text), 100_000_000))
  const markQuotes = of('mark').filter((token) => token.text === "'" || token.text === '"').length
  const logs = (...counts: number[]): number[] => counts.map(logOf)
  return [
    ...logs(prompt.length, words, lines, digits, marks, times(/\?/g), times(/,/g), times(/\./g), times(/:/g)),
    ...logs(markQuotes, times(/[{}]/g), times(/=/g), times(/[([]/g), of('mark').filter((t) => t.text === '```').length),
    logOf(foreignBytes + of('wide').length),
    upper / (letters + 1),
    letters / (words + 1),
    logOf(Math.max(0, ...sizes.filter((size) => size < 20_000))),
    text.endsWith('?') ? 1 : 0,
    tokens.at(-1)?.kind === 'mark' ? 1 : 0,
    marks / (words + 1),
    lines > 0 ? words / (lines + 1) : 0,
    digits / (letters + 1),
    logOf(times(/;/g)),
  ]
}

const NUMBERS: Readonly<Record<string, number>> = {
  ...{ one: 1, singl: 1, two: 2, coupl: 2, three: 3, few: 3, four: 4, sever: 4, five: 5, six: 6, seven: 7, eight: 8 },
  ...{ nine: 9, ten: 10, twelv: 12, dozen: 12, twent: 20, fifty: 50, hundr: 100 },
}
const VERBS = 'list name give write make creat gener sugge provi propo top'.split(' ')
const UNITS: Readonly<Record<string, number>> = {
  ...{
    word: 1.3,
    words: 1.3,
    line: 12,
    lines: 12,
    item: 15,
    items: 15,
    tip: 30,
    tips: 30,
    fact: 25,
    facts: 25,
    idea: 25,
  },
  ...{ ideas: 25, way: 30, ways: 30, step: 35, steps: 35, page: 450, pages: 450, bulle: 25, point: 25, quest: 20 },
  ...{ sente: 25, examp: 40, reaso: 40, verse: 40, stanz: 40, parag: 90, chapt: 400 },
}

/** Whether a length is stated, and the logarithm of its tokens less 4. */
function statedOf(all: readonly Token[]): number[] {
  const tokens = all.filter(({ kind }) => kind === 'letter' || kind === 'digit')
  const stems = tokens.map(({ kind, text }) =>
    kind === 'digit' ? '' : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).slice(0, 5),
  )
  const numberAt = (i: number): number =>
    tokens[i]!.kind === 'digit'
      ? Math.min(Number(tokens[i]!.text), 100_000_000)
      : Object.hasOwn(NUMBERS, stems[i]!)
        ? NUMBERS[stems[i]!]!
        : 0
  const numbers = tokens.flatMap((_, i) => (numberAt(i) >= 1 && numberAt(i) <= 5000 ? [i] : [])).slice(0, 8)
  let stated = 0
  for (const i of numbers) {
    const next = stems.slice(i + 1, i + 4)
    const digits = next.indexOf('')
    const unit = next.slice(0, digits < 0 ? 3 : digits).find((stem) => Object.hasOwn(UNITS, stem))
    const isAsked = stems.slice(Math.max(0, i - 2), i).some((stem) => VERBS.includes(stem))
    stated += numberAt(i) * (unit !== undefined ? UNITS[unit]! : isAsked ? 15 : 0)
  }
  return stated > 0 ? [1, logOf(Math.floor(Math.min(stated, 1e6))) - 4] : [0, 0]
}
