import { isSameSize } from '@trimtab/tasks/autoscaling'
import { type ArmVerdict, verdictsOf } from '../trial/verdict.js'
import type { LiveBlock, LiveMeasurements } from './live-trial.js'
import type { PeriodRecord } from './period-record.js'

/** What an arm came to over its judged periods without a flaw. */
export interface LiveFigures {
  readonly arm: string
  readonly periods: number
  /** Judged, and left out for what the host did. */
  readonly flawed: number
  /** p99 of its blocks: geometric mean. */
  readonly p99Ms: number
  /** Periods over the SLO or with a kill. */
  readonly breaches: number
  readonly breachPercent: number
  /** Limits asked for, mean over time, and over all its judged periods. */
  readonly cores: number
  readonly coreSeconds: number
  readonly usedCores: number
  /** Changes of a pod's size, and of the number of pods, a minute. */
  readonly resizesPerMinute: number
  readonly scalingsPerMinute: number
  readonly kills: number
}

/** Something that a run has to show, and whether it did. */
export interface LiveGate {
  readonly name: string
  readonly holds: boolean
  /** The figure beside what it must be. */
  readonly says: string
}

/** What may be said of a run. */
export interface LiveVerdict {
  readonly figures: readonly LiveFigures[]
  /** Each arm beside the first; none where there are doubts. */
  readonly verdicts: readonly ArmVerdict[]
  /** Of the machinery, whatever the arms did. */
  readonly gates: readonly LiveGate[]
  /** Why there is no verdict; empty: there is one. */
  readonly doubts: readonly string[]
}

const LEAST_VALID = 0.95
const MOST_START_MS = 1000
const MOST_SHARE_ERROR = 0.05

/** @param periodSeconds  of the run */
export function judgeLive(measured: LiveMeasurements, periodSeconds: number): LiveVerdict {
  const arms = [...new Set(measured.blocks.map(({ arm }) => arm))]
  const figures = arms.map((arm) =>
    figuresOf(
      arm,
      measured.blocks.filter((block) => block.arm === arm),
    ),
  )
  const gates = gatesOf(measured, periodSeconds)
  const doubts = [
    ...(measured.busy === undefined ? [] : [`machine too busy: ${measured.busy}`]),
    ...gates.filter(({ holds }) => !holds).map(({ name, says }) => `${name}: ${says}`),
  ]
  return { figures, gates, doubts, verdicts: doubts.length > 0 ? [] : verdictsOf(measured.blocks) }
}

function gatesOf({ blocks, check, startsMs, leftovers }: LiveMeasurements, periodSeconds: number): LiveGate[] {
  const periods = blocks.flatMap((block) => block.periods)
  const valid = periods.filter(({ flaw }) => flaw === undefined).length / periods.length
  const slowest = Math.max(...startsMs)
  const unequal = [...new Set(blocks.map(({ round }) => round))].filter(
    (round) => new Set(blocks.filter((block) => block.round === round).map(arrivalsOf)).size > 1,
  )
  const gate = (name: string, holds: boolean, says: string): LiveGate => ({ name, holds, says })
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  return [
    gate('valid periods', valid >= LEAST_VALID, `${percent(valid)} of ${periods.length} (95 % at least)`),
    gate('the same arrivals', unequal.length === 0, `${unequal.length} rounds in which they differ (none)`),
    gate('resize', check.resizeMs <= 1000 * periodSeconds, `${check.resizeMs.toFixed(0)} ms (a period at most)`),
    gate('start', slowest <= MOST_START_MS, `${slowest.toFixed(0)} ms the slowest of ${startsMs.length} (1 s at most)`),
    gate(
      'share of CPU',
      Math.abs(check.shareError) <= MOST_SHARE_ERROR,
      `${percent(check.shareError)} off the limit (5 % at most)`,
    ),
    gate('nothing left over', leftovers.length === 0, leftovers.join(', ') || 'nothing'),
  ]
}

const arrivalsOf = ({ periods }: LiveBlock): number => periods.reduce((sum, { arrivals }) => sum + arrivals, 0)

function figuresOf(arm: string, blocks: readonly LiveBlock[]): LiveFigures {
  const judged = blocks.flatMap(({ periods }) => periods.filter(({ isJudged }) => isJudged))
  const clean = judged.filter(({ flaw }) => flaw === undefined)
  const sum = (of: (period: PeriodRecord) => number, periods = clean) =>
    periods.reduce((total, period) => total + of(period), 0)
  const minutes = sum(({ lengthMs }) => lengthMs, judged) / 60_000
  const breaches = clean.filter(({ isBreach }) => isBreach).length
  const logs = blocks.map(({ p99Ms }) => Math.log(p99Ms))
  const changes = (isChange: (now: PeriodRecord, before: PeriodRecord) => boolean) =>
    sumOf(blocks.map(({ periods }) => periods.filter((now, i) => i > 0 && isChange(now, periods[i - 1]!)).length))
  return {
    ...{ arm, periods: clean.length, flawed: judged.length - clean.length, breaches },
    p99Ms: Math.exp(sumOf(logs) / logs.length),
    breachPercent: (100 * breaches) / clean.length,
    cores: sum(({ coreSeconds }) => coreSeconds, judged) / (60 * minutes),
    coreSeconds: sum(({ coreSeconds }) => coreSeconds, judged),
    usedCores: sum(({ usedCores }) => usedCores) / clean.length,
    resizesPerMinute: changes((now, before) => !isSameSize(now, before)) / minutes,
    scalingsPerMinute: changes((now, before) => podsOf(now) !== podsOf(before)) / minutes,
    kills: sum(({ kills }) => kills, judged),
  }
}

const podsOf = ({ readyReplicas, startingReplicas }: PeriodRecord): number => readyReplicas + startingReplicas

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
