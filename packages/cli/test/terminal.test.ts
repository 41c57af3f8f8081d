import { describe, expect, it } from 'vitest'
import { formatReport, objectionTo } from '../src/autoscale/summary.js'
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
    expect(text).toMatch(/^Trimtab\s+172\.3 ± 1\.0\s+0\.22 ± 0\.07/m)
  })

  it('sets the bounds apart from the rivals', () => {
    const lines = text.split('\n')
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start))
    expect(at('── bounds')).toBeGreaterThan(at('Trimtab'))
    expect(at('── bounds')).toBeLessThan(at('best static'))
  })

  it('shows a dash where a controller has no such figure', () => {
    expect(text).toMatch(/^oracle.*–$/m)
  })

  it('ends with the findings', () => {
    expect(text.trimEnd().split('\n').slice(-3)).toEqual(createSampleReport().findings.map((line) => `• ${line}`))
  })

  it('aligns with and without colours', () => {
    const host = createFakeHost({ isTTY: true })
    const coloured = formatReport(createSampleReport(), createPaint(host.stdout, {}))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes what colours add
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(text)
  })
})

describe('objectionTo', () => {
  const withTrimtab = (change: { reward?: number; violationPercent?: number }) => {
    const report = createSampleReport()
    return createSampleReport({
      controllers: report.controllers.map((one) =>
        one.name === 'trimtab'
          ? {
              ...one,
              reward: { mean: change.reward ?? one.reward.mean, deviation: 1 },
              violationPercent: { mean: change.violationPercent ?? one.violationPercent.mean, deviation: 1 },
            }
          : one,
      ),
    })
  }

  it('has none when the policy earns more and violates less', () => {
    expect(objectionTo(createSampleReport())).toBeUndefined()
  })
  it('objects to less reward than the rule', () => {
    expect(objectionTo(withTrimtab({ reward: 160 }))).toMatch(/its reward is 160\.0, the rule's 167\.7/)
  })
  it('objects to more than one percent of violations', () => {
    expect(objectionTo(withTrimtab({ violationPercent: 1.2 }))).toMatch(/1\.20 % of steps/)
  })
  it('has none when the rule was not run', () => {
    const { controllers } = withTrimtab({ reward: 1 })
    expect(objectionTo(createSampleReport({ controllers: controllers.filter(({ kind }) => kind !== 'rule') }))).toBe(
      undefined,
    )
  })
})
