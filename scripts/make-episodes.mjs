// Makes the runs that the playground's pages open with, by the code that runs in them: playground/src/*/recorded.json. `npm run build` first.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const at = (path) => fileURLToPath(new URL(`../playground/src/${path}`, import.meta.url))
const wanted = process.argv.slice(2)

const { module: episodes } = await runnerImport(at('run/episodes.ts'), { root: at('..') })
for (const [page, record] of Object.entries(episodes.EPISODES)) {
  if (wanted.length > 0 && !wanted.includes(page)) continue
  const events = await record()
  const text = JSON.stringify(events, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))
  writeFileSync(at(`${page}/recorded.json`), `${text}\n`)
  console.log(`${page}: ${events.length} events, ${(text.length / 1024).toFixed(0)} kB`)
}
