import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import { describe, expect, it } from 'vitest'

const FOLDER = fileURLToPath(new URL('../examples/', import.meta.url))
/** A line that each example must print. */
const PRINTS: Record<string, RegExp> = {
  'train-your-own.mjs': /^learned: -\d+ ± \d+$/m,
  'train-your-own.ts': /^learned: [\d.]+ ± [\d.]+ of 50$/m,
  'worker-pool.ts': /^learned +[\d.]+ % +\d+$/m,
  'p-queue-swap.mjs': /^scheduler: \d+ tokens of others first$/m,
  'express-gateway.mjs': /^answered: Write .*\nanswered: Is .*\nanswered: Write .*$/m,
  'worker.mjs': /^\[\{"traceId":"f1","latencyUs":10000,"waits":\[.*\{"service":"cart","us":6000\}.*$/m,
  'any-runtime.mjs': /^says -[\d.]+, -?[\d.]+, [\d.]+, in full .*$/m,
  'own-adapter.mjs': /^all 120 jobs done, by at most [234] threads$/m,
  'trace-culprit.mjs': /^to blame: rate \(\d+ %\), because .+$/m,
}

/** Run where they are at home, by `npm run test:runtimes`. */
const ELSEWHERE = ['bun-traces.mjs', 'deno-serve.mjs']

const run = (args: string[], input?: string): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', ...(input !== undefined && { input }) })

const runScript = (file: string): string => run([FOLDER + file])

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

/** A request of 10 ms, 6 of them in `cart`, as Jaeger exports it. */
const span = (spanID: string, parent: string, startTime: number, duration: number, processID: string) => ({
  ...{ traceID: 'f1', spanID, operationName: 'work', startTime, duration, processID },
  references: parent ? [{ refType: 'CHILD_OF', traceID: 'f1', spanID: parent }] : [],
})
const TRACE = {
  traceID: 'f1',
  spans: [span('a', '', 0, 10_000, 'p1'), span('b', 'a', 1000, 6000, 'p2')],
  processes: { p1: { serviceName: 'shop' }, p2: { serviceName: 'cart' } },
}

/** A Worker has a handler and no program: it is asked once, as its host would. */
const runWorker = (file: string): string =>
  run(
    ['--input-type=module', '-'],
    `const { default: worker } = await import(${JSON.stringify(pathToFileURL(FOLDER + file).href)})
    const body = ${JSON.stringify(JSON.stringify({ data: [TRACE] }))}
    const ask = (init) => worker.fetch(new Request('http://example.test', init)).then((answer) => answer.text())
    console.log(await ask({ method: 'POST', body }))
    console.log(await ask({ method: 'POST', body: 'no trace' }))`,
  )

const outputs = new Map<string, string>()

/** What an example prints; each runs once. */
function outputOf(file: string): string {
  const runFile = file === 'worker.mjs' ? runWorker : file.endsWith('.ts') ? runTypeScript : runScript
  const output = outputs.get(file) ?? runFile(file)
  outputs.set(file, output)
  return output
}

const SLOW_MS = 300_000 // half a minute of computing, on a machine that does other things too

describe('the examples', () => {
  it.each(readdirSync(FOLDER).filter((name) => /\.m?[jt]s$/.test(name) && !ELSEWHERE.includes(name)))(
    '%s runs as it stands and prints what it promises',
    (file) => {
      expect(outputOf(file)).toMatch(PRINTS[file]!)
    },
    SLOW_MS,
  )

  it('next-route expects a longer answer of an essay than of yes or no, and says what it wants', async () => {
    const { POST } = await import(`${FOLDER}next-route/app/api/length/route.js`)
    const ask = async (body: string) => {
      const response: Response = await POST(new Request('http://example.test', { method: 'POST', body }))
      return { status: response.status, ...((await response.json()) as { tokens?: number }) }
    }
    const short = await ask('{"prompt":"Is bread older than beer? Answer yes or no."}')
    const long = await ask('{"prompt":"Write a long essay on the history of sailing, with sources."}')
    expect([short.status, long.status]).toEqual([200, 200])
    expect(long.tokens).toBeGreaterThan(short.tokens!)
    expect(await ask('no JSON')).toMatchObject({ status: 400, error: expect.stringContaining('prompt') })
  })

  it('README.md names every one of them', () => {
    const readme = readFileSync(`${FOLDER}README.md`, 'utf8')
    for (const name of readdirSync(FOLDER).filter((one) => one !== 'README.md')) expect(readme).toContain(name)
  })

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
    'p-queue-swap.mjs lets less work go before a call than p-queue does',
    () => {
      const [queue, scheduler] = [...outputOf('p-queue-swap.mjs').matchAll(/: (\d+) tokens/g)].map(([, n]) => Number(n))
      expect(scheduler).toBeLessThan(queue!)
    },
    SLOW_MS,
  )

  it(
    'worker.mjs refuses what is no trace with a code',
    () => {
      expect(outputOf('worker.mjs')).toMatch(/"code":"trace_format_unknown"/)
    },
    SLOW_MS,
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
