// Usage: npm run fuzz [-- --seconds N] [--seed S] [--reader NAME]     damaged files through every reader, until the time is up
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.js'
import { READERS } from './readers.js'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    reader: { type: 'string' },
  },
})
const readers = READERS.filter(({ name }) => values.reader === undefined || name === values.reader)
const [seconds, firstSeed] = [Number(values.seconds), Number(values.seed)]
if (readers.length === 0 || !(seconds > 0) || !Number.isSafeInteger(firstSeed)) {
  console.error(
    `--seconds must be above 0, --seed whole, --reader one of: ${READERS.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}
const folder = join(process.cwd(), 'test/fuzz/build')
const endMs = performance.now() + seconds * 1000
const SLICE_MS = Math.max(200, Math.min(5000, (seconds * 1000) / readers.length))
let [cases, failed] = [0, 0]
for (let seed = firstSeed; performance.now() < endMs; seed++) {
  for (const reader of readers) {
    const left = Math.min(SLICE_MS, endMs - performance.now())
    if (left <= 0) break
    const result = await fuzz(reader, { seed, cases: Number.POSITIVE_INFINITY, milliseconds: left })
    cases += result.cases
    console.error(
      `seed ${seed} · ${reader.name}: ${result.cases} files, ${result.accepted} read, ${result.failures.length} failures`,
    )
    for (const { seed: own, input, what } of result.failures) {
      mkdirSync(folder, { recursive: true })
      const file = join(folder, `${reader.name.replace(/\W+/g, '-')}-${own >>> 0}`)
      writeFileSync(file, input)
      failed++
      console.error(`  ${file}\n    ${what.split('\n').slice(0, 6).join('\n    ')}`)
    }
  }
}
console.log(`${cases} damaged files, ${failed} failures`)
process.exitCode = failed > 0 ? 1 : 0
