// Files of JSON that people edit and programs cut short: nothing of them is trusted until it was checked, field by field.

/** Makes a reader's own error, with its class and code, of what is wrong with its file. */
export type Refuse = (what: string) => Error

/** The fields of one JSON object; each is checked where it is read, and what does not fit is refused with its path and value. */
export class JsonFields {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #path: string
  readonly #refuse: Refuse

  /**
   * @param path  where it stands in its file, for messages; empty for the whole
   * @throws what `refuse` makes, when `value` is no object
   */
  constructor(value: unknown, path: string, refuse: Refuse) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw refuse(`${path || 'it'} must be an object, got ${shown(value)}`)
    this.#fields = value as Record<string, unknown>
    this.#path = path
    this.#refuse = refuse
  }

  /** Of a text of JSON. The message quotes nothing of a text that is none: it may be anybody's. */
  static parse(text: string, refuse: Refuse): JsonFields {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw refuse('it is not JSON')
    }
    return new JsonFields(value, '', refuse)
  }

  /** Whether there is a value; null counts as none. */
  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key) && this.#fields[key] !== undefined && this.#fields[key] !== null
  }

  /** A text of any length. */
  text(key: string): string {
    return this.#check(key, (value): value is string => typeof value === 'string', 'a text')
  }

  /** A finite number from `low` to `high`, both included. */
  number(key: string, low: number = Number.NEGATIVE_INFINITY, high: number = Number.POSITIVE_INFINITY): number {
    const isWithin = (value: unknown): value is number => isFiniteNumber(value) && value >= low && value <= high
    return this.#check(key, isWithin, `a finite number${rangeOf(low, high)}`)
  }

  /** A whole number from `low` to `high`. */
  integer(key: string, low: number = Number.MIN_SAFE_INTEGER, high: number = Number.MAX_SAFE_INTEGER): number {
    const isWithin = (value: unknown): value is number =>
      Number.isSafeInteger(value) && (value as number) >= low && (value as number) <= high
    return this.#check(key, isWithin, `a whole number${rangeOf(low, high)}`)
  }

  /** One of a few texts. */
  choice<T extends string>(key: string, choices: readonly T[]): T {
    return this.#check(key, (value): value is T => choices.includes(value as T), `one of ${choices.join(', ')}`)
  }

  /** Finite numbers. @param length  how many; default: any */
  numbers(key: string, length?: number): readonly number[] {
    const isList = (value: unknown): value is number[] =>
      Array.isArray(value) && value.every(isFiniteNumber) && (length === undefined || value.length === length)
    return this.#check(key, isList, length === undefined ? 'a list of finite numbers' : `${length} finite numbers`)
  }

  /** A list of texts, of any length. */
  texts(key: string): readonly string[] {
    const isList = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((one) => typeof one === 'string')
    return this.#check(key, isList, 'a list of texts')
  }

  /** A list of anything: check what is in it. */
  list(key: string): readonly unknown[] {
    return this.#check(key, (value): value is unknown[] => Array.isArray(value), 'a list')
  }

  /** An object, to be read by its own fields. */
  object(key: string): JsonFields {
    return new JsonFields(this.#own(key), this.#pathOf(key), this.#refuse)
  }

  /** A list of objects. */
  objects(key: string): readonly JsonFields[] {
    return this.list(key).map((value, i) => new JsonFields(value, `${this.#pathOf(key)}[${i}]`, this.#refuse))
  }

  /** Names of all fields. */
  keys(): readonly string[] {
    return Object.keys(this.#fields)
  }

  #check<T>(key: string, fits: (value: unknown) => value is T, what: string): T {
    const value = this.#own(key)
    if (!fits(value)) throw this.#refuse(`${this.#pathOf(key)} must be ${what}, got ${shown(value)}`)
    return value
  }

  #own(key: string): unknown {
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)

const rangeOf = (low: number, high: number): string => {
  if (high < Number.MAX_SAFE_INTEGER) return ` from ${low} to ${high}`
  return low > Number.MIN_SAFE_INTEGER ? ` of at least ${low}` : ''
}

const MOST_SHOWN = 60

/** A value as a message quotes it: short, whatever it is. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
}
