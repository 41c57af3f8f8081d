import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { describe, expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** A line that each example must print. */
const PRINTS: Record<string, RegExp> = {
  'train-your-own.mjs': /^learned: -\d+ ± \d+$/m,
  'train-your-own.ts': /^learned: [\d.]+ ± [\d.]+ of 50$/m,
  'trace-culprit.mjs': /^to blame: rate \(\d+ %\), because .+$/m,
}

const run = (args: string[], input?: string): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', ...(input !== undefined && { input }) })

/** Node of the oldest version we run on reads no types. */
function runTypeScript(file: string): string {
  const [bundle] = buildSync({
    entryPoints: [FOLDER + file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@trimtab/source'],
    write: false,
  }).outputFiles
  return run(['--input-type=module', '-'], bundle!.text)
}

describe('the examples', () => {
  it.each(readdirSync(FOLDER))('%s runs as it stands and prints what it promises', (file) => {
    expect(file.endsWith('.ts') ? runTypeScript(file) : run([FOLDER + file])).toMatch(PRINTS[file]!)
  })

  it.each(['train-your-own.mjs', 'train-your-own.ts'])(
    '%s learns more than the best constant that it names',
    (file) => {
      const output = file.endsWith('.ts') ? runTypeScript(file) : run([FOLDER + file])
      const means = [...output.matchAll(/: (-?[\d.]+) ±/g)].map(([, mean]) => Number(mean))
      const learned = means.pop()!
      expect(means.length).toBeGreaterThan(0)
      expect(learned).toBeGreaterThan(Math.max(...means))
    },
  )
})
