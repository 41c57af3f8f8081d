import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'

const data = new URL('../../../shared/data/output-length/valid.jsonl.gz', import.meta.url)

describe('the experiment on serving', () => {
  if (!existsSync(data)) {
    notChecked('the order of real answers', '../shared/data')
    return
  }

  it('runs at smoke scale, and the shortest first is better than first come, first served', () => {
    const folder = mkdtempSync(join(tmpdir(), 'serving-'))
    const command = fileURLToPath(new URL('./run.mjs', import.meta.url))
    execFileSync(process.execPath, [command, 'serving', '--scale', 'smoke', '--out', folder], { stdio: 'pipe' })
    const { figures, gates } = JSON.parse(readFileSync(join(folder, 'serving.json'), 'utf8'))
    const markdown = readFileSync(join(folder, 'serving.md'), 'utf8')
    rmSync(folder, { recursive: true })
    expect(figures.pairwiseOrder).toBeGreaterThan(0.7)
    expect(gates).toHaveLength(18)
    for (const { policy, meanJctOverFcfs } of figures.mixed)
      if (policy === 'ssjf' || policy === 'oracle') expect(meanJctOverFcfs.mean).toBeLessThan(0.95)
    for (const { bypass, meanJctOverFcfs } of figures.choice) if (bypass === 0) expect(meanJctOverFcfs.mean).toBe(1)
    for (const { places, load, policy, overFcfs } of figures.concurrency)
      if (policy === 'oracle' && places === 4 && load > 1) expect(overFcfs.meanJct).toBeLessThan(0.95)
    expect(markdown).toContain('## How the default ageing was chosen')
    expect(markdown).not.toMatch(/NaN|undefined|Infinity/)
  })
})
