// Small inputs that once went wrong, and what is right; through the library and through the command.
import { readFileSync } from 'node:fs'
import { criticalPath, JoinedTraces, Repairs, type Trace } from '@trimtab/trace'
import { describe, expect, it } from 'vitest'
import { main } from '../../packages/cli/src/main.js'
import { createFakeHost } from '../../packages/cli/test/fake-host.js'

const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(`./cases/${name}`, import.meta.url)))

async function read(...names: string[]): Promise<{ traces: Trace[]; counts: object }> {
  const repairs = new Repairs()
  const inputs = names.map((name) => ({ name, open: () => bytesOf(name) }))
  const traces: Trace[] = []
  for await (const trace of new JoinedTraces(inputs).read({ repairs })) {
    traces.push(trace)
    repairs.merge(trace.repairs)
  }
  return { traces, counts: Object.fromEntries(repairs.list().map(({ code, count }) => [code, count])) }
}

const pathOf = (trace: Trace): string =>
  criticalPath(trace)
    .map(({ span, startUs, endUs }) => `${span.id} ${startUs}–${endUs}`)
    .join(', ')
const latencyUs = ({ root, startNs, endNs }: Trace): number => (endNs[root]! - startNs[root]!) / 1000

async function profile(...names: string[]): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost()
  for (const name of names) host.files.set(name, bytesOf(name))
  const code = await main(['trace', 'profile', ...names, '--json'], host)
  return { code, out: host.out(), err: host.err() }
}

async function profiled(...names: string[]): Promise<{ requests: number; spans: number; meanUs: number; err: string }> {
  const { code, out, err } = await profile(...names)
  expect(code).toBe(0)
  const { source, latency } = JSON.parse(out)
  return { requests: source.traces, spans: source.spans, meanUs: latency.meanUs, err }
}

describe('roots', () => {
  it('a span without a parent is the root, although an orphan starts earlier', async () => {
    const { traces, counts } = await read('orphan-earlier.json')
    expect(traces.map(pathOf)).toEqual(['r 1000–1100, k 1100–1800, r 1800–2000'])
    expect(counts).toEqual({ missing_parent: 1, several_roots: 1 })
    expect(await profiled('orphan-earlier.json')).toMatchObject({ requests: 1, meanUs: 1000 })
  })

  it('orphans with other clocks do not change the latency', async () => {
    const { traces, counts } = await read('orphans.jsonl.gz')
    expect(new Set(traces.map(latencyUs))).toEqual(new Set([1000]))
    expect(counts).toMatchObject({ missing_parent: traces.length, several_roots: traces.length })
    expect(await profiled('orphans.jsonl.gz')).toMatchObject({ requests: traces.length, meanUs: 1000 })
  })

  it('a service is looked for below the root before it is among orphans', async () => {
    const text = new TextDecoder().decode(bytesOf('orphan-earlier.json')).replace('"side"', '"back"')
    const host = createFakeHost()
    host.files.set(
      'traces.json',
      text.replace('"operationName":"work","processID":"p"', '"operationName":"work","processID":"q"'),
    )
    expect(await main(['trace', 'profile', 'traces.json', '--service', 'back', '--json'], host)).toBe(0)
    expect(JSON.parse(host.out()).latency.meanUs).toBe(700)
  })

  it('of several parents the first counts, and a span is not its own', async () => {
    const { traces, counts } = await read('two-parents.json')
    expect(traces.map(pathOf)).toEqual([
      'r 0–100, a 100–150, x 150–350, a 350–500, r 500–600, b 600–650, y 650–750, b 750–900, r 900–1000',
    ])
    expect(counts).toEqual({ several_parents: 1, self_parent: 1 })
    const { err } = await profiled('two-parents.json')
    expect(err).toMatch(/several_parents ×1.*\(b1\/x\)/)
    expect(err).toMatch(/self_parent ×1.*\(b1\/y\)/)
  })
})

describe('files', () => {
  it('a trace over two files is one request', async () => {
    const { traces, counts } = await read('split-1.jsonl', 'split-2.jsonl')
    expect(traces.map(({ size }) => size)).toEqual([2])
    expect(traces.map(latencyUs)).toEqual([1000])
    expect(counts).toEqual({})
    expect(await profiled('split-1.jsonl', 'split-2.jsonl')).toEqual({ requests: 1, spans: 2, meanUs: 1000, err: '' })
  })

  it('the same file twice is said, and counts once', async () => {
    const { traces, counts } = await read('split-1.jsonl', 'split-1.jsonl', 'split-2.jsonl')
    expect(traces.map(({ size }) => size)).toEqual([2])
    expect(counts).toEqual({ duplicate_span: 1 })
    const { requests, meanUs, err } = await profiled('split-1.jsonl', 'split-1.jsonl', 'split-2.jsonl')
    expect([requests, meanUs]).toEqual([1, 1000])
    expect(err).toMatch(/mended: duplicate_span ×1: a span came twice/)
  })

  it('lines of a resource and its spans are read', async () => {
    const { traces, counts } = await read('bare.jsonl')
    expect(traces.map(pathOf)).toHaveLength(1)
    expect(traces[0]!.size).toBe(2)
    expect(Array.from(traces[0]!.service, (number) => traces[0]!.names.text(number))).toEqual(['front', 'back'])
    expect(counts).toEqual({})
    expect(await profiled('bare.jsonl')).toMatchObject({ requests: 1, spans: 2, meanUs: 1000 })
  })

  it('a file cut at its front is read from the first whole line on, and that is said', async () => {
    const { traces, counts } = await read('starts-mid-line.jsonl')
    expect(traces.map(({ size }) => size)).toEqual([2])
    expect(counts).toEqual({ truncated_input: 1 })
    const { requests, err } = await profiled('starts-mid-line.jsonl')
    expect(requests).toBe(1)
    expect(err).toMatch(/truncated_input ×1.*first line is cut at its front/)
  })

  it('a foreign format is named with the way out', async () => {
    const message = /sky\.json: .*SkyWalking's JSON; let the OpenTelemetry collector take them/
    await expect(read('sky.json')).rejects.toThrow(expect.objectContaining({ code: 'trace_format_unknown' }))
    await expect(read('sky.json')).rejects.toThrow(message)
    const { code, out, err } = await profile('sky.json')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
  })
})
