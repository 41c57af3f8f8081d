import type { AutoscalingReport } from '@trimtab/studies'
import { describe, expect, it } from 'vitest'
import { renderReport } from '../src/report/index.js'
import { linearScale, logScale, timeTicks } from '../src/report/scale.js'
import { createSampleReport } from './sample-report.js'

const numbersIn = (html: string): AutoscalingReport =>
  JSON.parse(/<script type="application\/json" id="trimtab-report">(.*?)<\/script>/s.exec(html)![1]!)

describe('renderReport', () => {
  const report = createSampleReport()
  const html = renderReport(report)

  it('loads nothing: no address, no import, no external file', () => {
    expect(html).not.toMatch(/\b(?:https?:)?\/\/[a-z]/i)
    expect(html).not.toMatch(/<(?:link|script|img|iframe)[^>]+(?:src|href)=(?!"data:)/i)
    expect(html).not.toMatch(/@import|url\(/)
  })

  it('carries its numbers as JSON, six digits each', () => {
    const numbers = numbersIn(html)
    expect(numbers.settings).toEqual(report.settings)
    expect(numbers.controllers[3]!.reward.mean).toBe(172.3)
    expect(numbers.timelines).toHaveLength(report.timelines.length)
    expect(numbers.timelines[3]!.p99Ms[17]).toBeCloseTo(report.timelines[3]!.p99Ms[17]!, 2)
  })

  it('shows every controller, application and finding', () => {
    for (const { label } of report.controllers) expect(html).toContain(`</svg>${label}</th>`)
    for (const app of report.settings.apps) expect(html).toContain(`<th scope="row">${app}</th>`)
    for (const finding of report.findings) expect(html).toContain(`<li>${finding}</li>`)
  })

  it('draws six charts for each application', () => {
    expect(html.match(/<figure class="chart" data-field=/g)).toHaveLength(6 * report.settings.apps.length)
  })

  it('draws no number that is not one', () => {
    expect(html.replace(/<script.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('shows text from outside as text', () => {
    const evil = '</script><script>alert(1)</script>"&'
    const { settings, timelines, results } = report
    const apps = [evil, ...settings.apps.slice(1)]
    const rename = <T extends { readonly app: string }>(one: T): T =>
      one.app === settings.apps[0] ? { ...one, app: evil } : one
    const page = renderReport({
      ...report,
      settings: { ...settings, apps, load: evil },
      timelines: timelines.map(rename),
      results: results.map(rename),
    })
    expect(page).not.toContain('<script>alert')
    expect(numbersIn(page).settings.load).toBe(evil)
  })

  it.each([
    ['no learner', { controllers: report.controllers.filter(({ kind }) => kind !== 'learner'), curves: [] }],
    ['no rule', { controllers: report.controllers.filter(({ kind }) => kind !== 'rule') }],
    ['no bound', { controllers: report.controllers.filter(({ kind }) => kind !== 'bound') }],
    ['no timeline', { timelines: [] }],
    ['no finding', { findings: [] }],
    [
      'gaps in a measurement',
      {
        timelines: report.timelines.map((one) => ({
          ...one,
          p99Ms: one.p99Ms.map((v, i) => (i % 3 ? v : Number.NaN)),
        })),
      },
    ],
    [
      'one step only',
      {
        timelines: report.timelines.map((one) =>
          Object.assign({ ...one }, { p99Ms: [50], requestsPerSecond: [9], replicas: [2], requestedCores: [1] }),
        ),
      },
    ],
  ] satisfies [string, Partial<AutoscalingReport>][])('renders a report with %s', (_, overrides) => {
    const page = renderReport(createSampleReport(overrides))
    expect(page).toContain('</html>')
    expect(page.replace(/<script.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('scales', () => {
  it('put round numbers on a linear axis', () => {
    expect(linearScale(0, 87).ticks.map(({ text }) => text)).toEqual(['0', '25', '50', '75', '100'])
  })
  it('put decades on a logarithmic axis and hold outliers at its edge', () => {
    const scale = logScale(1, 1000)
    expect(scale.ticks.map(({ text }) => text)).toEqual(['1', '10', '100', '1000'])
    expect([scale.to01(10), scale.to01(1e9), scale.to01(0)]).toEqual([expect.closeTo(1 / 3), 1, 0])
  })
  it.each([
    [1500, 'min'],
    [80_000, 'h'],
    [700_000, 'd'],
  ])('count %d seconds in %s', (seconds, unit) => {
    expect(timeTicks(seconds).unit).toBe(unit)
  })
})
