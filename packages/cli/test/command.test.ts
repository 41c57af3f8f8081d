import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { jaegerJson, shopRequests } from './sample-traces.js'

// The command as it is built, with real workers: what users run.
const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'trimtab-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * @param isInterrupted  whether Ctrl-C is pressed at the first sign of progress
 * @param input  what comes by stdin
 */
function trimtab(argv: readonly string[], isInterrupted = false, input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [BIN, ...argv], { cwd: folder })
  child.stdin.end(input)
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  if (isInterrupted) child.stderr.once('data', () => child.kill('SIGINT'))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

const QUICK = ['autoscale', '--controllers', 'forecast,margin', '--apps', '2', '--seeds', '2', '--days', '1']

describe('the built command', () => {
  it('gives the same numbers with one worker and with two', async () => {
    const one = await trimtab([...QUICK, '--json', '--no-report', '--workers', '1'])
    const two = await trimtab([...QUICK, '--json', '--no-report', '--workers', '2'])
    expect(one.code).toBe(0)
    expect(JSON.parse(one.out).controllers.map(({ name }: { name: string }) => name)).toEqual(['forecast', 'margin'])
    expect(two.out).toBe(one.out)
  })

  it('writes a table and a report', async () => {
    const { code, out } = await trimtab(QUICK)
    expect(code).toBe(0)
    expect(out).toMatch(/^controller +cost \$\/h +relative/m)
    expect(readFileSync(join(folder, 'trimtab-report.html'), 'utf8')).toContain('id="trimtab-report"')
  })

  it.each([
    ['an empty load', ''],
    ['a ragged load', 'index,requests\n0,5\n1\n'],
    ['a load with words', 'index,requests\n0,many\n'],
    ['a negative load', 'index,requests\n0,-5\n'],
    ['a load of zeros', `index,requests\n${'0,0\n'.repeat(300)}`],
    ['a load of one hour', 'index,requests\n'.concat('0,5\n'.repeat(60))],
  ])('refuses %s with 2, naming the file', async (name, text) => {
    const file = `${name.replaceAll(' ', '-')}.csv`
    writeFileSync(join(folder, file), text)
    const { code, out, err } = await trimtab(['autoscale', '--load', file, '--no-report'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`trimtab: ${file}`)
  })

  it('stops on Ctrl-C and leaves nothing behind', async () => {
    const argv = ['autoscale', '--report', 'stopped.html']
    const { code, out, err } = await trimtab(argv, true)
    expect({ code, out }).toEqual({ code: 130, out: '' })
    expect(err).toContain('interrupted, nothing was written')
    expect(existsSync(join(folder, 'stopped.html'))).toBe(false)
  })

  it('reads traces from a file, packed or not, and from stdin, with the same answer', async () => {
    const text = jaegerJson(shopRequests(30))
    writeFileSync(join(folder, 'shop.json'), text)
    writeFileSync(join(folder, 'shop.json.gz'), gzipSync(text))
    const call = ['trace', 'profile', '--json']
    const answers = [
      await trimtab([...call, 'shop.json']),
      await trimtab([...call, 'shop.json.gz']),
      await trimtab([...call, '-'], false, text),
    ]
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0])
    const [plain, ...others] = answers.map(({ out }) => JSON.parse(out))
    for (const other of others) expect({ ...other, source: plain.source }).toEqual(plain)
  })

  it('refuses a folder in the place of a trace file', async () => {
    const { code, err } = await trimtab(['trace', 'profile', '.'])
    expect(code).toBe(2)
    expect(err).toMatch(/^trimtab: \. cannot be read: EISDIR/)
  })
})
