// Requests with the prompts and the real output lengths of ../shared/data/output-length, arriving at random.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createCore, Random } from '@trimtab/core'

const FOLDER = new URL('../../../../shared/data/output-length/', import.meta.url)

export function readRows(name) {
  return gunzipSync(readFileSync(new URL(`${name}.jsonl.gz`, FOLDER)))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/**
 * Rows that no predictor was trained on, in Poisson arrivals at this share of what the slots can do; every second one is streamed.
 * @returns {Promise<{ atMs: number, tokens: number, body: string }[]>}
 */
export async function createWorkload({ requests, slots, secondsPerToken, utilisation, seed }) {
  const random = new Random(await createCore(), seed)
  const rows = readRows('valid')
  const chosen = Array.from({ length: requests }, () => rows[random.integer(rows.length)])
  const meanTokens = chosen.reduce((sum, row) => sum + row.output_tokens, 0) / requests
  const meanGapMs = (meanTokens * secondsPerToken * 1000) / (slots * utilisation)
  let atMs = 0
  const workload = chosen.map(({ model, prompt, output_tokens: tokens }, user) => {
    atMs -= Math.log(1 - random.uniform()) * meanGapMs
    const messages = [{ role: 'user', content: prompt }]
    const stream = user % 2 === 0
    return { atMs, tokens, body: JSON.stringify({ user, model, messages, stream, double: { tokens } }) }
  })
  random.dispose()
  return workload
}
