// Makes the runs that the playground's pages open with, by the code that runs in them, and the pool of its page of adaptation.
// Usage: node scripts/build.mjs --quiet && node scripts/make-episodes.mjs [PAGE…]
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const at = (path) => fileURLToPath(new URL(`../playground/src/${path}`, import.meta.url))
const POOL = at('adaptation/pool.safetensors')
const [wanted, all] = [process.argv.slice(2), process.argv.length === 2]

const { module: episodes } = await runnerImport(at('episodes.ts'), { root: at('..'), configFile: false })
if (all || wanted.includes('pool')) writeFileSync(POOL, await episodes.pretrainPool())
for (const [page, record] of Object.entries(episodes.EPISODES)) {
  if (!all && !wanted.includes(page)) continue
  const events = await record(readFileSync(POOL))
  const text = episodes.recordedText(events)
  writeFileSync(at(`${page}/recorded.json`), text)
  console.log(`${page}: ${events.length} events, ${(text.length / 1024).toFixed(0)} kB`)
}
