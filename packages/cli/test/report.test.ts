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
    expect(numbers.controllers[3]!.relativeCost.mean).toBe(0.893)
    expect(numbers.timelines).toHaveLength(report.timelines.length)
    expect(numbers.timelines[3]!.p99OverSlo[17]).toBeCloseTo(report.timelines[3]!.p99OverSlo[17]!, 4)
  })

  it('shows every controller, application and finding, the verdict, and the mark of the strongest rule', () => {
    for (const { name, label } of report.controllers) {
      expect(html).toContain(`</svg>${label}${name === 'resize' ? ' ★' : ''}</th>`)
    }
    expect(html).toContain(`✓ ${report.verdict!.text}`)
    for (const app of report.settings.apps) expect(html).toContain(`<th scope="row">${app}</th>`)
    for (const finding of report.findings) expect(html).toContain(`<li>${finding}</li>`)
  })

  it('draws six charts of a day and one of the learning part for each application', () => {
    expect(html.match(/<figure class="chart" data-field=/g)).toHaveLength(6 * report.settings.apps.length)
    expect(html.match(/budget 0\.5 %<\/span>/g)).toHaveLength(report.settings.apps.length)
  })

  it('explains decisions and what the guard served', () => {
    expect(html).toContain('0.71 (0.52 to 0.97)')
    expect(html).toContain('1.34 cores: 4.3 % breach')
    expect(html).toContain('none is smaller')
    expect(html).toContain('<td>91.0 %</td>')
    expect(html).toContain('the error budget is used up 1.0 %')
  })

  it('shows no spread of one seed', () => {
    const page = renderReport({ ...report, settings: { ...report.settings, seeds: [1] } })
    expect(page).toContain('<td>0.893<small> ± –</small></td>')
    expect(html).not.toContain('± –')
  })

  it('draws no number that is not one', () => {
    expect(html.replace(/<script.*?<\/script>/gs, '')).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('shows text from outside as text', () => {
    const evil = '</script><script>alert(1)</script>"&'
    const { settings, timelines, results, worlds } = report
    const apps = [evil, ...settings.apps.slice(1)]
    const rename = <T extends { readonly app: string }>(one: T): T =>
      one.app === settings.apps[0] ? { ...one, app: evil } : one
    const page = renderReport({
      ...report,
      settings: { ...settings, apps, load: evil },
      timelines: timelines.map(rename),
      results: results.map(rename),
      worlds: worlds.map(rename),
    })
    expect(page).not.toContain('<script>alert')
    expect(numbersIn(page).settings.load).toBe(evil)
  })

  it.each([
    [
      'no learner',
      { controllers: report.controllers.filter(({ kind }) => kind !== 'learner'), decisions: [], guard: [] },
    ],
    ['no rule', { controllers: report.controllers.filter(({ kind }) => kind !== 'rule') }],
    ['no bound', { controllers: report.controllers.filter(({ kind }) => kind !== 'bound') }],
    ['no timeline', { timelines: [] }],
    ['no finding', { findings: [] }],
    [
      'one day of learning',
      { days: report.days.map((one) => ({ ...one, violationPercent: [0.2], dollarsPerHour: [0.1] })) },
    ],
    [
      'gaps in a measurement',
      {
        timelines: report.timelines.map((one) => ({
          ...one,
          p99OverSlo: one.p99OverSlo.map((v, i) => (i % 3 ? v : Number.NaN)),
        })),
      },
    ],
    [
      'one step only',
      {
        timelines: report.timelines.map((one) =>
          Object.assign({ ...one }, { p99OverSlo: [0.5], requestsPerSecond: [9], replicas: [2], cores: [1] }),
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
