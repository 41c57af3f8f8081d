/** Numbers in a vector of `embedWords`. */
export const WORD_EMBEDDING_WIDTH = 256

const PRIME = 0x01000193 // FNV-1a
const BASIS = 0x811c9dc5
const FIRST_IDEOGRAPH = 0x2e80 // from here on a character is a word

/**
 * A text as a vector: its words and pairs of neighbouring words, hashed, case and punctuation apart. Two texts are as similar
 * as their wording is; a question asked in other words is another question here. An embedding model knows better and costs
 * a thousand times as much: hand its function to the cache instead.
 *
 * @returns [256], not normalised
 */
export function embedWords(text: string): Float32Array {
  const vector = new Float32Array(WORD_EMBEDDING_WIDTH)
  let word = BASIS
  let last = 0
  const end = (): void => {
    if (word === BASIS) return
    add(vector, word)
    if (last !== 0) add(vector, Math.imul(last, PRIME) ^ word)
    last = word
    word = BASIS
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const lower = code >= 65 && code <= 90 ? code + 32 : code
    const isWord = (lower >= 97 && lower <= 122) || (lower >= 48 && lower <= 57) || lower >= 128
    if (!isWord || lower >= FIRST_IDEOGRAPH) end()
    if (!isWord) continue
    word = Math.imul(word ^ lower, PRIME)
    if (lower >= FIRST_IDEOGRAPH) end()
  }
  end()
  return vector
}

/** Signed hashing: what shares a place by accident cancels out on average. */
function add(vector: Float32Array, hash: number): void {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  vector[(mixed >>> 8) % WORD_EMBEDDING_WIDTH]! += mixed < 0 ? -1 : 1
}
