// What the compared designs see of a prompt: hashed n-grams, in two widths, and counts of what it is made of.
const LONGEST = 2048 // characters that are read, as the served predictor does
const HEAD = 512
const TAIL = 1535

const cut = (prompt) => (prompt.length > LONGEST ? `${prompt.slice(0, HEAD)} ${prompt.slice(-TAIL)}` : prompt)

function hash(text) {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39)
  return (h ^ (h >>> 15)) >>> 0
}

/** Words, pairs of words and the first one to three words. */
function narrow(prompt) {
  const words = prompt.match(/[a-z]+(?:'[a-z]+)?|\d+/g) ?? []
  return [
    ...words.map((word) => `1 ${word}`),
    ...words.slice(1).map((word, i) => `2 ${words[i]} ${word}`),
    ...[1, 2, 3].filter((n) => words.length >= n).map((n) => `first ${words.slice(0, n).join(' ')}`),
  ]
}

/** Marks too, numbers by their size, stems, pairs over a gap, the first twelve words wherever they stand, longer ends. */
function wide(prompt) {
  const words = (prompt.match(/[a-z]+(?:'[a-z]+)?|\d+|[^\sa-z0-9]/g) ?? []).map((word) =>
    /^\d/.test(word) ? `#${Math.min(word.length, 4)}${word.length <= 2 ? word : ''}` : word,
  )
  const ends = (n) => [`first ${words.slice(0, n).join(' ')}`, `last ${words.slice(-n).join(' ')}`]
  return [
    ...words.map((word) => `1 ${word}`),
    ...words.map((word) => `stem ${word.slice(0, 5)}`),
    ...words.slice(1).map((word, i) => `2 ${words[i]} ${word}`),
    ...words.slice(2).map((word, i) => `gap ${words[i]} ${word}`),
    ...words.slice(0, 12).map((word) => `early ${word}`),
    ...[1, 2, 3, 4, 5].filter((n) => words.length >= n).flatMap(ends),
  ]
}

export const N_GRAMS = { narrow: { of: narrow, bits: 14 }, wide: { of: wide, bits: 18 } }

/** Columns of a prompt's n-grams, each once, ascending. */
export function columnsOf(prompt, { of, bits }) {
  const columns = of(cut(prompt).toLowerCase()).map((text) => hash(text) & (2 ** bits - 1))
  return Int32Array.from(new Set(columns)).sort()
}

const MARKS = ['?', '```', '\n', ',', '.', ':', ';', '"', "'", '{', '=', '(', '[', '-', '*', '/', '!', '\t', '#', '<']
const PATTERNS = [
  /\d+/g,
  /\d\d+/g,
  /\d+ (?:words|sentences|lines|paragraphs|items|examples|characters)/g,
  /\blists?\b/g,
  /\bone (?:sentence|word)|\bbrief|\bshort|concise|summar/g,
  /\b(?:essay|article|story|blog|poem|script|letter|email|song)\b/g,
  /\b(?:explain|describe|why|how)\b/g,
  /\b(?:write|create|generate|design|develop|implement)\b/g,
  /\b(?:code|function|program|python|javascript|java|sql|html)\b/g,
  /\b(?:translate|convert|classify|correct|rewrite|edit|identify)\b/g,
  /\b(?:what|who|when|where|which)\b/g,
  /\b(?:name|give|provide|suggest)\b/g,
  /\bsteps?\b/g,
  /detail|comprehensive|complete|thorough|in-depth/g,
  /\b(?:pretend|character|you are|act as|imagine|persona)\b/g,
  /^(?:write|create|generate|compose)/g,
  /^(?:what|who|when|where|which|is|are|can|do)\b/g,
  /^(?:how|why|explain|describe)/g,
  /\b(?:table|chart|json|csv|xml)\b/g,
  /\bclass\b/g,
  /\b(?:input|output)\b/g,
  /\bplease\b/g,
  /\b(?:and|or)\b/g,
  /\b(?:not|no|only|without)\b/g,
]

/** 54 numbers of a prompt. Trees ask only for their order, so no count needs a logarithm. */
export function countsOf(prompt) {
  const text = cut(prompt).toLowerCase()
  const words = text.split(/\s+/).filter((word) => word !== '')
  const lines = text.split('\n').length
  const upper = (cut(prompt).match(/[A-Z]/g) ?? []).length
  const foreign = [...text].filter((letter) => letter > '\x7f').length
  const numbers = (text.match(/\d{1,5}/g) ?? []).map(Number)
  return [
    ...[prompt.length, words.length, words.length / lines, upper / (text.length + 1), foreign / (text.length + 1)],
    ...[text.length / (words.length + 1), new Set(words).size / (words.length + 1), Math.max(0, ...numbers)],
    ...[text.trimEnd().endsWith('?') ? 1 : 0, text.trimEnd().endsWith(':') ? 1 : 0],
    ...MARKS.map((mark) => text.split(mark).length - 1),
    ...PATTERNS.map((pattern) => (text.match(pattern) ?? []).length),
  ]
}
