import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hostWith } from '../src/host.js'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'
import { csvOf, jaegerJson, shopRequests } from './sample-traces.js'

const COMMANDS = ['critical-path', 'profile', 'culprits', 'what-if', 'diff']

/** A host with the shop's traces: usual ones, ones with slow ads, one request alone. */
function shop(options?: Parameters<typeof createFakeHost>[0]): FakeHost {
  const host = createFakeHost(options)
  host.files.set('usual.json', jaegerJson(shopRequests(40)))
  host.files.set('slow.json', jaegerJson(shopRequests(30, 5)))
  host.files.set('one.json', jaegerJson(shopRequests(1)))
  return host
}

async function run(argv: readonly string[], host = shop()): Promise<{ code: number; out: string; err: string }> {
  const code = await main(['trace', ...argv], host)
  return { code, out: host.out(), err: host.err() }
}

describe('trimtab trace', () => {
  it('lists its commands with examples', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
    expect(out).toContain('Examples:\n  trimtab trace critical-path')
  })

  it.each(COMMANDS)('explains %s: usage, options, examples, exit codes', async (name) => {
    const { code, out, err } = await run([name, '--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`Usage: trimtab trace ${name} `)
    expect(out).toMatch(/--percentile A-B /)
    expect(out).toContain(`Examples:\n  trimtab trace ${name} `)
    expect(out).toMatch(/\nExit: 0 done/)
  })

  it.each([
    ['no command', [], /trace: a command is missing: critical-path, profile/],
    ['a misspelt command', ['profil'], /unknown command "profil"; did you mean profile\?/],
    ['no file', ['profile'], /a file is missing: name trace files, or - for stdin/],
    ['a file that is not there', ['profile', 'gone.json'], /gone\.json cannot be read: ENOENT/],
    ['stdin twice', ['profile', '-', '-'], /- may stand once/],

    ['percentiles the wrong way round', ['profile', 'one.json', '--percentile', '99-95'], /the smaller first/],
    [
      'a tolerance in words',
      ['profile', 'one.json', '--overlap-tolerance', 'some'],
      /must be auto or a number of micro/,
    ],
    ['a format nobody writes', ['profile', 'one.json', '--format', 'xml'], /--format must be one of table, json/],
    [
      'a report that cannot be written',
      ['profile', 'one.json', '--report', '/forbidden/r.html'],
      /--report \/forbidden/,
    ],
    ['a service that nobody has', ['profile', 'one.json', '--service', 'fron'], /did you mean front\?/],
    ['one side of a comparison', ['diff', 'one.json'], /two files are compared, got 1/],
    ['three sides of a comparison', ['diff', 'one.json', 'one.json', 'one.json'], /two files are compared, got 3/],
    ['a baseline too small to know its noise', ['culprits', 'slow.json', '--baseline', 'one.json'], /at least 8/],
  ])('refuses %s with 2 and a way out', async (_, argv, message) => {
    const { code, out, err } = await run(argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err).toMatch(/Run trimtab trace .*--help/)
  })

  it.each([
    ['words', 'once upon a time'],
    ['nothing at all', ''],
    ['traces without a span', '{"data":[]}'],
  ])('ends with 2 on a file that holds %s, naming it', async (_, text) => {
    const host = shop()
    host.files.set('odd.json', text)
    const { code, err } = await run(['profile', 'odd.json'], host)
    expect(code).toBe(2)
    expect(err).toContain('odd.json')
  })
})

describe('trimtab trace critical-path', () => {
  it('shows the request section by section, with shares that say who owns it', async () => {
    const { code, out } = await run(['critical-path', 'one.json'])
    expect(code).toBe(0)
    const [, latency] = /^latency (8\.\d ms)$/m.exec(out)!
    expect(out).toContain(`front GET /cart · ${latency} · 5 spans · t0000\n`)
    expect(out).toMatch(/ms +\d+\.\d % +db SELECT items$/m)
    expect(out).toMatch(/^owned by cart \d+\.\d %, db /m)
    expect(out).not.toContain('mail')
  })

  it('reads stdin', async () => {
    const host = shop()
    host.files.set('-', host.files.get('one.json')!)
    expect((await run(['critical-path', '-'], host)).out).toContain('files stdin · requests 1')
  })

  it('says the same in JSON: sections in time order that add up to the latency', async () => {
    const answer = JSON.parse((await run(['critical-path', 'one.json', '--json'])).out)
    const [request] = answer.requests
    const sum = request.sections.reduce((all: number, { durationUs }: { durationUs: number }) => all + durationUs, 0)
    expect(sum).toBeCloseTo(request.latencyUs, 6)
    expect(answer).toMatchObject({ command: 'critical-path', source: { traces: 1, spans: 5 }, omittedRequests: 0 })
  })

  it('takes one request of many by its id', async () => {
    const answer = JSON.parse((await run(['critical-path', 'usual.json', '--trace', 't0007', '--json'])).out)
    expect(answer.requests.map(({ traceId }: { traceId: string }) => traceId)).toEqual(['t0007'])
    expect(answer.source).toMatchObject({ traces: 1, setAside: 39 })
  })

  it('begins at the first span of the service that is asked for', async () => {
    const answer = JSON.parse((await run(['critical-path', 'one.json', '--service', 'cart', '--json'])).out)
    expect(answer.requests[0]).toMatchObject({ service: 'cart', operation: 'Load' })
    expect(answer.requests[0].latencyUs).toBeLessThan(6500)
  })

  it('gives spans the attributes to write back, one JSON line each', async () => {
    const { out } = await run(['critical-path', 'usual.json', '--format', 'attributes'])
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(40 * 4)
    expect(Object.keys(lines[0])).toEqual(['traceId', 'spanId', 'attributes'])
  })
})

describe('a table whose traces start at a fraction of a µs', () => {
  it.each(COMMANDS)('is no reason for a stack trace: %s', async (name) => {
    const host = shop()
    host.files.set('fraction.csv', readFileSync(new URL('./fixtures/fraction.csv', import.meta.url), 'utf8'))
    const { code, err } = await run([name, 'fraction.csv', ...(name === 'diff' ? ['one.json'] : [])], host)
    expect(err).not.toContain('    at ')
    expect(code).toBeLessThan(2)
  })
})

describe('trimtab trace profile', () => {
  it('shows who owns the latency of all requests, largest share first', async () => {
    const { out } = await run(['profile', 'usual.json'])
    const rows = out.split('\n').filter((line) => /^(front|cart|db|ads|mail) /.test(line))
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['cart', 'db', 'ads', 'front'])
    expect(out).toMatch(/%.*front › cart › db SELECT items$/m)
  })

  it('takes several files together', async () => {
    const host = shop()
    const later = jaegerJson(shopRequests(30, 5)).replaceAll('"t00', '"u00')
    host.files.set('later.json', later)
    const answer = JSON.parse((await run(['profile', 'usual.json', 'later.json', '--json'], host)).out)
    expect(answer.source).toMatchObject({ files: ['usual.json', 'later.json'], traces: 70 })
  })

  it('keeps stdin beside other files for the second reading', async () => {
    const host = shop()
    host.files.set('-', jaegerJson(shopRequests(30, 5)).replaceAll('"t00', '"u00'))
    const answer = JSON.parse((await run(['profile', 'usual.json', '-', '--json'], host)).out)
    expect(answer.source).toMatchObject({ traces: 70 })
  })

  it('takes a file twice for what it is', async () => {
    const { out, err } = await run(['profile', 'usual.json', 'usual.json', '--json'])
    expect(JSON.parse(out).source).toMatchObject({ traces: 40 })
    expect(err).toMatch(/mended: duplicate_span ×1\d\d: a span came twice/)
  })

  it('says which of several files holds nothing', async () => {
    const host = shop()
    host.files.set('empty.json', '{"data":[]}')
    const { code, err } = await run(['profile', 'usual.json', 'empty.json'], host)
    expect(code).toBe(0)
    expect(err).toMatch(/mended: empty_input ×1: .*\(empty\.json\)/)
  })

  it('says why a file holds no request', async () => {
    const host = shop()
    host.files.set('spans.json', '{"traceID":"a","spanID":"b"}')
    const { code, err } = await run(['profile', 'spans.json'], host)
    expect(code).toBe(2)
    expect(err).toMatch(
      /spans\.json: no trace in it that could be used \(unreadable_input ×1: byte 0: an object without/,
    )
  })

  it('unpacks zstd where the host can, and names the way out where nothing can', async () => {
    const host = shop()
    host.files.set('usual.json.zst', new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0]))
    const { code, err } = await run(['profile', 'usual.json.zst'], host)
    expect(code).toBe(2)
    expect(err).toMatch(/usual\.json\.zst: the input is zstd, which|usual\.json\.zst: .*zstd that cannot be unpacked/)
    const zstd = () =>
      new TransformStream<BufferSource, Uint8Array>({
        flush: (controller) => controller.enqueue(new TextEncoder().encode(jaegerJson(shopRequests(2)))),
        transform: () => undefined,
      })
    const able = createFakeHost()
    able.files.set('usual.json.zst', host.files.get('usual.json.zst')!)
    const { out } = await run(['profile', 'usual.json.zst', '--json'], hostWith(able, { zstd }) as FakeHost)
    expect(JSON.parse(out).source).toMatchObject({ traces: 2 })
  })

  it('takes only the requests between two percentiles', async () => {
    const whole = JSON.parse((await run(['profile', 'usual.json', '--json'])).out)
    const tail = JSON.parse((await run(['profile', 'usual.json', '--json', '--percentile', '75-100'])).out)
    expect(tail.source).toMatchObject({ traces: 10, setAside: 30 })
    expect(tail.latency.meanUs).toBeGreaterThan(whole.latency.p90Us * 0.95)
  })

  it.each([
    ['folded', /^front: GET \/cart;cart: Load;db: SELECT items \d+$/m],
    ['speedscope', /^\{"\$schema":"https:\/\/www\.speedscope\.app\/file-format-schema\.json"/],
    ['prometheus', /^trimtab_critical_path_self_seconds_count\{service="cart"\} 40$/m],
    ['html', /^<!doctype html>/],
  ])('writes %s to stdout', async (format, expected) => {
    expect((await run(['profile', 'usual.json', '--format', format])).out).toMatch(expected)
  })

  it('writes the answer and the page to files, and says so on stderr', async () => {
    const host = shop()
    const { out, err } = await run(['profile', 'usual.json', '--json', '--out', 'p.json', '--report', 'p.html'], host)
    expect(out).toBe('')
    expect(err).toBe('written: p.json\nwritten: p.html\n')
    expect(JSON.parse(String(host.files.get('p.json'))).latency.count).toBe(40)
    expect(host.files.get('p.html')).toContain('<!doctype html>')
  })

  it('tells what had to be mended, on stderr in words and in the JSON by code', async () => {
    const host = shop()
    const [request] = shopRequests(1)
    const late = request!.map((span) => (span.id === 'd4' ? { ...span, durationUs: 50_000 } : span))
    host.files.set('late.json', jaegerJson([late]))
    const { out, err } = await run(['profile', 'late.json', '--json'], host)
    expect(err).toContain("mended: clamped ×1: a child reached beyond its parent; it was cut to the parent's window")
    expect(JSON.parse(out).repairs).toMatchObject([{ code: 'clamped', count: 1, examples: ['t0000/d4'] }])
  })

  it('bounds its lists by --top and says what the rest amounts to', async () => {
    const { out } = await run(['profile', 'usual.json', '--top', '2'])
    expect(out).toMatch(/^2 more rows with \d+\.\d % together \(--top 4 shows all\)$/m)
    const { profile } = JSON.parse((await run(['profile', 'usual.json', '--top', '2', '--json'])).out)
    expect([profile.services.length, profile.omittedServices.count]).toEqual([2, 3]) // mail, on no path, is counted too
  })

  it('shows progress with the rate when reading takes long', async () => {
    const host = shop()
    const readBytes = host.readBytes
    const slow = {
      ...host,
      readBytes: async function* (path: string) {
        for await (const piece of readBytes(path)) {
          host.advance(1500)
          yield piece
        }
      },
    }
    await main(['trace', 'profile', 'usual.json'], slow)
    expect(host.err()).toMatch(/\d+ % · 0\.0\/0\.\d MiB · [\d.]+ MiB\/s · .*spans\/s · usual\.json/)
  })
})

describe('trimtab trace culprits', () => {
  it('ranks the service that changed first, with reasons', async () => {
    const { code, out } = await run(['culprits', 'slow.json', '--baseline', 'usual.json'])
    expect(code).toBe(0)
    expect(out).toMatch(/^ 1\. ads .*% sure\n {6}\S/m)
  })

  it('says the same in JSON and on the page', async () => {
    const host = shop()
    const argv = ['culprits', 'slow.json', '--baseline', 'usual.json', '--json', '--report', 'c.html']
    const { suspects } = JSON.parse((await run(argv, host)).out).culprits
    expect(suspects[0]).toMatchObject({ service: 'ads', whatIf: { changes: [{ service: 'ads', isAsUsual: true }] } })
    expect(suspects[0].whatIf.gain01).toBeGreaterThan(0.4) // five times as slow, then as before
    expect(host.files.get('c.html')).toContain(suspects[0].reasons[0].replace(/'/g, '&#39;'))
  })

  it('says how sure it is only with a baseline', async () => {
    const host = shop()
    const argv = ['culprits', 'slow.json', '--report', 'c.html']
    const { out } = await run(argv, host)
    const { suspects } = JSON.parse((await run(['culprits', 'slow.json', '--json'])).out).culprits
    expect(suspects.length).toBeGreaterThan(0)
    expect(JSON.stringify(suspects)).not.toContain('probability')
    expect(out).toMatch(/^ 1\. \w+ +score \d/m)
    expect(`${out}${host.files.get('c.html')}`).not.toMatch(/\d % sure/)
  })

  it('ends with 1 when nothing stands out', async () => {
    const { code, err } = await run(['culprits', 'usual.json', '--baseline', 'usual.json'])
    expect(code).toBe(1)
    expect(err).toContain('no service stands out')
  })

  it('is judged on incidents with known culprits, beside simpler methods', async () => {
    const host = shop()
    host.files.set('spans.csv', csvOf({ ok: shopRequests(40), f1: shopRequests(20, 5), f2: shopRequests(20, 9) }))
    host.files.set('faults.csv', 'fault_id,root_cause_service,fault_type\nf1,ads,cpu\nf2,ads,delay\nf3,db,delay\n')
    const { code, out } = await run(['culprits', 'spans.csv', '--labels', 'faults.csv'], host)
    expect(code).toBe(0)
    expect(out).toMatch(/^trimtab +2 +100 % +100 % +1\.000$/m)
    expect(out).toMatch(/^guessing +2 /m)
    expect(out).toMatch(/^f1 +cpu +ads +1 +ads /m)
  })

  it.each([
    ['without the columns it needs', 'service,fault\n', /must begin with a line of column names, fault_id and root/],
    ['of incidents that are not there', 'fault_id,root_cause_service\nx9,cart\n', /no trace belongs to an incident/],
  ])('refuses labels %s', async (_, labels, message) => {
    const host = shop()
    host.files.set('faults.csv', labels)
    const { code, err } = await run(['culprits', 'usual.json', '--labels', 'faults.csv'], host)
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

describe('trimtab trace diff', () => {
  it('ends with 1 when requests got slower, and says which service did', async () => {
    const { code, out } = await run(['diff', 'usual.json', 'slow.json'])
    expect(code).toBe(1)
    expect(out).toMatch(/^mean .*\+\d\.\d ms/m)
    const [, change] = /In the same mix of endpoints, a request takes .* \((\+[\d.]+ %)\)/.exec(out)!
    expect(out).toContain(`and mean ${change},`) // one figure, wherever it stands
    const [first] = out.slice(out.indexOf('of the change')).split('\n').slice(1)
    expect(first).toMatch(/^ads .*\+\d\.\d ms +\+?(100|99\.\d) %/)
  })

  it('ends with 0 when they got faster or nothing changed', async () => {
    expect((await run(['diff', '--before', 'slow.json', '--after', 'usual.json'])).code).toBe(0)
    expect((await run(['diff', 'usual.json', 'usual.json'])).code).toBe(0)
  })
})

describe('trimtab trace what-if', () => {
  const gains = (answer: { whatIf: { changes: { service: string }[]; gain01: number }[] }) =>
    Object.fromEntries(
      answer.whatIf.map(({ changes, gain01 }) => [changes.map(({ service }) => service).join(), gain01]),
    )

  it('asks what each of the heaviest services would buy at twice the speed', async () => {
    const answer = JSON.parse((await run(['what-if', 'usual.json', '--json'])).out)
    const gain = gains(answer)
    expect(Object.keys(gain).sort()).toEqual(['ads', 'cart', 'db', 'front'])
    // The calls of this shop come one after the other: half of a service's time is what it buys.
    const { profile } = JSON.parse((await run(['profile', 'usual.json', '--json'])).out)
    for (const { service, share } of profile.services) if (share > 0) expect(gain[service]).toBeCloseTo(share / 2, 2)
  })

  it('shows the change that was asked for, alone and with others', async () => {
    const { code, out } = await run(['what-if', 'usual.json', '--speed-up', 'cart=2', '--slow-down', 'db=3'])
    expect(code).toBe(0)
    expect(out).toMatch(/^cart 2× as fast .* \+\d\d\.\d % /m)
    expect(out).toMatch(/^db 3× as slow .* −\d\d\.\d % /m)
    expect(out).toMatch(/^cart 2× as fast, db 3× as slow /m)
  })

  it('reads stdin, and keeps it for the second reading', async () => {
    const host = shop()
    host.files.set('-', host.files.get('usual.json')!)
    const answer = JSON.parse((await run(['what-if', '-', '--json', '--percentile', '50-100'], host)).out)
    expect(answer.source).toMatchObject({ traces: 20, setAside: 20 })
    expect(gains(answer)).toHaveProperty('cart')
  })

  it.each([
    ['a service that no request reaches', ['--speed-up', 'crt=2'], /no request reaches crt; did you mean cart\?/],
    [
      'no factor',
      ['--speed-up', 'cart'],
      /--speed-up must be the name of a service, or FROM->TO, then = and a number above 0/,
    ],
    ['what it was, without what was', ['--as-baseline', 'cart'], /--as-baseline needs --baseline/],
    ['half a way', ['--speed-up', 'cart->=2'], /must be the name of a service, or FROM->TO/],
    ['a way that no request takes', ['--speed-up', 'cart->front=2'], /no request reaches cart → front/],
    ['a factor of zero', ['--slow-down', 'cart=0'], /a number above 0, got "cart=0"/],
    ['a mode that does not say who waited', ['--mode', 'firm'], /--mode must be blocking here, got firm/],
  ])('refuses %s', async (_, argv, message) => {
    const { code, err } = await run(['what-if', 'usual.json', ...argv])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

/** 200 ms of network in front of cart, half before and half after; every service's own work unchanged. */
describe('time between two services', () => {
  const network = (): FakeHost => {
    const host = shop()
    for (const side of ['before', 'after'])
      host.files.set(side, readFileSync(new URL(`./fixtures/network-${side}.jsonl.gz`, import.meta.url)))
    return host
  }
  const answer = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'], network())).out)
  interface Way {
    readonly caller?: string
    readonly service?: string
    readonly callee?: string
  }
  const isWay = ({ caller, service, callee }: Way) => (caller ?? service) === 'frontend' && callee === 'cart'

  it('is one figure in profile, diff, culprits and what-if, within 1 % of what was added', async () => {
    const [before, after] = [await answer('profile', 'before'), await answer('profile', 'after')]
    const mean = ({ profile }: typeof before) => profile.edges.find(isWay).meanUs / 1000
    const { diff } = await answer('diff', 'before', 'after')
    const row = diff.services.find(isWay)
    const { culprits } = await answer('culprits', 'after', '--baseline', 'before')
    const { whatIf, latency } = await answer(
      'what-if',
      'after',
      '--baseline',
      'before',
      '--as-baseline',
      'frontend->cart',
    )
    const added = {
      profile: mean(after) - mean(before),
      diff: (row.afterUs - row.beforeUs) / 1000,
      culprits: culprits.suspects[0].slower.find(isWay).addedUs / 1000,
      whatIf: (latency.meanUs - whatIf[0].meanUs) / 1000,
    }
    for (const [command, ms] of Object.entries(added)) expect(Math.abs(ms / 200 - 1), command).toBeLessThan(0.01)
  })

  it('is what culprits names, and the fix that it counts', async () => {
    const { out } = await run(['culprits', 'after', '--baseline', 'before'], network())
    expect(out).toMatch(/^ 1\. cart \(frontend → cart\) .*% sure$/m)
    expect(out).toMatch(/with frontend → cart as in the baseline, requests would take 90\.\d % less/)
  })

  it('is no work of either service: only its own row grows', async () => {
    const { diff } = await answer('diff', 'before', 'after')
    expect(diff.services.map(({ service, callee }: Way) => [service, callee])).toEqual([['frontend', 'cart']])
  })

  it('is at most gained by a faster service, whose queue it may be', async () => {
    const { whatIf } = await answer('what-if', 'after', '--speed-up', 'cart=2')
    expect(whatIf[0].gain01).toBeLessThan(0.01) // of cart's own 3 ms
    expect(whatIf[0].optimistic01).toBeGreaterThan(0.45)
  })

  it('shows the requests as they are beside what they would be, and nothing above the slowest of them', async () => {
    const { out } = await run(['what-if', 'after', '--speed-up', 'cart=1.000001'], network())
    const [, mean, p50, p99] = /^now +(\S+) ms +(\S+) ms +(\S+) ms/m.exec(out)!
    expect([mean, p50, p99].map(Number)).toEqual([220.4, 220.8, 220.8])
  })

  it('makes diff end with 1, by a rank test', async () => {
    const { code, out } = await run(['diff', 'before', 'after'], network())
    expect(code).toBe(1)
    expect(out).toContain('A request after takes longer than one before in 100 % of all pairs')
    expect(out).toContain('Complete: 100 % of the requests before, 100 % after.')
  })
})
