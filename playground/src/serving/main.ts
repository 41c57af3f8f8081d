// The page of serving: what is chosen is replayed at once, then shown as it would have gone, moment by moment.
import { createServeCore, LengthPredictor, type ServeCore } from 'trimtab/serve'
import { defaultLengthWeights } from 'trimtab/serve/weights'
import { createChart, type LiveChart } from '../charts.js'
import type { LiveController } from '../protocol.js'
import { create, element, showLegend } from '../view.js'
import { type Comparison, compare, type Settings } from './comparison.js'
import { momentOf, outcomeOf } from './lane.js'
import { createPicture, type LanePicture, showClasses } from './picture.js'
import { learnFromPast } from './workload.js'

const POLICIES: readonly LiveController[] = [
  { name: 'fcfs', label: 'First come, first served', kind: 'rule' },
  { name: 'trimtab', label: 'Shortest first', kind: 'learner' },
]
const CHARTS = ['wait', 'completion', 'queue', 'longest'] as const
const CHART_POINTS = 240
const LONGEST_FRAME_MS = 100 // a page in the background does not jump

/** Simulated seconds a second; the last is the end at once. */
const SPEEDS = [
  { factor: 10, label: '10 s a second' },
  { factor: 30, label: '30 s a second' },
  { factor: 60, label: '1 min a second' },
  { factor: 300, label: '5 min a second' },
  { factor: Number.POSITIVE_INFINITY, label: 'the end at once' },
]
/** How much later work may overtake a request, in largest backlogs. */
const AGEINGS = [
  { bypass: undefined, label: 'none: the longest may starve' },
  { bypass: 10, label: 'weak' },
  { bypass: 3, label: 'as by default' },
  { bypass: 1, label: 'strong' },
  { bypass: 0.3, label: 'very strong' },
  { bypass: 0, label: 'all: order of arrival' },
]

const form = () => element<HTMLFormElement>('controls')
const input = (id: string) => element<HTMLInputElement>(id)
const chosen = <T>(list: readonly T[], id: string): T => list[Number(input(id).value)]!

function say(text: string, hasFailed = false): void {
  element('status').textContent = text
  element('status').classList.toggle('failed', hasFailed)
}

function settings(): Settings {
  const data = new FormData(form())
  return {
    load: Number(data.get('load')),
    batching: data.get('batching') as Settings['batching'],
    knows: data.get('knows') as Settings['knows'],
    bypass: chosen(AGEINGS, 'ageing').bypass,
    count: Number(data.get('count')),
    seed: Number(data.get('seed')),
  }
}

/** Minutes and seconds, 1:05. */
const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

/** What is being shown, and how far it is. */
class Show {
  readonly #comparison: Comparison
  readonly #pictures: readonly LanePicture[]
  readonly #charts: ReadonlyMap<string, LiveChart>
  #points = 0
  now = 0

  constructor(comparison: Comparison) {
    this.#comparison = comparison
    const { lanes, places } = comparison
    this.#pictures = lanes.map(({ name, label }) => createPicture(element(`lane-${name}`), label, places))
    this.#charts = new Map(
      CHARTS.map((name) => [name, createChart(element(`chart-${name}`), { controllers: POLICIES, xLabel: clockText })]),
    )
  }

  get isOver(): boolean {
    return this.now >= this.#comparison.end
  }

  advance(seconds: number): void {
    this.now = Math.min(this.#comparison.end, this.now + seconds)
  }

  draw(): void {
    const { requests, lanes, end } = this.#comparison
    for (; (this.#points * end) / CHART_POINTS <= this.now && this.#points <= CHART_POINTS; this.#points++) {
      const at = (this.#points * end) / CHART_POINTS
      const moments = lanes.map((lane) => momentOf(requests, lane, at))
      this.#charts.get('wait')!.push(
        at,
        moments.map(({ meanWait }) => meanWait),
      )
      this.#charts.get('completion')!.push(
        at,
        moments.map(({ meanCompletion }) => meanCompletion),
      )
      this.#charts.get('queue')!.push(
        at,
        moments.map(({ waiting }) => waiting.length),
      )
      this.#charts.get('longest')!.push(
        at,
        moments.map(({ longestWait }) => longestWait),
      )
    }
    for (const chart of this.#charts.values()) chart.draw()
    for (const [i, lane] of lanes.entries()) {
      this.#pictures[i]!.draw(requests, lane, momentOf(requests, lane, this.now), this.now)
    }
    element('meter').querySelector('i')!.style.width = `${(100 * this.now) / end}%`
  }

  dispose(): void {
    for (const chart of this.#charts.values()) chart.dispose()
  }
}

/** What the whole run comes to, known before it is shown. */
function showOutcome({ requests, lanes }: Comparison): void {
  const [fcfs, ssjf] = [outcomeOf(requests, lanes[0]), outcomeOf(requests, lanes[1])] as const
  const change = ssjf.meanCompletion / fcfs.meanCompletion - 1
  const percent = `${Math.abs(100 * change).toFixed(0)} % ${change <= 0 ? 'sooner' : 'later'}`
  const longest = fcfs.longestWait > 0 ? (ssjf.longestWait / fcfs.longestWait).toFixed(1) : '1.0'
  element('headline').replaceChildren(
    create('b', `Shortest first, answers are there ${percent} on average`),
    ` over the whole run; the longest wait is ${longest} times that of first come, first served. Simulated.`,
  )
  const head = ['mean wait', 'mean completion', 'p99 completion', 'longest wait', 'shorter half', 'longer half']
  const row = (label: string, values: readonly number[]): HTMLElement =>
    create('tr', create('th', label), ...values.map((value) => create('td', `${value.toFixed(value < 10 ? 1 : 0)} s`)))
  const cells = ({ meanWait, meanCompletion, p99Completion, longestWait, shorter, longer }: typeof fcfs) => [
    ...[meanWait, meanCompletion, p99Completion, longestWait, shorter, longer],
  ]
  element('results').replaceChildren(
    create('thead', create('tr', create('th', 'order'), ...head.map((title) => create('th', title)))),
    create('tbody', row(lanes[0].label, cells(fcfs)), row(lanes[1].label, cells(ssjf))),
  )
}

function setUpTheme(redraw: () => void): void {
  const root = document.documentElement
  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  element('theme').addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'
    redraw()
  })
}

function showChoices(): void {
  element('load-text').textContent = `${Math.round(100 * Number(input('load').value))} %`
  element('ageing-text').textContent = chosen(AGEINGS, 'ageing').label
  element('speed-text').textContent = chosen(SPEEDS, 'speed').label
}

function run(core: ServeCore, predictor: LengthPredictor): void {
  let show: Show | undefined
  let isPaused = matchMedia('(prefers-reduced-motion: reduce)').matches
  let before = performance.now()

  /** @param now  simulated seconds from which on the new run is shown */
  const begin = (now: number): void => {
    if (!form().checkValidity()) return
    const comparison = compare(core, predictor, settings())
    show?.dispose()
    show = new Show(comparison)
    show.advance(now)
    showOutcome(comparison)
    show.draw()
    tell()
  }
  const tell = (): void => {
    if (!show) return
    element('pause').textContent = isPaused ? 'Go on' : 'Pause'
    const time = `${clockText(show.now)} of simulated time`
    say(show.isOver ? `done, ${time}` : isPaused ? `paused at ${time}` : time)
  }
  const frame = (time: number): void => {
    const elapsed = Math.min(LONGEST_FRAME_MS, time - before)
    before = time
    if (show && !isPaused && !show.isOver) {
      show.advance((elapsed / 1000) * chosen(SPEEDS, 'speed').factor)
      show.draw()
      tell()
    }
    requestAnimationFrame(frame)
  }

  setUpTheme(() => {
    showLegend(POLICIES)
    show?.draw()
  })
  showLegend(POLICIES)
  showClasses()
  form().addEventListener('input', showChoices)
  form().addEventListener('change', (event) => {
    if ((event.target as HTMLElement).id !== 'speed') begin(show && !show.isOver ? show.now : 0)
  })
  form().addEventListener('submit', (event) => {
    event.preventDefault()
    isPaused = false
    begin(0)
  })
  element('pause').addEventListener('click', () => {
    isPaused = !isPaused
    tell()
  })
  addEventListener('resize', () => show?.draw())
  showChoices()
  begin(0)
  requestAnimationFrame(frame)
}

createServeCore()
  .then((core) => {
    const predictor = LengthPredictor.load(core, defaultLengthWeights())
    learnFromPast(core, predictor)
    run(core, predictor)
  })
  .catch((error: unknown) => say(error instanceof Error ? error.message : String(error), true))
