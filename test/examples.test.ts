import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** A line that each example must print. */
const PRINTS: Record<string, RegExp> = {
  'trace-culprit.mjs': /^to blame: rate \(\d+ %\), because .+$/m,
}

describe('the examples', () => {
  it.each(readdirSync(FOLDER))('%s runs as it stands and prints what it promises', (file) => {
    const output = execFileSync(process.execPath, [FOLDER + file], { encoding: 'utf8' })
    expect(output).toMatch(PRINTS[file]!)
  })
})
