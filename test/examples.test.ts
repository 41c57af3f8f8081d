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
  'worker-pool.ts': /^learned +[\d.]+ % +\d+$/m,
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

const outputs = new Map<string, string>()

/** What an example prints; each runs once. */
function outputOf(file: string): string {
  const output = outputs.get(file) ?? (file.endsWith('.ts') ? runTypeScript(file) : run([FOLDER + file]))
  outputs.set(file, output)
  return output
}

const SLOW_MS = 300_000 // half a minute of computing, on a machine that does other things too

describe('the examples', () => {
  it.each(readdirSync(FOLDER))(
    '%s runs as it stands and prints what it promises',
    (file) => {
      expect(outputOf(file)).toMatch(PRINTS[file]!)
    },
    SLOW_MS,
  )

  it.each(['train-your-own.mjs', 'train-your-own.ts'])(
    '%s learns more than the best constant that it names',
    (file) => {
      const means = [...outputOf(file).matchAll(/: (-?[\d.]+) ±/g)].map(([, mean]) => Number(mean))
      const learned = means.pop()!
      expect(means.length).toBeGreaterThan(0)
      expect(learned).toBeGreaterThan(Math.max(...means))
    },
  )

  it(
    'worker-pool.ts learns to be late no more often than its tuned rule, for fewer worker-hours',
    () => {
      const [rule, learned] = ['rule', 'learned'].map((name) => {
        const [, late, hours] = new RegExp(`^${name} +([\\d.]+) % +(\\d+)$`, 'm').exec(outputOf('worker-pool.ts'))!
        return { late: Number(late), hours: Number(hours) }
      })
      expect(learned!.late).toBeLessThanOrEqual(rule!.late)
      expect(learned!.hours).toBeLessThan(rule!.hours)
    },
    SLOW_MS,
  )
})
