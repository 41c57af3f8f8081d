import { type ConfigError, type Core, createCore } from '@trimtab/core'
import { generateLoad } from '@trimtab/tasks/autoscaling'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AUTOSCALERS,
  type AutoscalingComparison,
  type AutoscalingReport,
  compareAutoscalers,
  runAutoscalerTrial,
} from '../../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const hooks = { run: async (spec: Parameters<typeof runAutoscalerTrial>[1]) => runAutoscalerTrial(core, spec) }
/** Every kind of controller, the slow searches left out. */
const SMALL: AutoscalingComparison = {
  apps: 1,
  seeds: 1,
  episodes: 12, // the rule drives the first of them, the agent the rest
  controllers: ['hpa-vpa', 'aimd', 'ddpg-paper', 'trimtab', 'oracle'],
}

describe('compare', () => {
  let report: AutoscalingReport
  beforeAll(async () => {
    report = await compareAutoscalers(SMALL, hooks)
  })

  it('says what was compared', () => {
    expect(report).toMatchObject({ format: 'trimtab-autoscale-report', version: 1 })
    expect(report.settings).toMatchObject({
      load: 'generated',
      apps: ['app-1'],
      seeds: [1],
      episodes: 12,
      sloFactor: 2,
    })
    expect(report.settings.world).toBe('simulation')
    expect(report.controllers.map(({ name }) => name)).toEqual(SMALL.controllers)
  })

  it('sums up what its results say: with one app and one seed they are the same numbers', () => {
    expect(report.results).toHaveLength(5)
    for (const [i, row] of report.results.entries()) {
      const summary = report.controllers[i]!
      expect(row).toMatchObject({ app: 'app-1', controller: summary.name, reward: summary.reward.mean })
      expect(row.violationPercent).toBe(summary.violationPercent.mean)
      if (summary.kind !== 'bound') {
        expect(row.learningViolationPercent).toBe(summary.learningViolationPercent!.mean)
      }
      expect(summary.reward.deviation).toBe(0)
    }
  })

  it('judges in the ranges there are', () => {
    for (const c of report.controllers) {
      expect(c.reward.mean > 0 && c.reward.mean <= 200).toBe(true)
      for (const percent of [c.violationPercent, c.measuredViolationPercent]) {
        expect(percent.mean >= 0 && percent.mean <= 100).toBe(true)
      }
      for (const share of [c.cpuUtilisation01, c.memoryUtilisation01])
        expect(share.mean >= 0 && share.mean <= 1).toBe(true)
      expect(c.requestedCores.mean >= 0.125 && c.requestedCores.mean <= 80).toBe(true)
    }
  })

  it('draws a line of 100 steps for each controller, and a curve for each learner', () => {
    expect(report.timelines.map((t) => t.controller)).toEqual(SMALL.controllers)
    for (const { app: _, controller: __, stepSeconds, sloMs, ...series } of report.timelines) {
      expect(stepSeconds).toBe(15)
      expect(sloMs).toBeGreaterThan(0)
      for (const values of Object.values(series)) expect(values).toHaveLength(100)
    }
    expect(report.curves.map((c) => c.controller)).toEqual(['ddpg-paper', 'trimtab'])
    const ours = report.curves[1]!
    const ruled = ours.stage.filter((stage) => stage === 'offline').length
    expect(ruled).toBeGreaterThan(0)
    expect(ours.stage).toContain('online')
    expect(ours.envelope).toHaveLength(12)
    expect(report.controllers[3]!.ruleEpisodes!.mean).toBe(ruled)
  })

  it('finds sentences with the numbers in them', () => {
    expect(report.findings.length).toBeGreaterThanOrEqual(3)
    const [ours, rule] = ['trimtab', 'hpa-vpa'].map((name) => report.controllers.find((c) => c.name === name)!)
    const gain = ours!.reward.mean - rule!.reward.mean
    expect(report.findings[0]).toContain(`${gain >= 0 ? '+' : '−'}${Math.abs(gain).toFixed(1)} of 200`)
  })

  it('is the same to the byte when it runs again', async () => {
    const again = await compareAutoscalers(SMALL, hooks)
    expect(JSON.stringify(again)).toBe(JSON.stringify(report))
  })

  it('reads a table of requests, names it and reports progress', async () => {
    const text = [...generateLoad(core, 3, 1).shape].map((share, i) => `${i},${Math.round(5000 * share)}`).join('\n')
    const labels: string[] = []
    const options = { ...SMALL, controllers: ['aimd'] as const, load: { name: 'day.csv', text } }
    const { settings, findings } = await compareAutoscalers(options, {
      ...hooks,
      onProgress: ({ done, total, label }) => labels.push(`${done}/${total} ${label}`),
    })
    expect(settings.load).toBe('day.csv')
    expect(labels).toEqual(['1/1 app 1/1 · seed 1 · aimd'])
    expect(findings).toEqual([]) // nothing to compare
  })

  it('knows every controller by one name', () => {
    expect(new Set(AUTOSCALERS.map(({ name }) => name)).size).toBe(AUTOSCALERS.length)
  })
})

describe('compare refuses', () => {
  const refusal = (options: AutoscalingComparison): Promise<ConfigError> =>
    compareAutoscalers({ ...SMALL, controllers: ['aimd'], ...options }, hooks).then(
      () => Promise.reject(new Error('it was not refused')),
      (error: ConfigError) => error,
    )

  it.each([
    ['a load too short to learn and judge on', '5\n'.repeat(239), 'covers 239 minutes; learning and judging need 240'],
    ['an empty load', '', 'has 0 minutes'],
    ['a load with text in it', `${'5\n'.repeat(300)}five`, 'line 301: requests must be a number >= 0, got "five"'],
  ])('%s', async (_, text, message) => {
    const error = await refusal({ load: { name: 'my.csv', text } })
    expect(error).toMatchObject({ name: 'ConfigError', code: 'load_invalid' })
    expect(error.message).toContain(`my.csv`)
    expect(error.message).toContain(message)
  })

  it.each([[0], [-1], [Number.NaN]])('an SLO of %f times the ample p99', async (sloFactor) => {
    const error = await refusal({ sloFactor })
    expect(error).toMatchObject({ name: 'ConfigError', code: 'config_invalid' })
    expect(error.message).toContain(`sloFactor must be above 0, got ${sloFactor}`)
  })

  it('to go on when it is told to stop', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(
      compareAutoscalers({ ...SMALL, controllers: ['aimd'] }, { ...hooks, signal: stop.signal }),
    ).rejects.toThrow('enough')
  })
})
