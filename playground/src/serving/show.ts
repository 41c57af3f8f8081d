// What is being shown of a comparison, and how far it is.
import { timeAxis } from '../run/axis.js'
import { createChart, type LiveChart } from '../run/charts.js'
import type { LiveController } from '../run/controllers.js'
import { element, showProgress } from '../shell/dom.js'
import type { Comparison } from './comparison.js'
import { MOMENTS, type Moment, placesAt } from './lane.js'
import { createPicture, type LanePicture } from './picture.js'

export const POLICIES: readonly LiveController[] = [
  { name: 'fcfs', label: 'First come, first served', kind: 'rule' },
  { name: 'trimtab', label: 'Shortest first, predicted', kind: 'learner' },
  { name: 'oracle', label: 'Shortest first, lengths known', kind: 'bound' },
]
const CHARTS: Readonly<Record<string, (moment: Moment) => number>> = {
  wait: ({ meanWait }) => meanWait,
  completion: ({ meanCompletion }) => meanCompletion,
  queue: ({ waiting }) => waiting,
  longest: ({ longestWait }) => longestWait,
}

/** Minutes and seconds, 1:05. */
export const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

export class Show {
  readonly #comparison: Comparison
  readonly #pictures: readonly LanePicture[]
  readonly #charts: ReadonlyMap<string, LiveChart>
  #points = 0
  now = 0

  constructor(comparison: Comparison) {
    this.#comparison = comparison
    const { lanes, places } = comparison
    this.#pictures = lanes.map(({ name, label }) => createPicture(element(`lane-${name}`), label, places))
    const options = { controllers: POLICIES, x: timeAxis() }
    this.#charts = new Map(
      Object.keys(CHARTS).map((name) => [name, createChart(element(`chart-${name}`), options)] as const),
    )
  }

  get isOver(): boolean {
    return this.now >= this.#comparison.end
  }

  get share01(): number {
    return this.now / this.#comparison.end
  }

  advance(seconds: number): void {
    this.now = Math.min(this.#comparison.end, this.now + seconds)
  }

  draw(): void {
    const { requests, lanes, end } = this.#comparison
    const before = this.#points
    for (; (this.#points * end) / MOMENTS <= this.now && this.#points <= MOMENTS; this.#points++) {
      const at = (this.#points * end) / MOMENTS
      const moments = lanes.map((lane) => lane.moments[this.#points]!)
      for (const [name, of] of Object.entries(CHARTS)) this.#charts.get(name)!.push(at, moments.map(of))
    }
    if (this.#points > before) this.drawCharts()
    const views = lanes.map((lane, i) => ({
      lane,
      places: placesAt(requests, lane, this.now),
      picture: this.#pictures[i]!,
    }))
    for (const { lane, places, picture } of views) picture.draw(requests, lane, places)
    for (const { lane, places, picture } of views) picture.tell(requests, lane, places, this.now)
    showProgress(this.share01)
  }

  /** Also after a change of the theme. */
  drawCharts(): void {
    for (const chart of this.#charts.values()) chart.draw()
  }

  /** Takes away what is shown. */
  dispose(): void {
    for (const chart of this.#charts.values()) chart.dispose()
    for (const { name } of this.#comparison.lanes) element(`lane-${name}`).replaceChildren()
  }
}
