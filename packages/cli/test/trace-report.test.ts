import { type CriticalPath, createTraceCoreSync, PathFinder, type Span, traceFromSpans } from '@trimtab/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import { TraceAnalysis } from '../src/trace/analysis.js'
import { flameOf } from '../src/trace/flame.js'
import { renderPartsStyle, renderTraceParts, renderTraceReport } from '../src/trace/report/index.js'
import { timeAxis } from '../src/trace/report/time-axis.js'
import type { TraceReport, WaterfallRows } from '../src/trace/report/types.js'
import { waterfallOf } from '../src/trace/waterfall.js'
import { shopRequests } from './sample-traces.js'

const pathOf = (spans: readonly Span[]): CriticalPath => {
  const finder = new PathFinder(createTraceCoreSync())
  const path = finder.find(traceFromSpans(spans))
  finder.dispose()
  return path
}

function reportOf(traces: readonly (readonly Span[])[], rest: Partial<TraceReport> = {}): TraceReport {
  const analysis = new TraceAnalysis(5)
  for (const spans of traces) analysis.add(pathOf(spans))
  return { ...analysis.report('profile', ['shop.json'], { mode: 'blocking', overlapTolerance: 0 }), ...rest }
}

/** Everything that a report can hold at once. */
const findings: Partial<TraceReport> = {
  culprits: {
    against: 'compared',
    suspects: [{ service: 'ads', score: 3, probability01: 0.9, reasons: ['slow <now>'] }],
  },
  whatIf: [
    {
      changes: [{ service: 'ads', speedUp: 2 }],
      meanUs: 7000,
      p50Us: 7000,
      p99Us: 8000,
      gain01: 0.1,
      pessimistic01: 0.05,
      optimistic01: 0.12,
      requests: 20,
    },
  ],
}

describe('a trace in which nothing can gain', () => {
  it('still has its page', () => {
    expect(renderTraceReport(reportOf([shopRequests(1)[0]!], { services: [], whatIf: [] }))).toContain('Latency')
  })
})

describe('the parts in somebody else’s page', () => {
  it('have a sheet that touches nothing outside them', () => {
    const sheet = renderPartsStyle('.mine').replace(/(:root[^{]*)\{[^}]*\}/g, '')
    expect(sheet).toMatch(/^\.mine\{.*\}$/s)
    let depth = 0
    const closings = [...sheet].flatMap((letter, i) => {
      depth += letter === '{' ? 1 : letter === '}' ? -1 : 0
      return letter === '}' && depth === 0 ? [i] : []
    })
    expect(closings).toEqual([sheet.length - 1])
  })

  it('count the services that are folded away as more, not as mores', () => {
    const report = reportOf(shopRequests(2))
    const many = Array.from({ length: 15 }, (_, i) => ({ ...report.services[0]!, service: `s${i}` }))
    expect(renderTraceParts({ ...report, services: many })).toContain('<summary>3 more with ')
  })
})

describe('renderTraceReport', () => {
  let report: TraceReport
  let html: string
  beforeAll(() => {
    report = reportOf(shopRequests(20), findings)
    html = renderTraceReport(report)
  })
  const numbersIn = (page: string): TraceReport =>
    JSON.parse(/<script type="application\/json" id="trimtab-trace">(.*?)<\/script>/s.exec(page)![1]!)

  it('loads nothing: no address, no import, no external file', () => {
    expect(html).not.toMatch(/\b(?:https?:)?\/\/[a-z]/i)
    expect(html).not.toMatch(/<(?:link|script|img|iframe)[^>]+(?:src|href)=(?!"data:)/i)
    expect(html).not.toMatch(/@import|url\(/)
  })

  it('carries its numbers as JSON', () => {
    const numbers = numbersIn(html)
    expect(numbers.source).toEqual(report.source)
    expect(numbers.services.map(({ service }) => service)).toEqual(['cart', 'db', 'ads', 'front'])
  })

  it('has a section for everything that was found, each with a heading', () => {
    const headings = [...html.matchAll(/<h2 id="[a-z-]+">([^<]+)<\/h2>/g)].map(([, text]) => text)
    expect(headings).toEqual([
      'Suspects',
      'Critical path of a request',
      'Where the time goes',
      'Who owns the latency',
      'What a fix would buy',
      'Requests',
      'Repairs',
    ])
  })

  it('draws no number that is not one', () => {
    expect(html.replace(/<script.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('shows text from outside as text', () => {
    const evil = '</script><script>alert(1)</script>"\'&'
    const named = shopRequests(9).map((spans) => spans.map((span) => ({ ...span, service: evil, operation: evil })))
    const page = renderTraceReport(
      reportOf(named, { source: { files: [evil], traces: 9, spans: 45, setAside: 0, complete01: 1 } }),
    )
    expect(page).not.toContain('<script>alert')
    expect(numbersIn(page).source.files).toEqual([evil])
    expect(html).toContain('slow &lt;now&gt;')
  })

  it.each([
    ['one request', shopRequests(1)],
    ['a request that takes no time', [[{ id: 'a', service: 's', operation: 'o', startUs: 5, durationUs: 0 }]]],
    ['a span without an operation', [[{ id: 'a', service: 's', operation: '', startUs: 0, durationUs: 5 }]]],
  ])('renders %s', (_, traces) => {
    const page = renderTraceReport(reportOf(traces))
    expect(page).toContain('</html>')
    expect(page.replace(/<script.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/)
  })
})

/** A gateway that calls one service after the other, each with ten calls of its own at once. */
const wide = (children: number): Span[] => [
  { id: 'root', service: 'gate', operation: 'GET', startUs: 0, durationUs: children * 1000 },
  ...Array.from({ length: children }, (_, i): Span[] => [
    {
      id: `c${i}`,
      parentId: 'root',
      service: `s${i % 7}`,
      operation: 'call',
      startUs: i * 1000,
      durationUs: 1000 - (i % 13),
    },
    ...Array.from({ length: 10 }, (_, j) => ({
      ...{ id: `c${i}.${j}`, parentId: `c${i}`, service: 'db', operation: 'read' },
      ...{ startUs: i * 1000 + 10, durationUs: 20 + j },
    })),
  ]).flat(),
]
const deep = (levels: number): Span[] =>
  Array.from({ length: levels }, (_, i) => ({
    id: String(i),
    parentId: i === 0 ? undefined : String(i - 1),
    service: `s${i % 5}`,
    operation: 'call',
    startUs: i,
    durationUs: 2 * (levels - i),
  }))

describe('waterfallOf', () => {
  it('shows a small request span by span, callers before callees, in order of their start', () => {
    const { rows, full } = waterfallOf(pathOf(shopRequests(1)[0]!), 'the request')
    expect(rows.map(({ service, depth }) => `${depth} ${service}`)).toEqual([
      '0 front',
      '1 cart',
      '2 db',
      '1 ads',
      '1 mail',
    ])
    expect(rows.map(({ isBackground }) => isBackground)).toEqual([false, false, false, false, true])
    expect(full).toBeUndefined()
  })

  it.each([
    ['ten thousand calls one after the other', wide(1000)],
    ['a hundred thousand calls inside each other', deep(100_000)],
    ['sixty spans', wide(6)],
  ])('folds %s into rows a person can read, and loses neither span nor time', (_, spans) => {
    const path = pathOf(spans)
    const view = waterfallOf(path, 'slowest')
    const check = ({ rows, path: pieces }: WaterfallRows, most: number) => {
      expect(rows.length).toBeLessThanOrEqual(most)
      expect(rows.reduce((sum, row) => sum + row.spans, 0)).toBe(spans.length)
      expect(rows.reduce((sum, row) => sum + row.selfUs, 0)).toBeCloseTo(view.latencyUs, 3)
      // The pieces tile the request.
      expect([pieces[0]![1], pieces.at(-1)![2]]).toEqual([0, view.latencyUs])
      for (let i = 1; i < pieces.length; i++) expect(pieces[i]![1]).toBeCloseTo(pieces[i - 1]![2], 6)
      for (const [row] of pieces) expect(rows[row]).toBeDefined()
    }
    check(view, 2 * 40)
    if (view.full) check(view.full, 2 * 250)
  })

  it('keeps what runs on far behind the request from squeezing it', () => {
    const [spans] = shopRequests(1)
    const { toUs, latencyUs } = waterfallOf(pathOf(spans!), 'the request') // the mail takes ten times as long
    expect(toUs).toBeLessThanOrEqual(latencyUs * 1.2 + 1)
  })
})

describe('flameOf', () => {
  it('keeps the widest call paths with everything above them', () => {
    const analysis = new TraceAnalysis(5)
    analysis.add(pathOf(deep(10_000)))
    const flame = flameOf(analysis.tree.finish(), 1)
    expect(flame.parent.length).toBeLessThanOrEqual(3000)
    expect(flame.parent.length + flame.omitted).toBe(10_000)
    flame.parent.forEach((caller, node) => {
      expect(caller).toBeLessThan(node)
      if (caller >= 0) expect(flame.wholeUs[caller]).toBeGreaterThanOrEqual(flame.wholeUs[node]!)
    })
  })

  it('holds the whole time at its foot', () => {
    const analysis = new TraceAnalysis(5)
    for (const spans of shopRequests(7)) analysis.add(pathOf(spans))
    const { totalUs, wholeUs, parent } = flameOf(analysis.tree.finish(), 7)
    const foot = wholeUs.filter((_, node) => parent[node]! < 0).reduce((sum, us) => sum + us, 0)
    expect(foot).toBeCloseTo(totalUs, 6)
    expect(totalUs).toBeCloseTo(analysis.profile.latency.sumNs / 1e3, 6)
  })
})

describe('timeAxis', () => {
  it.each([
    [0, 350_100, ['0', '100 ms', '200 ms', '300 ms']],
    [0, 20_670_000, ['0', '5 s', '10 s', '15 s', '20 s']],
    [-20, 100, ['0', '25 µs', '50 µs', '75 µs', '100 µs']],
    [0, 0, ['0']],
  ])('puts round moments between %d and %d µs', (from, to, texts) => {
    expect(timeAxis(from, to).map(({ text }) => text)).toEqual(texts)
  })
})
