// Every command that reads stdin or a file, given something endless: the built command in processes of its own. What `gpu run` does
// with a latency that never ends is in gpu-latency.test.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { taughtAutoscaling } from '../../../test/taught.js'
import { jaegerJson, shopRequests } from './sample-traces.js'
import { peakMiB, start } from './trimtab.js'

const MOST_MIB = 300

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-endless-'))
  writeFileSync(join(folder, 'requests'), '{"model":"m","prompt":"hello","output_tokens":5}\n'.repeat(100))
  const runs = ['a', 'b', 'c'].flatMap((name) => [128, 256, 512].map((memory) => `${name},${memory},${9e4 / memory}`))
  writeFileSync(join(folder, 'runs'), ['function,memory_mb,duration_ms', ...runs].join('\n'))
  writeFileSync(join(folder, 'lengths'), 'arrival_s,output_tokens\n1,5\n2,6\n')
  writeFileSync(join(folder, 'traces'), jaegerJson(shopRequests(40)))
  writeFileSync(join(folder, 'model'), await taughtAutoscaling())
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes what `next` (a function of JavaScript) gives, for ever. */
const writer = (first: string, next: string): string => `
  const next = ${next}
  let text = ${JSON.stringify(first)}
  const more = () => {
    for (let n = 0; n < 500; n++) text += next(more.n++)
    const chunk = text
    text = ''
    process.stdout.write(chunk, (error) => (error ? process.exit() : more()))
  }
  more.n = 0
  process.stdout.on('error', () => process.exit())
  more()`

const TRACE = `(n) => '{"data":[{"traceID":"' + n + '","spans":[{"traceID":"' + n + '","spanID":"1","operationName":"get ' + n + '","references":[],"startTime":1,"duration":1,"processID":"p"}],"processes":{"p":{"serviceName":"shop"}}}]}'`
const SPAN = `(n) => JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [{ traceId: '5b8efff798038103d269b633813fc60c', spanId: String(n).padStart(16, '0'), name: 'get', startTimeUnixNano: '1', endTimeUnixNano: '2' }] }] }] }) + '\\n'`
const REQUEST = `(n) => JSON.stringify({ model: 'm', prompt: 'say ' + n, output_tokens: 5 }) + '\\n'`
const STEP = `(n) => JSON.stringify({ episode: n >> 7, observation: [n], action: [0], reward: 1 }) + '\\n'`
const ZEROS = `() => '\\0'.repeat(200)`
const LETTERS = `() => 'abcdefghij'.repeat(20)`

const CASES: readonly (readonly [what: string, argv: readonly string[], first: string, next: string, limit: string])[] =
  [
    ['prompts', ['predict-length', 'run', '-'], '', `(n) => 'say ' + n + '\\n'`, 'max-lines'],
    ['one prompt', ['predict-length', 'run', '-'], '', LETTERS, 'max-bytes'],
    ['finished requests', ['predict-length', 'eval', '-'], '', REQUEST, 'max-lines'],
    ['finished requests', ['predict-length', 'train', '-', '--out', 'm'], '', REQUEST, 'max-lines'],
    ['a log of requests', ['schedule', '--requests', '-'], '', REQUEST, 'max-lines'],
    ['one row', ['rightsize', '-'], '', LETTERS, 'max-bytes'],
    ['measurements', ['rightsize', 'runs', '--measured', '-'], '', LETTERS, 'max-bytes'],
    ['zeros for a load', ['autoscale', '--load', '-', '--no-report'], '', ZEROS, 'max-bytes'],
    ['zeros for a model', ['embed', 'steps', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['zeros for a model', ['similarity', 'a', 'b', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['steps', ['embed', '-', '--model', 'model'], '', STEP, 'max-lines'],
    ['one step', ['embed', '-', '--model', 'model'], '', LETTERS, 'max-bytes'],
    ['steps', ['similarity', '-', 'steps', '--model', 'model'], '', STEP, 'max-lines'],
    ['one step', ['similarity', '-', 'steps', '--model', 'model'], '', LETTERS, 'max-bytes'],
    ['zeros for a predictor', ['predict-length', 'eval', 'requests', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['zeros for a predictor', ['schedule', '--requests', 'requests', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['a log with prompts', ['schedule', '--requests', 'lengths', '--errors-of', '-'], '', REQUEST, 'max-lines'],
    ['prompts', ['predict-length', 'eval', 'requests', '--learn', '-'], '', REQUEST, 'max-lines'],
    ['zeros for a predictor', ['predict-length', 'run', 'say', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['a log of arrivals', ['schedule', '--requests', 'requests', '--arrivals', '-'], '', LETTERS, 'max-bytes'],
    ['zeros for a model', ['adapt', 'autoscaling', '--model', '-'], '', ZEROS, 'max-bytes'],
    ['a token', ['trace', 'profile', '-'], '{"data":[{"traceID":"', LETTERS, 'max-token-bytes'],
    ['a token', ['trace', 'culprits', '-'], '{"data":[{"traceID":"', LETTERS, 'max-token-bytes'],
    [
      'a token',
      ['trace', 'culprits', 'traces', '--baseline', '-'],
      '{"data":[{"traceID":"',
      LETTERS,
      'max-token-bytes',
    ],
    ['a table', ['trace', 'culprits', 'traces', '--labels', '-'], '', LETTERS, 'max-bytes'],
    ['a token', ['trace', 'diff', '-', 'traces'], '{"data":[{"traceID":"', LETTERS, 'max-token-bytes'],
    [
      'a token',
      ['trace', 'diff', '--before', 'traces', '--after', '-'],
      '{"data":[{"traceID":"',
      LETTERS,
      'max-token-bytes',
    ],
    [
      'a field',
      ['trace', 'critical-path', '-'],
      'trace,span,parent,service,operation,start_us,duration_us\n1,1,,"',
      LETTERS,
      'max-token-bytes',
    ],
    ['a trace', ['trace', 'profile', '-'], '', SPAN, 'max-spans'],
    ['names', ['trace', 'profile', '-'], '', TRACE, 'max-names'],
    [
      'traces that are kept',
      ['trace', 'what-if', '-', '--speed-up', 'shop=2', '--max-bytes', '4MiB'],
      '',
      TRACE.replace(`get ' + n + '`, 'get'),
      'max-bytes',
    ],
  ]

/** The largest memory of a process until it ends. @returns its peak so far, MiB */
function watchPeak(child: ChildProcess): () => number {
  let peak = 0
  const look = setInterval(() => {
    if (child.exitCode === null) peak = Math.max(peak, peakMiB(child) || 0)
  }, 20)
  child.on('close', () => clearInterval(look))
  return () => peak
}

if (process.platform === 'linux') {
  describe('endless stdin', () => {
    it.each(CASES)(
      `of %s into %j ends with the limit’s error below ${MOST_MIB} MB`,
      async (_, argv, first, next, limit) => {
        const { child, ended } = start(argv, { cwd: folder })
        const source = spawn(process.execPath, ['-e', writer(first, next)], {
          stdio: ['ignore', child.stdin!, 'inherit'],
        })
        child.stdin!.destroy() // ours; the source has its own
        const peak = watchPeak(child)
        const { code, err } = await ended
        source.kill('SIGKILL')
        expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(`--${limit}`) })
        expect(err).not.toContain('    at ')
        expect(peak()).toBeGreaterThan(20)
        expect(peak()).toBeLessThan(MOST_MIB)
      },
      120_000,
    )
  })

  describe('a file that never ends', () => {
    const calls = CASES.map(([, argv]) => argv.map((word) => (word === '-' ? '/dev/zero' : word)).join(' '))
    const isPrompt = (call: string) => call.endsWith('run /dev/zero')
    it.each([...new Set(calls)].filter((call) => !isPrompt(call)))('ends trimtab %s below the same', async (call) => {
      const { child, ended } = start(call.split(' '), { cwd: folder })
      const peak = watchPeak(child)
      const { code, err } = await ended
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringMatching(/raise --max-|the input cannot be read as traces/),
      })
      expect(err).not.toContain('    at ')
      expect(peak()).toBeLessThan(MOST_MIB)
    })
  })
} else notChecked('memory under endless stdin', '/proc (Linux)')

describe('a limit', () => {
  it('can be raised and lowered, with one meaning everywhere', async () => {
    const file = join(folder, 'requests.jsonl')
    writeFileSync(file, '{"model":"m","prompt":"hello","output_tokens":5}\n'.repeat(100))
    const call = ['predict-length', 'eval', file]
    expect(await start([...call, '--max-bytes', '1KiB']).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('1KiB'),
    })
    expect(await start([...call, '--max-lines', '99']).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('99 lines'),
    })
    expect(await start([...call, '--max-bytes', '1GiB', '--max-lines', '100']).ended).toMatchObject({ code: 0 })
    const { code, err } = await start([...call, '--max-bytes', 'lots']).ended
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('--max-bytes must be a size') })
  })
})
