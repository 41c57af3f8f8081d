// Usage: npm run bench [name …] [-- --json]     every test/bench/*.mjs module with `name` and `run`, or those named
// Figures are medians; `ratio` above 1 means ours is better; a missed target is shown, not an error: machines differ.
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { drain } from './harness.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } })
const NOT_BENCHES = ['run.mjs', 'harness.mjs']
const log = (line) => console.error(line)

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.mjs') && !NOT_BENCHES.includes(file))
const known = files.map((file) => file.replace(/\.mjs$/, ''))
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}; there are: ${known.join(', ')}`)
  process.exit(2)
}

/** Whether the row shows what it must; undefined where nothing is asked. */
function met({ ours, ratio, target = {} }) {
  if (target.ratio === undefined && target.ours === undefined) return undefined
  return (target.ratio === undefined || ratio >= target.ratio) && (target.ours === undefined || ours <= target.ours)
}

const figure = (value) => (value === undefined ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3))

function print(title, rows) {
  const header = ['', 'ours', 'peer', 'unit', 'ratio', 'target', '']
  const cells = rows.map((row) => [
    row.name,
    figure(row.ours),
    figure(row.peer),
    row.unit ?? '',
    row.ratio === undefined ? '' : `${figure(row.ratio)}×`,
    [
      row.target?.ratio === undefined ? [] : [`≥ ${row.target.ratio}×`],
      row.target?.ours === undefined ? [] : [`≤ ${row.target.ours} ${row.unit}`],
    ]
      .flat()
      .join(', '),
    { true: 'met', false: 'MISSED' }[met(row)] ?? '',
  ])
  const widths = header.map((_, column) => Math.max(...[header, ...cells].map((line) => line[column].length)))
  const align = (line) =>
    line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
  console.log(`\n${title}`)
  for (const line of [header, ...cells]) console.log(`  ${align(line).trimEnd()}`)
}

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown CPU',
  cores: cpus().length,
  node: process.version,
  date: new Date().toISOString(),
}
const results = []
let failed = 0
for (const name of positionals.length > 0 ? positionals : known) {
  const bench = await import(new URL(`${name}.mjs`, folder).href)
  try {
    const rows = await bench.run({ log })
    results.push(...rows.map((row) => ({ bench: name, ...row, met: met(row) })))
    if (!values.json) print(bench.name, rows)
  } catch (error) {
    failed++
    console.error(`\n${name} failed:`, error)
  }
}
if (values.json) console.log(JSON.stringify({ machine, results }, null, 2))
else console.log(`\n${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.date}`)
if (!Number.isFinite(drain())) log('(a benchmarked function returned a number that is not finite)')
process.exitCode = failed > 0 ? 1 : 0
