import { type ConfigError, type Core, createCore } from '@trimtab/core'
import { generateLoad, RULE_FAMILIES, ruleFamilies } from '@trimtab/tasks/autoscaling'
import { beforeAll, describe, expect, it } from 'vitest'
import { findingsOf, verdictOf } from '../../src/autoscaling/findings.js'
import {
  AUTOSCALERS,
  type AutoscalerResult,
  type AutoscalerSummary,
  type AutoscalingComparison,
  type AutoscalingReport,
  compareAutoscalers,
  runAutoscalerCell,
  runPromiseCell,
} from '../../src/index.js'

it('knows every family of rules by its own name and label', () => {
  const rules = AUTOSCALERS.filter(({ kind }) => kind === 'rule').map(({ name, label }) => ({ name, label }))
  expect(rules).toEqual(RULE_FAMILIES.map(({ name, label }) => ({ name, label })))
})

let core: Core
let report: AutoscalingReport
const hooks = { run: async (spec: Parameters<typeof runAutoscalerCell>[1]) => runAutoscalerCell(core, spec) }
/** One of every kind of controller. */
const SMALL: AutoscalingComparison = {
  ...{ apps: 1, seeds: 2, days: 1 },
  controllers: ['hpa-vpa', 'forecast', 'trimtab', 'margin', 'oracle'],
}

beforeAll(async () => {
  core = await createCore()
  report = await compareAutoscalers(SMALL, hooks)
})

describe('compare', () => {
  it('says what was compared', () => {
    expect(report).toMatchObject({ format: 'trimtab-autoscale-report', version: 2 })
    expect(report.settings).toEqual({
      ...{ load: 'generated', apps: ['app-1'], seeds: [1, 2], days: 1, learnedShare: 0.7, stepSeconds: 15 },
      ...{ sloFactor: 2, budgetPercent: 0.5, resize: 'in-place', prices: { perCore: 0.0335, perGiB: 0.0045 } },
      world: 'simulation',
    })
    expect(report.controllers.map(({ name }) => name)).toEqual(SMALL.controllers)
  })

  it('has the figures of the promise, which has one cell for both', () => {
    const cell = runPromiseCell(core, {
      ...{ appSeed: 1, load: generateLoad(core, 1), sloFactor: 2, resize: 'in-place', days: 1, seeds: [1, 2] },
      ...{ families: ['hpa-vpa', 'forecast'], controllers: ['trimtab', 'margin', 'oracle'] },
    })
    const { strongest, shadow, isWithinSeen } = cell
    expect(report.worlds).toEqual([{ app: 'app-1', strongest, shadow, isWithinSeen }])
    for (const { name, dollarsPerHour, violationPercent } of report.controllers) {
      const own = cell.trials.filter(({ controller }) => controller === name)
      expect(dollarsPerHour.mean).toBeCloseTo((own[0]!.judged.dollarsPerHour + own[1]!.judged.dollarsPerHour) / 2, 12)
      expect(violationPercent.mean).toBeCloseTo(
        (own[0]!.judged.violationPercent + own[1]!.judged.violationPercent) / 2,
        12,
      )
    }
  })

  it('measures by the strongest rule', () => {
    const [world] = report.worlds
    const rule = report.controllers.find(({ name }) => name === world!.strongest)!
    expect(rule).toMatchObject({ kind: 'rule', relativeCost: { mean: 1, deviation: 0 }, strongestIn: 1 })
    expect(report.controllers.filter(({ strongestIn }) => strongestIn > 0)).toHaveLength(1)
  })

  it('sums up what its results say: of one application they are the same numbers', () => {
    expect(report.results).toHaveLength(5)
    for (const [i, { app, controller, ...figures }] of report.results.entries()) {
      const summary = report.controllers[i]!
      expect([app, controller]).toEqual(['app-1', summary.name])
      for (const [name, value] of Object.entries(figures)) {
        expect(summary[name as keyof typeof figures].mean).toBeCloseTo(value, 12)
      }
    }
  })

  it('judges in the ranges there are', () => {
    for (const c of report.controllers) {
      expect(c.reward.mean > 0 && c.reward.mean <= 200).toBe(true)
      for (const percent of [c.violationPercent, c.learningViolationPercent, c.worstHourPercent]) {
        expect(percent.mean >= 0 && percent.mean <= 100).toBe(true)
      }
      expect(c.worstHourPercent.mean).toBeGreaterThanOrEqual(c.violationPercent.mean)
      expect(c.dollarsPerHour.mean).toBeCloseTo(0.0335 * c.cores.mean + 0.0045 * c.memoryGiB.mean, 10)
    }
  })

  it('draws what was judged for each controller, and counts the days that were learned in', () => {
    expect(report.timelines.map((t) => t.controller)).toEqual(SMALL.controllers)
    for (const { app: _, controller, stepSeconds, ...series } of report.timelines) {
      expect(stepSeconds).toBe(300)
      for (const values of Object.values(series)) expect(values).toHaveLength(87) // 30 % of a day, rounded up
      const { cores } = report.timelines.find((t) => t.controller === controller)!
      expect(Math.min(...cores)).toBeGreaterThan(0)
    }
    expect(report.days.map(({ controller }) => controller)).toEqual(SMALL.controllers)
    for (const { violationPercent } of report.days) expect(violationPercent).toHaveLength(1)
    const [days, summary] = [report.days[2]!, report.controllers[2]!]
    expect(days.violationPercent[0]).toBeCloseTo(summary.learningViolationPercent.mean, 3)
  })

  it('explains decisions of the learner and what the guard served', () => {
    expect(report.decisions.length).toBeGreaterThan(0)
    for (const { predicted, interval, cheaper, providedRate, expectedRate } of report.decisions) {
      expect(interval[0]).toBeLessThan(predicted)
      expect(interval[1]).toBeGreaterThan(predicted)
      expect(providedRate).toBeGreaterThan(expectedRate)
      expect(cheaper === undefined || (cheaper.breach01 >= 0 && cheaper.breach01 <= 1)).toBe(true)
    }
    expect(report.guard.map(({ part }) => part)).toEqual(['learning', 'judged'])
    for (const { served, reasons } of report.guard) {
      expect(served.allocator + served.clamped + served.rule).toBeCloseTo(100, 9)
      const others = Object.values(reasons).reduce((sum, share) => sum + share, 0)
      expect(others).toBeGreaterThanOrEqual(served.rule)
    }
  })

  it('finds sentences with the numbers in them, and a verdict', () => {
    const [ours, oracle] = ['trimtab', 'oracle'].map((name) => report.controllers.find((c) => c.name === name)!)
    const share = (100 * (1 - ours!.relativeCost.mean)) / (1 - oracle!.relativeCost.mean)
    expect(report.findings.join(' ')).toContain(`Trimtab reaches ${share.toFixed(0)} % of that`)
    expect(report.findings.join(' ')).toContain('worst app-1: ')
    expect(report.verdict!.text).not.toContain('\n')
  })

  it('says so where nothing of the headroom is reached', () => {
    const controllers = report.controllers.map((one) =>
      one.name === 'trimtab' ? { ...one, relativeCost: { mean: 1.1, deviation: 0 } } : one,
    )
    expect(findingsOf({ ...report, controllers }).join(' ')).toContain('Trimtab reaches nothing of that')
  })

  it('says how the strongest rule is chosen, and which rule within the budget turned out cheaper', () => {
    const [{ app, strongest }] = report.worlds as [(typeof report.worlds)[number]]
    const other = report.controllers.find(({ kind, name }) => kind === 'rule' && name !== strongest)!
    const ours = report.results.find(({ controller }) => controller === 'trimtab')!
    const where = (cost: number, violationPercent: number) =>
      findingsOf({
        ...report,
        results: report.results.map((one) =>
          one.controller === other.name ? { ...one, app, dollarsPerHour: cost, violationPercent } : one,
        ),
      }).join(' ')
    expect(where(1000, 0)).toContain('cheapest within the budget on the learning part')
    expect(where(1000, 0)).not.toContain('nobody could know')
    expect(where(2 * ours.dollarsPerHour * 1e-6, 50)).not.toContain('nobody could know') // it breaks the budget
    expect(where(ours.dollarsPerHour / 2, 0)).toContain(
      `the cheapest rule within the budget was ${other.label}, which nobody could know beforehand: Trimtab costs 100 % more than that.`,
    )
  })

  it('is the same to the byte when it runs again', async () => {
    const again = await compareAutoscalers(SMALL, hooks)
    expect(JSON.stringify(again)).toBe(JSON.stringify(report))
  })

  it('reads a table of requests, names it and reports progress', async () => {
    const text = [...generateLoad(core, 3, 1).shape].map((share, i) => `${i},${Math.round(5000 * share)}`).join('\n')
    const labels: string[] = []
    const options = { ...SMALL, seeds: 1, controllers: ['hpa-vpa'] as const, load: { name: 'day.csv', text } }
    const { settings, verdict } = await compareAutoscalers(options, {
      ...hooks,
      onProgress: ({ done, total, label }) => labels.push(`${done}/${total} ${label}`),
    })
    expect(settings).toMatchObject({ load: 'day.csv', days: 1 })
    expect(labels).toEqual(['0/2 starting', '2/2 app 1/1'])
    expect(verdict).toBeUndefined() // nothing to judge
  })

  it('counts the parts of each application as they are done, to the last one', async () => {
    const seen: string[] = []
    const options = { ...SMALL, apps: 1, seeds: 1, days: 1, controllers: ['hpa-vpa', 'trimtab'] as const }
    await compareAutoscalers(options, {
      run: async (spec, onPart) => runAutoscalerCell(core, spec, onPart),
      onProgress: ({ done, total, label }) => seen.push(`${done}/${total} ${label}`),
    })
    expect(seen).toEqual([
      '0/3 starting',
      '0/3 app 1/1 · tuning hpa-vpa',
      '1/3 app 1/1 · hpa-vpa lives',
      '2/3 app 1/1 · trimtab lives',
      '3/3 app 1/1',
    ])
  })

  it('leaves out what a cluster that resizes nothing has no use for', async () => {
    const controllers = ['hpa-vpa', 'resize', 'oracle'] as const
    const { controllers: present } = await compareAutoscalers(
      { apps: 1, seeds: 1, days: 1, resize: 'none', controllers },
      hooks,
    )
    expect(present.map(({ name }) => name)).toEqual(['hpa-vpa'])
  })

  it('knows every controller by one name, and every family of rules', () => {
    expect(new Set(AUTOSCALERS.map(({ name }) => name)).size).toBe(AUTOSCALERS.length)
    const rules = AUTOSCALERS.filter(({ kind }) => kind === 'rule')
    expect(rules.map(({ name, label }) => ({ name, label }))).toEqual(
      ruleFamilies('in-place').map(({ name, label }) => ({ name, label })),
    )
  })
})

describe('the verdict', () => {
  const given = (ours: Partial<Record<keyof AutoscalerSummary, number>>, rule: Partial<AutoscalerResult> = {}) => {
    const spreads = Object.entries(ours).map(([name, mean]) => [name, { mean, deviation: 0 }])
    return verdictOf({
      ...report,
      controllers: report.controllers.map((one) =>
        one.name === 'trimtab' ? { ...one, ...Object.fromEntries(spreads) } : one,
      ),
      results: report.results.map((one) =>
        one.controller === report.worlds[0]!.strongest ? { ...one, ...rule } : one,
      ),
    })!
  }
  const GOOD = { relativeCost: 0.9, violationPercent: 0.2, learningViolationPercent: 0.2 }

  it('is for what is cheaper and within the budget', () => {
    expect(given(GOOD)).toMatchObject({ isFor: true, text: expect.stringContaining('0.900 of its cost') })
  })
  it('allows 0.1 points more than the budget or the rule', () => {
    expect(given({ ...GOOD, violationPercent: 0.599 }, { violationPercent: 0.1 }).isFor).toBe(true)
    expect(given({ ...GOOD, violationPercent: 0.601 }, { violationPercent: 0.1 }).isFor).toBe(false)
    expect(given({ ...GOOD, violationPercent: 1.09 }, { violationPercent: 1 }).isFor).toBe(true)
  })
  it.each([
    ['what costs as much', { ...GOOD, relativeCost: 1 }, 'it costs 1.000 of what that costs'],
    ['more violations', { ...GOOD, violationPercent: 7 }, 'breaks the SLO in 7.00 % of steps judged, at most'],
    ['more violations while learning', { ...GOOD, learningViolationPercent: 7 }, 'in 7.00 % of steps while learning'],
    ['what is no number', { ...GOOD, relativeCost: Number.NaN }, 'it costs NaN'],
  ])('is against %s', (_, ours, reason) => {
    const { isFor, text } = given(ours)
    expect(isFor).toBe(false)
    expect(text).toContain(reason)
  })
})

describe('compare refuses', () => {
  const refusal = (options: AutoscalingComparison): Promise<ConfigError> =>
    compareAutoscalers({ ...SMALL, controllers: ['hpa-vpa'], ...options }, hooks).then(
      () => Promise.reject(new Error('it was not refused')),
      (error: ConfigError) => error,
    )

  it.each([
    [
      'a load too short to learn and judge on',
      '5\n'.repeat(1439),
      'covers 1439 minutes; learning and judging need a day, 1440',
    ],
    ['an empty load', '', 'has 0 minutes'],
    ['a load with text in it', `${'5\n'.repeat(300)}five`, 'line 301: requests must be a number >= 0, got "five"'],
  ])('%s', async (_, text, message) => {
    const error = await refusal({ load: { name: 'my.csv', text } })
    expect(error).toMatchObject({ name: 'ConfigError', code: 'load_invalid' })
    expect(error.message).toContain(`my.csv`)
    expect(error.message).toContain(message)
  })

  it.each([
    ['an SLO of nothing', { sloFactor: 0 }, 'sloFactor must be above 0, got 0'],
    ['an SLO of no number', { sloFactor: Number.NaN }, 'sloFactor must be above 0, got NaN'],
    ['everything for nothing', { prices: { perCore: 0, perGiB: 0 } }, 'one of prices.perCore and prices.perGiB'],
    ['nobody to be measured by', { controllers: ['bandit', 'trimtab'] as const }, 'must name a rule to be measured by'],
    [
      'only a rule without use',
      { controllers: ['resize'] as const, resize: 'none' as const },
      'one of hpa-vpa, hpa-headroom',
    ],
  ])('%s', async (_, options, message) => {
    const error = await refusal(options)
    expect(error).toMatchObject({ name: 'ConfigError', code: 'config_invalid' })
    expect(error.message).toContain(message)
  })

  it('to go on when it is told to stop', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(
      compareAutoscalers({ ...SMALL, controllers: ['hpa-vpa'] }, { ...hooks, signal: stop.signal }),
    ).rejects.toThrow('enough')
  })
})
