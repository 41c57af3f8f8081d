// Damages bytes as files are damaged, and as people who mean harm damage them. The same seed damages alike everywhere.

/** Numbers that fit where few readers expect them; `NaN` and `1e999` are not JSON, or no number. */
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '0.5',
  '1e300',
  '-1e300',
  '1e999',
  '1e-320',
  'NaN',
  'Infinity',
  '9007199254740993',
  '4294967296',
  '2147483648',
  '65536',
  '99999999999999999999999',
  '1e308',
  'null',
  '""',
]
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  2 ** 53,
  2 ** 32,
  -(2 ** 31),
  '',
  'constructor',
  '__proto__',
  '\u0000\ud800',
  'x'.repeat(3000),
  [],
  {},
  [[]],
  [null],
  { length: 1e9 },
  Array(500).fill(0),
]

/** xorshift32: a stream of its own, so that no other draw shifts a case. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ (seed >>> 13)) | 1
  }

  /** 0 … n − 1 */
  below(n: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return Math.floor(((this.#state >>> 0) / 2 ** 32) * n)
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const LARGEST = 1 << 20

/** One to four damages to a copy of one of `samples`; the rest of them lends parts. */
export function mutate(samples: readonly Uint8Array[], dice: Dice): Uint8Array {
  let bytes: Uint8Array = dice.of(samples).slice()
  for (let left = 1 + dice.below(4); left > 0; left--) bytes = dice.of(DAMAGES)(bytes, dice, samples).slice(0, LARGEST)
  return bytes
}

type Damage = (bytes: Uint8Array, dice: Dice, samples: readonly Uint8Array[]) => Uint8Array

const join = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const flip: Damage = (bytes, dice) => {
  for (let left = 1 + dice.below(8); left > 0 && bytes.length > 0; left--)
    bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8)
  return bytes
}
const truncate: Damage = (bytes, dice) => bytes.subarray(0, dice.below(bytes.length + 1))
const behead: Damage = (bytes, dice) => bytes.subarray(dice.below(bytes.length + 1))
const splice: Damage = (bytes, dice, samples) => {
  const other = dice.of(samples)
  return join(bytes.subarray(0, dice.below(bytes.length + 1)), other.subarray(dice.below(other.length + 1)))
}
const repeat: Damage = (bytes, dice) => {
  const from = dice.below(bytes.length + 1)
  const part = bytes.subarray(from, from + dice.below(200))
  return join(bytes.subarray(0, from), ...Array(1 + dice.below(300)).fill(part), bytes.subarray(from))
}
/** Wide numbers in place: lengths, counts and offsets of binary files. */
const overwrite: Damage = (bytes, dice) => {
  if (bytes.length < 8) return bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const at = dice.below(bytes.length - 7)
  if (dice.below(2) === 0) view.setFloat64(at, dice.of([Number.NaN, Infinity, -Infinity, 1e300, -0, 2 ** 53, -1]), true)
  else view.setUint32(at, dice.of([0, 1, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff]), true)
  return bytes
}

/** Other numbers in text. */
const renumber: Damage = (bytes, dice) => {
  const text = decoder.decode(bytes)
  const found = [...text.matchAll(/-?\d+(\.\d+)?([eE][-+]?\d+)?/g)]
  if (found.length === 0) return bytes
  const one = dice.of(found)
  return encoder.encode(text.slice(0, one.index) + dice.of(NUMBERS) + text.slice(one.index + one[0].length))
}

/** Other values, missing and strange keys, deep nests, at any place of a JSON text or of one of its lines. */
const restructure: Damage = (bytes, dice) => {
  const lines = decoder.decode(bytes).split('\n')
  const at = dice.below(lines.length)
  for (const [from, count] of [
    [0, lines.length],
    [at, 1],
  ] as const) {
    try {
      const value: unknown = JSON.parse(lines.slice(from, from + count).join('\n'))
      lines.splice(from, count, JSON.stringify(changed(value, dice)) ?? '')
      return encoder.encode(lines.join('\n'))
    } catch {
      // not JSON as a whole, or not this line of it
    }
  }
  return bytes
}

/** The JSON header of a safetensors file, its length in the first 8 bytes. */
const reheader: Damage = (bytes, dice) => {
  if (bytes.length < 8) return bytes
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  try {
    const header = encoder.encode(
      JSON.stringify(changed(JSON.parse(decoder.decode(bytes.subarray(8, end))), dice)) ?? '',
    )
    const length = new Uint8Array(8)
    new DataView(length.buffer).setUint32(0, header.length, true)
    return join(length, header, bytes.subarray(end))
  } catch {
    return bytes // no such file
  }
}

function changed(value: unknown, dice: Dice): unknown {
  if (typeof value === 'string' && /^[[{]/.test(value) && dice.below(3) > 0) {
    try {
      return JSON.stringify(changed(JSON.parse(value), dice))
    } catch {
      // a text that only begins like JSON
    }
  }
  if (typeof value !== 'object' || value === null || dice.below(6) === 0) return strange(value, dice)
  if (Array.isArray(value)) {
    if (value.length === 0 || dice.below(5) === 0)
      return [...value, ...value.slice(0, dice.below(50)), strange(undefined, dice)]
    const at = dice.below(value.length)
    return value.map((one, i) => (i === at ? changed(one, dice) : one))
  }
  const keys = Object.keys(value)
  if (keys.length === 0) return { [dice.of(['__proto__', 'length', ''])]: strange(undefined, dice) }
  const key = dice.of(keys)
  const { [key]: own, ...rest } = value as Record<string, unknown>
  return dice.below(6) === 0 ? rest : { ...value, [key]: changed(own, dice) }
}

function strange(value: unknown, dice: Dice): unknown {
  if (dice.below(12) > 0) return dice.of(VALUES)
  let nest = value
  for (let depth = dice.of([10, 300, 3000]); depth > 0; depth--) nest = depth % 2 ? [nest] : { a: nest }
  return nest
}

const DAMAGES: readonly Damage[] = [
  flip,
  truncate,
  behead,
  splice,
  repeat,
  overwrite,
  renumber,
  renumber,
  restructure,
  restructure,
  restructure,
  reheader,
  reheader,
  reheader,
  reheader,
]
