// Finished requests with what the designs see of them, split by prompt as the files are.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { columnsOf, countsOf, N_GRAMS } from './words.mjs'

export const FOLDER = fileURLToPath(new URL('../../../../shared/data/output-length/', import.meta.url))

/** alpaca_eval, arena-hard or gpteacher. */
const familyOf = (source) =>
  ['alpaca_eval', 'arena-hard', 'gpteacher'].find((name) => source.startsWith(name)) ?? source

const ENGLISH =
  /\b(?:the|a|an|of|to|in|is|and|for|what|how|write|you|are|with|that|this|list|give|make|create|explain)\b/gi
const CODE =
  /```|[{};]\s*(?:\n|$)|\b(?:def|class|function|import|SELECT|#include)\b|\b(?:code|program|python|javascript|java|sql|html|css|regex|algorithm)\b/i

/** By words that nearly every English text has, and by marks and words of programs. */
function kindOf(prompt) {
  const words = prompt.match(/[\p{L}\p{N}]+/gu) ?? []
  const english = prompt.match(ENGLISH)?.length ?? 0
  const foreign = prompt.match(/[^\p{ASCII}\p{P}\p{S}]/gu)?.length ?? 0
  if (foreign > 0.1 * prompt.length || (words.length >= 8 && english === 0 && foreign > 0)) return 'not English'
  return CODE.test(prompt) ? 'code' : 'other English'
}

export function readRows(file) {
  const seen = new Map()
  return gunzipSync(readFileSync(`${FOLDER}${file}`))
    .toString()
    .trim()
    .split('\n')
    .map((line) => {
      const { id, model, prompt, source, output_tokens: outputTokens } = JSON.parse(line)
      if (!seen.has(prompt))
        seen.set(prompt, {
          narrow: columnsOf(prompt, N_GRAMS.narrow),
          wide: columnsOf(prompt, N_GRAMS.wide),
          counts: countsOf(prompt),
        })
      return { id, model, prompt, family: familyOf(source), kind: kindOf(prompt), outputTokens, seen: seen.get(prompt) }
    })
}

/** Part of a prompt, 0 … parts − 1: by its hash, so that its answers by other models fall in the same part. */
export const partOf = ({ id }, parts, digit = 0) => Number.parseInt(id.slice(digit, digit + 5), 16) % parts

/** Where each answer stands among those of its model: 0 shortest, 1 longest, equals in the middle. */
export function ranksOf(rows) {
  const ofModel = new Map()
  for (const [i, { model }] of rows.entries()) ofModel.get(model)?.push(i) ?? ofModel.set(model, [i])
  const ranks = new Float64Array(rows.length)
  for (const of of ofModel.values()) {
    of.sort((a, b) => rows[a].outputTokens - rows[b].outputTokens)
    for (let start = 0; start < of.length; ) {
      let end = start
      while (end < of.length && rows[of[end]].outputTokens === rows[of[start]].outputTokens) end++
      for (let i = start; i < end; i++) ranks[of[i]] = (start + end) / 2 / of.length
      start = end
    }
  }
  return ranks
}
