import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCore } from '@trimtab/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../not-checked.js'
import { casesOf } from './cases.mjs'
import { compare } from './compare.mjs'
import { handlers } from './hpa-vpa.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const VECTORS = join(here, '../../../shared/data/hpa-vpa')

const integerCpu = (cpuMilli: number, expected: number) => ({
  kind: 'integer-cpu',
  name: `cpu/${cpuMilli}`,
  inputs: { containers: [{ name: 'a', integerCpu: true, cpuMilli }] },
  expected: { cpuMilli: [expected] },
})

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  const write = (path: string, content: unknown) => writeFileSync(join(folder, path), JSON.stringify(content))
  write('good.json', { cases: [integerCpu(1, 1000), integerCpu(1000, 1000)] })
  write('deep/er/bad.json', { cases: [integerCpu(1, 2000)] })
  write('deep/unknown.json', { kind: 'nn/unheard-of', tol: {}, first: [{ expected: 1 }, { expected: 2 }], x: [1, 2] })
  write('deep/table.json', { rows: [{ kind: 'integer-cpu' }] })
  writeFileSync(join(folder, 'broken.json'), '{')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the command on the built packages, as `npm run conformance` does. */
function run(...args: string[]): { status: number; stdout: string; stderr: string } {
  try {
    const options: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
    return { status: 0, stdout: execFileSync(process.execPath, [join(here, 'run.mjs'), ...args], options), stderr: '' }
  } catch (error) {
    return error as { status: number; stdout: string; stderr: string }
  }
}

describe('the conformance command', () => {
  it('counts every case, names each failure with what was expected and what came out, and exits 1', () => {
    const { status, stdout } = run(folder)
    expect(status).toBe(1)
    expect(stdout).toContain('FAIL deep/er/bad.json: cpu/1 (integer-cpu)')
    expect(stdout).toContain('expected.cpuMilli[0]: expected 2000, got 1000')
    expect(stdout).toContain('FAIL deep/unknown.json: unheard-of/first[1] (nn/unheard-of)')
    expect(stdout).toContain('2 files ignored, not vectors:\n  broken.json')
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('2 passed, 3 failed')
  })

  it('leaves kinds out by --skip and takes only some by --only', () => {
    expect(run(folder, '--skip', 'nn/unheard-of', 'integer-cpu').stdout).toMatch(/0 passed, 0 failed\n$/)
    expect(run(join(folder, 'deep'), '--only', 'integer-cpu').stdout).toMatch(/0 passed, 1 failed\n$/)
    expect(run('--json', folder, '--skip', 'nn/unheard-of').status).toBe(1)
  })

  it('reports the same as JSON', () => {
    const report = JSON.parse(run(folder, '--json').stdout)
    expect(report).toMatchObject({ passed: 2, failed: 3, skipped: 0 })
    expect(report.ignored.map(({ file }: { file: string }) => file).toSorted()).toEqual([
      'broken.json',
      'deep/table.json',
    ])
    expect(report.failures[0]).toMatchObject({
      kind: 'integer-cpu',
      differences: [{ at: 'expected.cpuMilli[0]', expected: 2000, got: 1000 }],
    })
  })

  it('exits 2 on a call it cannot follow', () => {
    for (const args of [
      [],
      ['/nowhere'],
      [folder, '--fast'],
      [folder, folder],
      [folder, '--only'],
      [folder, '--only', 'x'],
    ]) {
      expect(run(...args).status, args.join(' ')).toBe(2)
    }
  })
})

describe('cases of a file', () => {
  it('are its cases, the entries of its named groups, or itself', () => {
    const kindsOf = (file: unknown) =>
      casesOf(file).map(({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`)
    expect(kindsOf({ kind: 'nn/a', cases: [{ kind: 'own', name: 'b' }, {}] })).toEqual(['nn/a b', 'nn/a a/cases[1]'])
    expect(kindsOf({ cases: [{ kind: 'c', name: 'd' }, {}] })).toEqual(['c d', '(none) (none)/cases[1]'])
    expect(kindsOf({ kind: 'nn/e', tol: { f32: 1 }, group: [{}, {}], one: {}, W: [[1]] })).toEqual([
      'nn/e e/group[0]',
      'nn/e e/group[1]',
      'nn/e e/one[0]',
    ])
    expect(kindsOf({ kind: 'trace/f', name: 'g', spans: [{ id: '1' }] })).toEqual(['trace/f g'])
    expect(kindsOf([{ kind: 'h' }])).toEqual([])
    expect(kindsOf({ rows: [] })).toEqual([])
  })
})

describe('compare', () => {
  it('checks only what is expected, within the tolerance, and never lets NaN pass', () => {
    expect(compare({ a: 1, b: 2 }, { a: 1 })).toEqual([])
    expect(compare(new Float32Array([1, 2.0001]), [1, 2], { rel: 1e-3 })).toEqual([])
    expect(compare([1], [1, 2])).toHaveLength(1)
    expect(compare({ a: Number.NaN }, { a: 0 }, { abs: Number.POSITIVE_INFINITY })).toHaveLength(1)
    expect(compare(undefined, { a: 1 })).toEqual([{ at: 'expected', expected: { a: 1 }, got: undefined }])
  })
})

if (existsSync(VECTORS)) {
  describe('vectors of the Kubernetes autoscalers', () => {
    const files = readdirSync(VECTORS).filter((name) => name.endsWith('.json'))
    it.each(files)('%s', async (name) => {
      const core = await createCore()
      const file = JSON.parse(readFileSync(join(VECTORS, name), 'utf8'))
      const cases = casesOf(file)
      expect(cases.length).toBeGreaterThan(0)
      for (const vector of cases) {
        const handler = (handlers as Record<string, (...args: unknown[]) => unknown>)[vector.kind]!
        expect(await handler(vector.case, file, { core }), vector.name).toEqual([])
      }
    })
  })
} else {
  notChecked('vectors of the Kubernetes autoscalers', '../shared/data/hpa-vpa')
}
