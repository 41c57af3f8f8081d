import { describe, expect, it } from 'vitest'
import type { LiveArm } from '../../src/live/arms.js'
import type { LiveBlock, LiveMeasurements } from '../../src/live/live-trial.js'
import { judgeLive } from '../../src/live/live-verdict.js'
import type { PeriodRecord } from '../../src/live/period-record.js'

const PERIOD: PeriodRecord = {
  ...{ isJudged: true, arrivals: 300, ratePerSecond: 150, p99Ms: 20, isBreach: false, readyReplicas: 2 },
  ...{ startingReplicas: 0, coresPerReplica: 0.25, memoryMiBPerReplica: 96, coreSeconds: 1, usedCores: 0.3 },
  ...{ kills: 0, failures: 0, lagP99Ms: 2, lengthMs: 2000 },
}

const blockOf = (
  arm: LiveArm,
  round: number,
  p99Ms: number,
  periods: readonly Partial<PeriodRecord>[] = [{}],
): LiveBlock => ({
  ...{ arm, round, p99Ms },
  periods: periods.map((period) => ({ ...PERIOD, ...period })),
})

const measured = (parts: Partial<LiveMeasurements> = {}): LiveMeasurements => ({
  ...{ limiter: 'signals', isRoot: false, machine: { timerLagP99Ms: 1, cpuShare01: 1, roundsPerMs: 1e5 } },
  ...{ check: { shareError: 0.01, resizeMs: 50 }, calibration: { p99sMs: [20, 22], p99Ms: 20, lagP99Ms: 1 } },
  ...{ sloMs: 40, startsMs: [200, 400], leftovers: [], busy: undefined },
  blocks: [0, 1, 2, 3].flatMap((round) => [
    blockOf('hpa', round, 40),
    blockOf('resize', round, [20, 22, 21, 19][round]!),
  ]),
  ...parts,
})

describe('what a live run says', () => {
  it('is a ratio of p99 with its interval over the rounds, a claim where all agree by a fifth', () => {
    const { verdicts, doubts, gates } = judgeLive(measured(), 2)
    expect([doubts, gates.every(({ holds }) => holds)]).toEqual([[], true])
    // By hand: logs of .5, .55, .525, .475: mean −.66994, deviation .06309; ± 3.182 · .06309 / 2.
    expect(verdicts).toEqual([expect.objectContaining({ arm: 'resize', beside: 'hpa', says: 'lower' })])
    expect(verdicts[0]!.p99Ratio).toBeCloseTo(0.5117, 3)
    expect(verdicts[0]!.interval[0]).toBeCloseTo(0.4629, 3)
    expect(verdicts[0]!.interval[1]).toBeCloseTo(0.5658, 3)
  })

  it('counts what was paid for in all judged periods, and breaches where the host did nothing', () => {
    const periods = [
      { isJudged: false, isBreach: true, coreSeconds: 9 },
      { isBreach: true, coreSeconds: 2 },
      { flaw: 'lag', isBreach: true, coreSeconds: 3 },
      { coresPerReplica: 0.3 },
      { coresPerReplica: 0.3 + 1e-9, startingReplicas: 1 },
    ] as const
    const [figures] = judgeLive(measured({ blocks: [blockOf('hpa', 0, 30, periods)] }), 2).figures
    expect(figures).toMatchObject({ periods: 3, flawed: 1, breaches: 1, coreSeconds: 7, kills: 0 })
    expect(figures!.cores).toBeCloseTo(7 / 8)
    expect(figures!.breachPercent).toBeCloseTo(100 / 3)
    expect(figures!.resizesPerMinute).toBeCloseTo(1 / (8 / 60))
    expect(figures!.scalingsPerMinute).toBeCloseTo(1 / (8 / 60))
  })

  it.each([
    ['valid periods', { blocks: [blockOf('hpa', 0, 9, [...new Array(18).fill({}), { flaw: 'lag' }])] }],
    ['the same arrivals', { blocks: [blockOf('hpa', 0, 9), blockOf('resize', 0, 9, [{ arrivals: 299 }])] }],
    ['resize', { check: { shareError: 0, resizeMs: 2001 } }],
    ['start', { startsMs: [1001, 200] }],
    ['share of CPU', { check: { shareError: -0.06, resizeMs: 0 } }],
    ['nothing left over', { leftovers: ['process 7'] }],
  ] as const)('is nothing when a gate does not hold: %s', (name, parts) => {
    const { gates, doubts, verdicts } = judgeLive(measured(parts as Partial<LiveMeasurements>), 2)
    expect(gates.filter(({ holds }) => !holds).map((gate) => gate.name)).toContain(name)
    expect(doubts.some((doubt) => doubt.startsWith(`${name}: `))).toBe(true)
    expect(verdicts).toEqual([])
  })

  it('is nothing on a busy machine', () => {
    const { doubts, verdicts } = judgeLive(measured({ busy: 'timers are 14 ms late' }), 2)
    expect([doubts, verdicts]).toEqual([['machine too busy: timers are 14 ms late'], []])
  })
})
