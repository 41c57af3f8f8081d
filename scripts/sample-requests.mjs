// Writes the requests that the playground's page on serving shows: playground/src/serving/sample.ts.
//
// Rows of ../shared/data/output-length/valid.jsonl.gz whose licence permits it (`tier: permissive`): real prompts and the real
// lengths of real answers. The shipped length predictor was not trained on that file.
//
// Usage: node scripts/sample-requests.mjs
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT } from './stamp.mjs'

const LONGEST = 260 // characters; what the page can show
const SOURCES = { 'arena-hard-v0.1': 110, 'arena-hard-v2.0': 30, 'gpteacher-codegen': 90, 'gpteacher-toolformer': 20 }

const text = gunzipSync(readFileSync(join(ROOT, '../shared/data/output-length/valid.jsonl.gz'))).toString()
const rows = text
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .filter(({ tier, prompt }) => tier === 'permissive' && prompt.length <= LONGEST)
const chosen = Object.entries(SOURCES).flatMap(([source, count]) =>
  rows.filter((row) => row.source === source).slice(0, count),
)
const lines = chosen.map(({ model, output_tokens: tokens, prompt }) => `  ${JSON.stringify([model, tokens, prompt])},`)
writeFileSync(
  join(ROOT, 'playground/src/serving/sample.ts'),
  `// Made by scripts/sample-requests.mjs; not to be edited. Model, output tokens (cl100k_base), prompt.
// Sources: arena-hard-auto (Apache-2.0) and GPTeacher (MIT), rows that the shipped predictor was not trained on.
// biome-ignore format: generated
export const SAMPLE: readonly (readonly [model: string, tokens: number, prompt: string])[] = [
${lines.join('\n')}
]
`,
)
console.log(`${chosen.length} requests of ${new Set(chosen.map(({ model }) => model)).size} models`)
