// Finished requests with what the designs see of them, split by prompt as the files are.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { columnsOf, countsOf, N_GRAMS } from './words.mjs'

export const FOLDER = fileURLToPath(new URL('../../../../shared/data/output-length/', import.meta.url))

/** alpaca_eval, arena-hard or gpteacher. */
const familyOf = (source) =>
  ['alpaca_eval', 'arena-hard', 'gpteacher'].find((name) => source.startsWith(name)) ?? source

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
      return { id, model, prompt, family: familyOf(source), outputTokens, seen: seen.get(prompt) }
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
