// Runs an experiment of the papers and writes its report.
// Usage: npm run experiment -- NAME [--scale smoke|gate|paper] [--keep FOLDER]      Results: docs/results/NAME.md and NAME.json
//
// An experiment is a module NAME.mjs beside this file that exports
//
//   export const SCALES = { smoke: …, gate: …, paper: … }
//   export async function run(scale, progress, { keep })    returns { markdown, json, svg?, isShown }; progress('…') shows a line;
//                                   keep: where the longest ones keep what is done, so that a run that was stopped can go on
//
// The same scale gives the same files, to the byte. Exit: 0 done, 1 the figures miss what must be shown, 2 the call is bad.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const HELPERS = ['run.mjs', 'nezha.mjs']
const SCALES = ['smoke', 'gate', 'paper']
const experiments = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.mjs') && !HELPERS.includes(file))
  .map((file) => file.replace(/\.mjs$/, ''))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: 'gate' },
    out: { type: 'string', default: 'docs/results' },
    keep: { type: 'string' },
  },
})
const [name, ...others] = positionals
if (!experiments.includes(name) || others.length > 0 || !SCALES.includes(values.scale)) {
  console.error(
    `usage: npm run experiment -- ${experiments.join('|')} [--scale ${SCALES.join('|')}] [--out FOLDER] [--keep FOLDER]`,
  )
  process.exit(2)
}

const { run } = await import(`./${name}.mjs`)
const start = performance.now()
const progress = (line) => {
  const seconds = ((performance.now() - start) / 1000).toFixed(0).padStart(4)
  console.error(`${seconds} s  ${line}`)
}
const { markdown, json, svg, isShown } = await run(values.scale, progress, { keep: values.keep })
if (!existsSync(values.out)) mkdirSync(values.out, { recursive: true })
writeFileSync(`${values.out}/${name}.md`, markdown)
writeFileSync(`${values.out}/${name}.json`, `${JSON.stringify(json, undefined, 1)}\n`)
if (svg) writeFileSync(`${values.out}/${name}.svg`, svg)
console.log(markdown.trimEnd())
console.error(`written: ${values.out}/${name}.md and ${name}.json${svg ? ` and ${name}.svg` : ''}`)
process.exitCode = isShown ? 0 : 1
