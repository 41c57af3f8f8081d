// The comparison of `trimtab autoscale` for one application. Everybody lives for days; then their days are shown side by side.

import { createCore } from 'trimtab/core'
import { type AutoscalingReport, cellOf, renderReport, SUMMARY_COLUMNS, titleOf } from 'trimtab/report'
import {
  AUTOSCALERS,
  type AutoscalerCellSpec,
  autoscalerCellInParts,
  autoscalerCellOf,
  autoscalerPartsOf,
  autoscalingReportOf,
  type PromiseLife,
} from 'trimtab/studies'
import { dollarsPerHour, GuardedAllocator, type Prices } from 'trimtab/tasks/autoscaling'
import type { LiveEvent, LiveOptions, Outcome } from './protocol.js'

const POINT_SECONDS = 60
const DAY_POINTS = 86_400 / POINT_SECONDS

/** @throws {ConfigError} `load_invalid` */
export async function* simulate({ app, ...options }: LiveOptions): AsyncGenerator<LiveEvent, void> {
  const core = await createCore()
  const spec = autoscalerCellOf({ ...options, seeds: 1 }, app)
  const diaries = new Map<string, Diary>()
  const parts = autoscalerCellInParts(core, spec, (life) => {
    const diary = diaries.get(life.controller) ?? new Diary(spec.prices)
    diaries.set(life.controller, diary)
    return diary.write(life)
  })
  let part = parts.next()
  const count = autoscalerPartsOf(spec)
  for (let i = 1; !part.done; part = parts.next()) {
    yield { type: 'note', text: `computing: part ${i++} of ${count}, ${part.value}` }
  }
  const cell = part.value
  const watched = AUTOSCALERS.filter(
    ({ name }) => ['hpa-vpa', cell.strongest, 'trimtab', 'oracle'].includes(name) && diaries.has(name),
  )
  yield* show(
    watched.map(({ name }) => diaries.get(name)!),
    watched,
    spec,
  )
  yield { type: 'done', outcome: outcomeOf(autoscalingReportOf([cell], spec)) }
}

/** Plays what was lived through, minute by minute. */
function* show(
  diaries: readonly Diary[],
  controllers: Extract<LiveEvent, { type: 'start' }>['controllers'],
  { budgetPercent }: AutoscalerCellSpec,
): Generator<LiveEvent, void> {
  const minutes = diaries[0]!.points.length
  const days = Math.ceil(minutes / DAY_POINTS)
  yield {
    type: 'start',
    controllers,
    rounds: days,
    value: 'SLO violations of each day, % of steps',
    stage: 'whose allocation the guard served most of each day',
    reference: { value: budgetPercent, label: `budget ${budgetPercent} %` },
    hasSteps: true,
  }
  for (let minute = 0; minute < minutes; minute++) {
    const points = diaries.map((diary) => diary.points[minute]!)
    yield {
      type: 'step',
      minute,
      p99OverSlo: points.map(({ p99OverSlo }) => p99OverSlo || null), // without requests there is none
      dollarsPerHour: points.map((point) => point.dollarsPerHour),
      cores: points.map(({ cores }) => cores),
    }
    if ((minute + 1) % DAY_POINTS > 0 && minute + 1 < minutes) continue
    const day = Math.floor(minute / DAY_POINTS)
    const ours = diaries[controllers.findIndex(({ name }) => name === 'trimtab')]!
    const isLearned = minute < ours.learnedPoints
    yield {
      type: 'round',
      round: day,
      values: diaries.map((diary) => diary.violationPercent(day)),
      stage: ours.mostServed(day),
      text: `${isLearned ? 'learning' : 'judged'}, day ${day + 1} of ${days}`,
    }
  }
}

const outcomeOf = (report: AutoscalingReport): Outcome => ({
  heads: SUMMARY_COLUMNS.map(titleOf),
  rows: report.controllers.map((controller) => ({
    controller,
    cells: SUMMARY_COLUMNS.map((column) => cellOf(column, controller, report.settings.seeds.length).mean),
  })),
  findings: [...report.findings, ...(report.verdict ? [report.verdict.text] : [])],
  page: renderReport(report),
})

/** A minute: means, and the worst p99. */
interface Point {
  p99OverSlo: number
  dollarsPerHour: number
  cores: number
}

/** What one controller did, minute by minute, from the first step on. */
class Diary {
  readonly points: Point[] = []
  learnedPoints = 0
  readonly #prices: Prices
  readonly #violations: number[] = [] // of each day, and its steps
  readonly #steps: number[] = []
  readonly #served: Map<string, number>[] = [] // of each day
  #step = 0

  constructor(prices: Prices) {
    this.#prices = prices
  }

  write({ allocator, simulator, part }: PromiseLife): () => void {
    const { truth, sloMs, options } = simulator
    const perPoint = Math.round(POINT_SECONDS / options.stepSeconds)
    const guard = allocator instanceof GuardedAllocator ? allocator : undefined
    return () => {
      const isFirst = this.#step++ % perPoint === 0
      if (isFirst) this.points.push({ p99OverSlo: 0, dollarsPerHour: 0, cores: 0 })
      const point = this.points.at(-1)!
      point.p99OverSlo = Math.max(point.p99OverSlo, truth.p99Ms / sloMs)
      point.dollarsPerHour += dollarsPerHour(this.#prices, truth.requestedCores, truth.requestedMemoryMiB) / perPoint
      point.cores += truth.requestedCores / perPoint
      if (part === 'learning') this.learnedPoints = this.points.length
      const day = Math.floor((this.points.length - 1) / DAY_POINTS)
      this.#steps[day] = (this.#steps[day] ?? 0) + 1
      this.#violations[day] = (this.#violations[day] ?? 0) + (truth.violated ? 1 : 0)
      if (!guard) return
      const { served } = guard.explain()
      this.#served[day] ??= new Map()
      const counts = this.#served[day]
      counts.set(served, (counts.get(served) ?? 0) + 1)
    }
  }

  violationPercent(day: number): number {
    return (100 * this.#violations[day]!) / this.#steps[day]!
  }

  mostServed(day: number): string {
    const counts = [...(this.#served[day] ?? [])]
    return counts.reduce((a, b) => (b[1] > a[1] ? b : a), ['allocator', 0])[0]
  }
}
