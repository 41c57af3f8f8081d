// How long a prompt says that its answer shall be, in tokens: a number and a unit within the next three words ("in one sentence",
// "five-paragraph essay"), or a number of things right behind a verb that asks for them ("List 100 fruits", "Give me ten").
//
// Words are known by the hash of their first five letters, so that "sentence" and "sentences" are one. Two bits say of which of them
// it may be known that they are a number, and that they are anything; units and verbs are looked for beside a number only.
//
// static: slots (key u32, value f32) [SLOTS] | bits of all keys [2048], of those of numbers [2048] | numbers (word i32, value f32) [8]

const NUMBERS: string = 'one singl two coupl three few four sever five six seven eight nine ten twelv dozen twent fifty hundr'
const SIZES = memory.data<f32>([1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 12, 12, 20, 50, 100])
const VERBS: string = 'list name give write make creat gener sugge provi propo top'
const SHORT_UNITS: string = 'word words line lines item items tip tips fact facts idea ideas way ways step steps page pages'
const SHORT_TOKENS = memory.data<f32>([1.3, 1.3, 12, 12, 15, 15, 30, 30, 25, 25, 25, 25, 30, 30, 35, 35, 450, 450])
const UNITS: string = 'bulle point quest sente examp reaso verse stanz parag chapt'
const TOKENS = memory.data<f32>([25, 25, 20, 25, 40, 40, 40, 40, 90, 400])

// @ts-ignore: decorator
@inline const SLOTS: u32 = 256
const slots = memory.data(2048, 16)
const bits = memory.data(256)
const numberBits = memory.data(256)
const numbers = memory.data(64, 8)
let found = 0 // numbers of this text

// @ts-ignore: decorator
@inline const NONE: f32 = -1e9
// @ts-ignore: decorator
@inline const THING: f32 = 15 // tokens of a thing without a unit
// @ts-ignore: decorator
@inline const LARGEST: f32 = 5000 // numbers above are no lengths
// @ts-ignore: decorator
@inline const MOST_NUMBERS: i32 = 8 // where more are, in tables and code, they are no lengths
// @ts-ignore: decorator
@inline const UNIT_REACH: i32 = 3 // words from a number to its unit
// @ts-ignore: decorator
@inline const VERB_REACH: i32 = 2 // words from a verb to its number
// @ts-ignore: decorator
@inline const FNV: u32 = 0x811c9dc5
// @ts-ignore: decorator
@inline const FNV_PRIME: u32 = 0x01000193
/** Words have it, numbers in digits are below. */
// @ts-ignore: decorator
@inline const WORD: u32 = 0x80000000

/** The key of a word. @param stem  FNV-1a of its first five letters */
// @ts-ignore: decorator
@inline export function wordKey(stem: u32): u32 {
  return stem | WORD
}

/** Fills the static tables, with numbers below 0 and verbs as 0; more than once changes nothing. */
export function createStated(): void {
  enter(NUMBERS, SIZES, -1)
  enter(VERBS, SIZES, 0)
  enter(SHORT_UNITS, SHORT_TOKENS, 1)
  enter(UNITS, TOKENS, 1)
}

/** @param words  parted by blanks; the value of each is `factor` times that of `values` */
function enter(words: string, values: usize, factor: f32): void {
  const text = changetype<usize>(words), end = text + (<usize>words.length << 1)
  let key = FNV
  for (let at = text; at <= end; at += 2) {
    const letter = at < end ? <u32>load<u16>(at) : 32
    if (letter != 32) {
      key = (key ^ letter) * FNV_PRIME
      continue
    }
    const word = wordKey(key), slot = slotOf(word)
    store<u32>(slot, word)
    store<f32>(slot, factor * load<f32>(values), 4)
    mark(bits, word)
    if (factor < 0) mark(numberBits, word)
    values += 4
    key = FNV
  }
}

/** The slot of a key, or the free one where it would be. */
function slotOf(key: u32): usize {
  let i = key ^ (key >>> 15)
  for (; ; i++) {
    const found = load<u32>(slots + (<usize>(i & (SLOTS - 1)) << 3))
    if (found == key || found == 0) break
  }
  return slots + (<usize>(i & (SLOTS - 1)) << 3)
}

function mark(table: usize, key: u32): void {
  const at = table + <usize>((key >>> 3) & 255)
  store<u8>(at, <u8>(<u32>load<u8>(at) | (1 << (key & 7))))
}

// @ts-ignore: decorator
@inline function isMarked(table: usize, key: u32): bool {
  return ((<u32>load<u8>(table + <usize>((key >>> 3) & 255)) >>> (key & 7)) & 1) != 0
}

/** The value of a word of the tables, else `NONE`. */
// @ts-ignore: decorator
@inline function valueOf(key: u32): f32 {
  return isMarked(bits, key) ? knownValueOf(key) : NONE
}

function knownValueOf(key: u32): f32 {
  const slot = slotOf(key)
  return load<u32>(slot) == key ? load<f32>(slot, 4) : NONE
}

/** Another text begins. */
// @ts-ignore: decorator
@inline export function forgetNumbers(): void {
  found = 0
}

/** The text's i-th word, a number when it says so. */
// @ts-ignore: decorator
@inline export function noteWord(key: u32, i: i32): void {
  if (isMarked(numberBits, key)) noteNumber(-knownValueOf(key), i) // NONE is a number above LARGEST
}

/** The text's i-th word is a number. */
export function noteNumber(value: f32, i: i32): void {
  if (found == MOST_NUMBERS || value < 1 || value > LARGEST) return
  const at = numbers + (<usize>found << 3)
  store<i32>(at, i)
  store<f32>(at, value, 4)
  found++
}

/** Tokens that the numbers noted state, 0 for nothing. At `keys` those of `n` words; of numbers in digits these as they are. */
export function statedTokens(keys: usize, n: i32): f32 {
  let tokens: f32 = 0
  for (let at = numbers, end = numbers + (<usize>found << 3); at < end; at += 8) {
    tokens += load<f32>(at, 4) * unitBehind(keys, load<i32>(at), n)
  }
  return tokens
}

/** Tokens of what the i-th word counts, 0 for nothing that is written. */
function unitBehind(keys: usize, i: i32, n: i32): f32 {
  for (let j = i + 1; j < n && j <= i + UNIT_REACH; j++) {
    const key = load<u32>(keys + (<usize>j << 2))
    if (key < WORD) break // it will be counted by that number
    const unit = valueOf(key)
    if (unit > 0) return unit
  }
  for (let j = i - 1; j >= 0 && j >= i - VERB_REACH; j--) {
    if (valueOf(load<u32>(keys + (<usize>j << 2))) == 0) return THING
  }
  return 0
}
