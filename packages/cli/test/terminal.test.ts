import { describe, expect, it } from 'vitest'
import { formatReport } from '../src/autoscale/summary.js'
import { createPaint, formatTable } from '../src/terminal.js'
import { createFakeHost } from './fake-host.js'
import { createSampleReport } from './sample-report.js'

const plain = createPaint({ write: () => undefined }, {})

describe('createPaint', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', { isTTY: false }, {}, false],
    ['a terminal under NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
    ['a pipe under FORCE_COLOR', { isTTY: false }, { FORCE_COLOR: '1' }, true],
  ])('decides on colours for %s', (_, output, env, isColoured) => {
    const text = createPaint({ write: () => undefined, ...output }, env).bold('x')
    expect(text !== 'x').toBe(isColoured)
  })
})

describe('formatTable', () => {
  it('aligns words left and numbers right, under a heading', () => {
    const columns = [
      { title: 'who', align: 'left' },
      { title: 'n', align: 'right' },
    ] as const
    expect(formatTable(columns, [['rule', '7'], { caption: 'b' }, ['us', '12']], plain)).toBe(
      'who    n\nrule   7\n── b ───\nus    12',
    )
  })
})

describe('formatReport', () => {
  const text = formatReport(createSampleReport(), plain)

  it('has one row a controller with mean ± spread', () => {
    for (const { label } of createSampleReport().controllers) {
      expect(text.split('\n').filter((line) => line.startsWith(label))).toHaveLength(1)
    }
    expect(text).toMatch(/^Trimtab\s+0\.1786 ± 0\.0036\s+0\.893 ± 0\.018\s+0\.11 ± 0\.00/m)
  })

  it('sets the bounds apart from the rivals', () => {
    const lines = text.split('\n')
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
    expect(at('── bounds')).toBeGreaterThan(at('Trimtab'))
    expect(at('── bounds')).toBeLessThan(at('best static'))
  })

  it('marks the strongest rule', () => {
    expect(text).toMatch(/^resize rule ★ /m)
    expect(text.match(/★/g)).toHaveLength(2) // and its meaning
  })

  it('shows a dash for the spread of one seed', () => {
    const { settings } = createSampleReport()
    const one = formatReport(createSampleReport({ settings: { ...settings, seeds: [1] } }), plain)
    expect(one).toMatch(/^Trimtab\s+0\.1786 ± –\s+0\.893 ± –/m)
  })

  it('ends with the findings and the verdict on one line', () => {
    const { findings, verdict } = createSampleReport()
    const lines = [...findings.map((line) => `• ${line}`), `✓ ${verdict!.text}`]
    expect(text.trimEnd().split('\n').slice(-4)).toEqual(lines)
  })

  it('aligns with and without colours', () => {
    const host = createFakeHost({ isTTY: true })
    const coloured = formatReport(createSampleReport(), createPaint(host.stdout, {}))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes what colours add
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(text)
  })
})
