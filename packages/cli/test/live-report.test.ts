import { judgeLive, type LiveBlock, type LiveMeasurements, type PeriodRecord } from '@trimtab/local/live'
import { describe, expect, it } from 'vitest'
import { formatLive, renderLiveMarkdown } from '../src/live/format.js'
import { renderLivePage } from '../src/live/page.js'
import type { LiveReport } from '../src/live/run-live.js'
import { createPaint } from '../src/terminal.js'

const PERIOD: PeriodRecord = {
  ...{ isJudged: true, arrivals: 300, ratePerSecond: 150, p99Ms: 20, isBreach: false, readyReplicas: 2 },
  ...{ startingReplicas: 0, coresPerReplica: 0.25, memoryMiBPerReplica: 96, coreSeconds: 1, usedCores: 0.3 },
  ...{ kills: 0, failures: 0, lagP99Ms: 2, lengthMs: 2000 },
}
const block = (arm: LiveBlock['arm'], round: number, p99Ms: number, periods: readonly PeriodRecord[]): LiveBlock => ({
  ...{ arm, round, p99Ms, periods },
})

function createReport(parts: Partial<LiveMeasurements> = {}): LiveReport {
  const steady = new Array<PeriodRecord>(25).fill(PERIOD)
  const measured: LiveMeasurements = {
    ...{ limiter: 'signals', isRoot: false, machine: { timerLagP99Ms: 1, cpuShare01: 1, roundsPerMs: 1e5 } },
    ...{ check: { shareError: 0.01, resizeMs: 50 }, calibration: { p99sMs: [20, 22], p99Ms: 20, lagP99Ms: 1 } },
    ...{ sloMs: 36, startsMs: [200, 400], leftovers: [], busy: undefined },
    blocks: [
      block('hpa', 0, 40, steady),
      block('resize', 0, 20, [{ ...PERIOD, flaw: 'lag' }, ...steady.slice(1)]),
      block('resize', 1, 22, steady),
      block('hpa', 1, 40, steady),
    ],
    ...parts,
  }
  const settings = { arms: ['hpa', 'resize'] as const, blocks: 2, blockPeriods: 25, periodSeconds: 2, warmUpPeriods: 5 }
  return {
    ...{ format: 'trimtab-live', load: '<b>|\u001b[31m', measured, verdict: judgeLive(measured, 2) },
    settings: { ...settings, sloFactor: 1.8, peakPerSecond: 220, seed: 1 },
  }
}

const plain = createPaint({ write: () => {} }, {})

describe('the report of a live run', () => {
  it('says the ratio with its interval, the cost and what was left out, alike on the terminal and in Markdown', () => {
    const report = createReport()
    for (const text of [formatLive(report, plain), renderLiveMarkdown(report)]) {
      expect(text).toMatch(
        /p99 of resize rule, 60 % is lower: 0\.52 of that of HPA, .25 core at 65 % \(95 %: 0\.\d\d–0\.\d\d\)/,
      )
      expect(text).toMatch(/1\.00 of its core·seconds, \+0\.0 points of periods over the SLO/)
      expect(text).toMatch(/[Pp]eriods left out: 1: requests went out late/)
      expect(text).not.toContain('\u001b')
    }
  })

  it('says no more than why there is no verdict', () => {
    const text = formatLive(createReport({ busy: 'timers are 14 ms late' }), plain)
    expect(text).toContain('no verdict: machine too busy: timers are 14 ms late')
    expect(text).not.toContain('is lower')
  })

  it('is a page with a line for each arm, a gap where a period was left out, and its numbers inside', () => {
    const report = createReport()
    const page = renderLivePage(report)
    expect(page).not.toContain('<b>')
    const [, numbers] = /id="trimtab-live">(.*)<\/script>/.exec(page)!
    expect(JSON.parse(numbers!).settings).toEqual(report.settings)
    const lines = [...page.matchAll(/<path class="line c-(hpa|resize)" d="([^"]*)"/g)]
    expect(lines.map(([, arm]) => arm)).toEqual(['hpa', 'resize', 'hpa', 'resize'])
    const startsAt = (d: string) => Number(/^M(\d+)/.exec(d)![1])
    expect(lines.map(([, , d]) => startsAt(d!) > 0)).toEqual([false, true, false, true])
  })
})
