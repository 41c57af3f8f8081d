// Makes the runs that the playground's pages open with, by the code that runs in them, and the pool of its page of adaptation.
// Usage: node scripts/build.mjs --quiet && node scripts/make-episodes.mjs [--check] [pool | PAGE…]
//   --check  writes nothing and fails where one is not what its code makes now
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const at = (path) => fileURLToPath(new URL(`../playground/src/${path}`, import.meta.url))
const POOL = at('adaptation/pool.safetensors')
const { values, positionals: wanted } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })

const { module: episodes } = await runnerImport(at('episodes.ts'), { root: at('..'), configFile: false })
const makers = {
  pool: [POOL, episodes.pretrainPool],
  ...Object.fromEntries(
    Object.entries(episodes.EPISODES).map(([page, record]) => [
      page,
      [at(`${page}/recorded.json`), async () => Buffer.from(episodes.recordedText(await record(readFileSync(POOL))))],
    ]),
  ),
}
const stale = []
for (const name of wanted.length > 0 ? wanted : Object.keys(makers)) {
  const [file, make] = makers[name] ?? []
  if (!make) throw new Error(`${name} is none of ${Object.keys(makers).join(', ')}`)
  const made = await make()
  if (Buffer.compare(readFileSync(file), made) !== 0) stale.push(name)
  if (!values.check) writeFileSync(file, made)
  console.log(`${name}: ${(made.length / 1024).toFixed(0)} kB`)
}
if (values.check && stale.length > 0) {
  console.error(
    `not what their code makes now: ${stale.join(', ')} (node scripts/make-episodes.mjs ${stale.join(' ')})`,
  )
  process.exitCode = 1
}
