// What a prompt looks like, in numbers: hashed n-grams of its words, and counts of what it is made of.
//
// Text is UTF-8. A word is a run of letters, digits apart; letters are what lies above ASCII too, but ideographs, syllables
// and emoji (lead bytes E3 … F4) are words by themselves and U+0080 … U+00BF and U+2000 … U+2FFF are punctuation. Case is
// ignored in ASCII. Numbers are known by their size only, so that "5 sentences" and "6 sentences" are near.
//
// block: Features | text u8[TEXT_BYTES] | keys u32[TEXT_BYTES] | rows u32[MAX_ROWS] | seen u32[SEEN] | counts Real[COUNTS + STATED]
//        logs Real[256] | kinds u8[256]
import { REAL, Real } from '../math/real'
import { math_log } from '../math/special'
import { place } from '../memory/plan'
import { createStated, forgetNumbers, noteNumber, noteWord, statedTokens, wordKey } from './stated'

/** Longest text: 2,048 UTF-16 units. */
// @ts-ignore: decorator
@inline export const TEXT_BYTES: usize = 6144
/** Three rows a token at most, and five for both ends. */
// @ts-ignore: decorator
@inline export const MAX_ROWS: usize = TEXT_BYTES + 16
// @ts-ignore: decorator
@inline const SEEN: u32 = 32768 // slots of the set of rows for the longest text
/** Counts of what a text is made of. */
// @ts-ignore: decorator
@inline export const COUNTS: usize = 24
/** Behind them: whether the prompt states a length, and the logarithm of that length less 4 (55 tokens). */
// @ts-ignore: decorator
@inline export const STATED: usize = 2
// @ts-ignore: decorator
@inline const LONGEST_STATED: f32 = 1e6 // tokens
// @ts-ignore: decorator
@inline const LOGS: i32 = 256
// @ts-ignore: decorator
@inline const LN2: f64 = 0.6931471805599453

// @ts-ignore: decorator
@inline const SPACE: i32 = 0
// @ts-ignore: decorator
@inline const LETTER: i32 = 1
// @ts-ignore: decorator
@inline const DIGIT: i32 = 2
// @ts-ignore: decorator
@inline const MARK: i32 = 3
// @ts-ignore: decorator
@inline const NEWLINE: i32 = 4
// @ts-ignore: decorator
@inline const IDEOGRAPH: i32 = 5
// @ts-ignore: decorator
@inline const WIDE_MARK: i32 = 6

// @ts-ignore: decorator
@inline const FNV: u32 = 0x811c9dc5
// @ts-ignore: decorator
@inline const FNV_PRIME: u32 = 0x01000193
// @ts-ignore: decorator
@inline const PAIR: u32 = 0x9e3779b1
// @ts-ignore: decorator
@inline const STEM_LETTERS: i32 = 5
// @ts-ignore: decorator
@inline const STEM: u32 = 0x5555
// @ts-ignore: decorator
@inline const NEWLINE_WORD: u32 = 0x0a
// @ts-ignore: decorator
@inline const PARAGRAPH_WORD: u32 = 0x0a0a
// @ts-ignore: decorator
@inline const NUMBER_WORD: u32 = 0x1000000

// @ts-ignore: decorator
@unmanaged export class Features {
  text: usize = 0
  /** Of its words and numbers, for `statedTokens`. */
  keys: usize = 0
  rows: usize = 0
  /** Rows found. */
  size: i32 = 0
  /** Rows are in 0 … mask. */
  mask: u32 = 0
  counts: usize = 0
  seen: usize = 0
  /** Slots of `seen` that this text uses, less one: a short text stays in the fastest cache. */
  slots: u32 = 0
  /** Marks the slots of `seen` that belong to this text. */
  generation: u32 = 0
  logs: usize = 0
  kinds: usize = 0
}

export function planFeatures(bits: i32): usize {
  const block = place(offsetof<Features>())
  const features = changetype<Features>(block)
  features.text = place(TEXT_BYTES)
  features.keys = place(TEXT_BYTES << 2)
  features.rows = place(MAX_ROWS << 2)
  features.seen = place(<usize>SEEN << 2)
  features.counts = place((COUNTS + STATED) * REAL)
  features.logs = place(<usize>LOGS * REAL)
  features.kinds = place(256)
  features.mask = (1 << bits) - 1
  return block
}

export function createFeatures(features: Features): void {
  createStated()
  for (let i = 0; i < LOGS; i++) store<Real>(features.logs + <usize>i * REAL, <Real>math_log(<f64>(i + 1)))
  for (let byte: u32 = 0; byte < 256; byte++) store<u8>(features.kinds + byte, <u8>kindOf(byte))
}

function kindOf(byte: u32): i32 {
  if (byte >= 0x80) {
    if (byte == 0xc2 || byte == 0xe2) return WIDE_MARK
    return byte >= 0xe3 ? IDEOGRAPH : LETTER
  }
  const lower = byte | 0x20
  if ((lower >= 97 && lower <= 122) || byte == 95) return LETTER
  if (byte >= 48 && byte <= 57) return DIGIT
  if (byte > 32) return MARK
  return byte == 10 ? NEWLINE : SPACE
}

/** Notes a row unless this text has it already. */
// @ts-ignore: decorator
@inline function note(features: Features, word: u32): void {
  let h = (word ^ (word >>> 15)) * 0x2c1b3c6d
  h = (h ^ (h >>> 12)) * 0x297a2d39
  const row = (h ^ (h >>> 15)) & features.mask
  const entry = features.generation | row
  for (let slot = row & features.slots; ; slot = (slot + 1) & features.slots) {
    const at = features.seen + (<usize>slot << 2)
    const found = load<u32>(at)
    if (found == entry) return
    if (found - features.generation <= features.mask) continue // another row of this text
    store<u32>(at, entry)
    store<u32>(features.rows + (<usize>features.size << 2), row)
    features.size++
    return
  }
}

/** log(1 + n): exact below 256, to one part in 256 of 1 + n above. */
// @ts-ignore: decorator
@inline function logOf(features: Features, n: i32): Real {
  let doublings: Real = 0
  for (; n >= LOGS; n >>= 1) doublings += <Real>LN2
  return load<Real>(features.logs + <usize>n * REAL) + doublings
}

/** The size of a number: itself up to 20, then half octaves. */
// @ts-ignore: decorator
@inline function sizeWord(value: i32): u32 {
  if (value <= 20) return NUMBER_WORD + value
  let step = 21
  for (; value >= 40; value >>= 1) step += 2
  return NUMBER_WORD + step + (value >= 28 ? 1 : 0)
}

/** Fills rows and counts from the first `length` bytes of the text. @param characters of the whole prompt */
export function readFeatures(features: Features, length: i32, characters: i32): void {
  const text = features.text, end = text + <usize>length, kinds = features.kinds
  const firstKey = features.keys
  let keys = firstKey
  nextGeneration(features)
  forgetNumbers()
  features.slots = (1 << (32 - clz(3 * length + 16))) - 1 // a byte gives 2.5 rows at most
  let words = 0, letters = 0, upper = 0, digits = 0, marks = 0, lines = 0, foreign = 0, largest = 0
  let questions = 0, commas = 0, periods = 0, colons = 0, semicolons = 0, quotes = 0, braces = 0, equals = 0, brackets = 0, fences = 0
  let last: u32 = 0, beforeLast: u32 = 0, opening: u32 = 0x51ed270b
  let tokens = 0, kind = SPACE

  for (let at = text; at < end;) {
    const byte = <u32>load<u8>(at)
    kind = <i32>load<u8>(kinds + byte)
    let word: u32 = FNV
    if (kind == LETTER) {
      let stem: u32 = 0
      let size = 0
      for (let b = byte; ;) {
        if (b - 65 < 26) {
          b |= 0x20
          upper++
        }
        if (b >= 0x80) foreign++
        word = (word ^ b) * FNV_PRIME
        if (++size == STEM_LETTERS) stem = word
        if (++at >= end) break
        b = <u32>load<u8>(at)
        if (load<u8>(kinds + b) != LETTER && !(b == 39 && at + 1 < end && load<u8>(kinds + <u32>load<u8>(at, 1)) == LETTER)) break
      }
      letters += size
      words++
      if (stem == 0) stem = word
      const key = wordKey(stem)
      store<u32>(keys, key)
      noteWord(key, <i32>((keys - firstKey) >>> 2))
      keys += 4
      note(features, stem + STEM)
    } else if (kind == MARK) {
      marks++
      at++
      switch (byte) {
        case 63: questions++; break
        case 44: commas++; break
        case 46: periods++; break
        case 58: colons++; break
        case 59: semicolons++; break
        case 34: case 39: quotes++; break
        case 123: case 125: braces++; break
        case 61: equals++; break
        case 40: case 91: brackets++; break
        case 96: if (at + 1 < end && load<u16>(at) == 0x6060) { // ```
          fences++
          at += 2
        }
      }
      continue
    } else if (kind == DIGIT) {
      let value = 0
      for (let b = byte; b - 48 < 10;) {
        value = min(value * 10 + <i32>(b - 48), 100_000_000)
        digits++
        if (++at >= end) break
        b = <u32>load<u8>(at)
      }
      if (value < 20000) largest = max(largest, value)
      store<u32>(keys, value)
      noteNumber(<f32>value, <i32>((keys - firstKey) >>> 2))
      keys += 4
      word = sizeWord(value)
    } else if (kind == NEWLINE) {
      let breaks = 0
      for (; at < end; at++) {
        const b = load<u8>(at)
        if (b > 32) break
        if (b == 10) breaks++
      }
      lines += breaks
      word = breaks > 1 ? PARAGRAPH_WORD : NEWLINE_WORD
    } else if (kind == IDEOGRAPH) {
      for (let left = byte >= 0xf0 ? 4 : 3; left > 0 && at < end; left--, at++) word = (word ^ <u32>load<u8>(at)) * FNV_PRIME
      foreign++
      words++
    } else {
      if (kind == WIDE_MARK) marks++
      at += kind == SPACE ? 1 : byte == 0xc2 ? 2 : 3
      continue
    }
    note(features, word)
    if (tokens > 0) note(features, last * PAIR + word)
    if (tokens < 3) {
      opening = (opening * 31) ^ word
      note(features, opening + tokens)
    }
    beforeLast = last
    last = word
    tokens++
  }
  let closing: u32 = 0x7feb352d
  if (tokens > 0) note(features, (closing = (closing * 37) ^ last) + 1)
  if (tokens > 1) note(features, ((closing * 37) ^ beforeLast) + 2)

  const counts = features.counts
  put(counts, 0, logOf(features, characters))
  put(counts, 1, logOf(features, words))
  put(counts, 2, logOf(features, lines))
  put(counts, 3, logOf(features, digits))
  put(counts, 4, logOf(features, marks))
  put(counts, 5, logOf(features, questions))
  put(counts, 6, logOf(features, commas))
  put(counts, 7, logOf(features, periods))
  put(counts, 8, logOf(features, colons))
  put(counts, 9, logOf(features, quotes))
  put(counts, 10, logOf(features, braces))
  put(counts, 11, logOf(features, equals))
  put(counts, 12, logOf(features, brackets))
  put(counts, 13, logOf(features, fences))
  put(counts, 14, logOf(features, foreign))
  put(counts, 15, <Real>upper / <Real>(letters + 1))
  put(counts, 16, <Real>letters / <Real>(words + 1))
  put(counts, 17, logOf(features, largest))
  put(counts, 18, length > 0 && load<u8>(end - 1) == 63 ? 1 : 0)
  put(counts, 19, kind == MARK || kind == WIDE_MARK ? 1 : 0)
  put(counts, 20, <Real>marks / <Real>(words + 1))
  put(counts, 21, lines > 0 ? <Real>words / <Real>(lines + 1) : 0)
  put(counts, 22, <Real>digits / <Real>(letters + 1))
  put(counts, 23, logOf(features, semicolons))
  const stated = statedTokens(firstKey, <i32>((keys - firstKey) >>> 2))
  put(counts, COUNTS, stated > 0 ? 1 : 0)
  put(counts, COUNTS + 1, stated > 0 ? logOf(features, <i32>min<f32>(stated, LONGEST_STATED)) - 4 : 0)
}

// @ts-ignore: decorator
@inline function put(counts: usize, which: usize, value: Real): void {
  store<Real>(counts + which * REAL, value)
}

/** Empties the set in one step; it is really cleared when the marks have all been used. */
function nextGeneration(features: Features): void {
  features.size = 0
  const next = features.generation + features.mask + 1
  if (next == 0) memory.fill(features.seen, 0, <usize>SEEN << 2)
  features.generation = next == 0 ? features.mask + 1 : next
}
