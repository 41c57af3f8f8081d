import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

const KINDS = [
  ['Answer yes or no:', 5],
  ['List three things about', 70],
  ['Write a long essay on', 800],
] as const

/** Lines of finished requests of two sources. */
function lines(rows: number, from = 0): string {
  return Array.from({ length: rows }, (_, j) => {
    const i = from + j
    const [words, tokens] = KINDS[i % 3]!
    const row = {
      prompt: `${words} topic ${(i * 31) % 97}`,
      model: i % 2 ? 'gpt-x' : 'llama-y',
      source: i % 5 ? 'chat' : 'forms',
      tier: i % 5 ? 'permissive' : 'nc',
      output_tokens: tokens + ((i * 7) % 11),
    }
    return JSON.stringify(row)
  }).join('\n')
}

function hostWith(files: Readonly<Record<string, string | Uint8Array>>): FakeHost {
  const host = createFakeHost()
  for (const [name, content] of Object.entries(files)) host.files.set(name, content)
  return host
}

const trained = async (): Promise<FakeHost> => {
  const host = hostWith({ 'train.jsonl.gz': gzipSync(lines(600)), 'valid.jsonl': lines(120, 7000) })
  const argv = ['train', 'train.jsonl.gz', '--out', 'm', '--bits', '12']
  expect(await main(['predict-length', ...argv], host)).toBe(0)
  return host
}

describe('trimtab predict-length', () => {
  it('train names what it learnt from and writes a predictor', async () => {
    const host = await trained()
    expect(host.out()).toMatch(/source +tier +rows\nforms +nc +120\nchat +permissive +480\n/)
    expect(host.out()).toMatch(/model +p25 +p50 +p75 +p99\n/)
    expect(host.out()).toContain('600 rows, 4 passes')
    expect(host.err()).toContain('4/4 passes')
    expect(host.files.get('m')).toBeInstanceOf(Uint8Array)
  })

  it('train gives the same bytes for the same rows and seed, and keeps to the rows asked for', async () => {
    const files = { a: lines(90) }
    const hosts = [hostWith(files), hostWith(files)]
    for (const host of hosts)
      await main(['predict-length', 'train', 'a', '--where', 'tier=permissive', '--out', 'm', '--json'], host)
    const [one, other] = hosts.map((host) => Buffer.from(host.files.get('m') as Uint8Array).toString('base64'))
    expect(one).toBe(other)
    expect(JSON.parse(hosts[0]!.out())).toMatchObject({
      format: 'trimtab-length-training',
      rows: 72,
      sources: [{ name: 'chat', tier: 'permissive', rows: 72 }],
      settings: { file: 'a', where: 'tier=permissive' },
    })
  })

  it('eval scores all rows, each source and each model', async () => {
    const host = await trained()
    expect(await main(['predict-length', 'eval', 'valid.jsonl', '--model', 'm', '--json'], host)).toBe(0)
    const report = JSON.parse(host.out().slice(host.out().indexOf('{')))
    expect(report).toMatchObject({ format: 'trimtab-length-evaluation', file: 'valid.jsonl', learning: null })
    expect(report.all.rows).toBe(120)
    expect(report.all.order).toBeGreaterThan(0.75)
    expect(report.sources.map((one: { name: string }) => one.name).sort()).toEqual(['chat', 'forms'])
    expect(report.models).toHaveLength(2)
    expect(report.predictor.trainedOn.map((one: { rows: number }) => one.rows)).toEqual([120, 480])
    expect(report.confusion.flat().reduce((a: number, b: number) => a + b)).toBe(120)
  })

  it('eval with --learn shows the shipped weights learn, on the terminal and on a page', async () => {
    const host = hostWith({ 'mine.jsonl': lines(120, 7000), 'before.jsonl': lines(400) })
    const argv = ['eval', 'mine.jsonl', '--learn', 'before.jsonl', '--report', 'r.html']
    expect(await main(['predict-length', ...argv], host)).toBe(0)
    expect(host.out()).toContain('shipped weights, trained on')
    const curve = host.out().slice(host.out().indexOf('as it learns from before.jsonl')).split('\n')
    const orders = curve.slice(2).flatMap((line) => (/\d/.test(line) ? [Number(line.trim().split(/\s+/).at(-1))] : []))
    expect(orders.at(-1)).toBeGreaterThan(orders[0]!)
    const page = String(host.files.get('r.html'))
    expect(page).not.toMatch(/https?:\/\//)
    const json = /<script type="application\/json" id="trimtab-length">(.*?)<\/script>/s.exec(page)![1]!
    expect(JSON.parse(json).learning.curve[0].finished).toBe(0)
    expect(page).toContain('class="line p0"')
  })

  it('run predicts prompts given as arguments and as lines of stdin', async () => {
    const host = await trained()
    host.files.set('-', 'Answer yes or no: rain\n\nWrite a long essay on rain\n')
    const before = host.out().length
    await main(['predict-length', 'run', '-', '--model', 'm', '--name', 'gpt-x', '--max-tokens', '300', '--json'], host)
    const rows = host
      .out()
      .slice(before)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map((row: { prompt: string }) => row.prompt)).toEqual([
      'Answer yes or no: rain',
      'Write a long essay on rain',
    ])
    expect(rows[0].tokens).toBeLessThan(60)
    expect(rows[1].tokens).toBeGreaterThan(100)
    expect(rows[1].tokens).toBeLessThanOrEqual(300)
    const plain = createFakeHost()
    expect(await main(['predict-length', 'run', 'Hello there'], plain)).toBe(0)
    expect(plain.out()).toMatch(/tokens +class +score +prompt\n +\d+ +\d +\d\.\d\d +Hello there\n/)
  })

  it.each([
    [['train', 'a'], /--out is missing/],
    [['train', '--out', 'm'], /name one file/],
    [['train', 'missing', '--out', 'm'], /missing cannot be read/],
    [['train', 'a', '--out', '/forbidden/m'], /cannot be written/],
    [['train', 'a', '--out', 'm', '--where', 'tier'], /--where must be FIELD=TEXT/],
    [['train', 'a', '--out', 'm', '--where', 'tier=gold'], /a has no row with tier=gold/],
    [
      ['train', 'bad', '--out', 'm'],
      /bad, line 1: no JSON[\s\S]*line 2: prompt must be a text[\s\S]*line 3: output_tokens/,
    ],
    [['train', 'empty', '--out', 'm'], /empty holds no rows/],
    [['eval', 'a', '--model', 'a'], /--model a cannot be used/],
    [['run'], /a prompt is missing/],
    [['guess'], /unknown command "guess"/],
  ])('%j ends with 2 and says what is wrong', async (argv, message) => {
    const host = hostWith({
      a: lines(20),
      empty: '\n',
      bad: 'x\n{"prompt":1}\n{"prompt":"a","model":"b","output_tokens":-1}',
    })
    expect(await main(['predict-length', ...argv], host)).toBe(2)
    expect(host.err()).toMatch(message)
    expect(host.files.has('m')).toBe(false)
  })
})
