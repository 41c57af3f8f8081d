// The page of autoscaling, and of any other task: the rule against what learned, round by round.
import { timeAxis, WHOLE } from '../run/axis.js'
import { createChart, type LiveChart } from '../run/charts.js'
import { showLegend, showResults } from '../run/controllers.js'
import { setUpRunPage, tell } from '../run/run-page.js'
import { element, showProgress } from '../shell/dom.js'
import { chosenSpeed, chosenTask, isKnownTask, readOptions, setUpControls, showFields } from './controls.js'
import type { LiveEvent, LiveOptions, Outcome } from './protocol.js'
import { showStages } from './stages.js'

const DAY_MINUTES = 1440

type Start = Extract<LiveEvent, { type: 'start' }>

interface Charts {
  readonly rounds: LiveChart
  /** Step by step, of autoscaling only. */
  readonly steps?: Readonly<Record<'latency' | 'dollars' | 'cores', LiveChart>>
}

/** What is shown of a run. */
interface Shown {
  readonly start: Start
  readonly charts: Charts
  readonly stages: string[]
}

let shown: Shown | undefined
let reportUrl: string | undefined

const charts = (): LiveChart[] => (shown ? [shown.charts.rounds, ...Object.values(shown.charts.steps ?? {})] : [])

function clear(): void {
  if (reportUrl) URL.revokeObjectURL(reportUrl)
  reportUrl = undefined
  for (const chart of charts()) chart.dispose()
  shown = undefined
  element('outcome').hidden = true
  element('stages').replaceChildren()
}

function show(event: LiveEvent): void {
  switch (event.type) {
    case 'note':
      tell(event.text)
      showProgress(undefined)
      break
    case 'start':
      clear()
      shown = { start: event, charts: createCharts(event), stages: [] }
      showLegend(event.controllers)
      break
    case 'step': {
      const { start, charts } = shown!
      const { latency, dollars, cores } = charts.steps!
      tell(`${clockText(event.minute)}, of ${start.rounds} days`, event.minute / (DAY_MINUTES * start.rounds))
      latency.push(event.minute, event.p99OverSlo)
      dollars.push(event.minute, event.dollarsPerHour)
      cores.push(event.minute, event.cores)
      break
    }
    case 'round':
      shown!.charts.rounds.push(event.round + 1, event.values)
      shown!.stages.push(event.stage)
      showStages(shown!.stages, shown!.start.rounds)
      tell(event.text, (event.round + 1) / shown!.start.rounds)
      break
    case 'done':
      showOutcome(event.outcome)
      tell(`done: judged on ${shown!.start.hasSteps ? 'load' : 'episodes'} that nobody has learned from`)
      break
    default:
      event satisfies never
  }
}

/** Of minutes since the start: day 1, 04:10. */
function clockText(minutes: number): string {
  const ofDay = minutes % DAY_MINUTES
  const digits = [ofDay / 60, ofDay % 60].map((part) => String(Math.floor(part)).padStart(2, '0'))
  return `day ${Math.floor(minutes / DAY_MINUTES) + 1}, ${digits.join(':')}`
}

/** The cards of a task: only autoscaling has charts of steps. */
function showCards(hasSteps: boolean): void {
  for (const section of document.querySelectorAll<HTMLElement>('[data-steps]')) section.hidden = !hasSteps
  element('rounds').classList.toggle('wide', !hasSteps)
}

const heading = document.querySelector('h1')!
const TITLE = heading.textContent
const isAutoscaling = (): boolean => chosenTask().value === 'autoscaling'

/** The heading of the chosen task; what is said below it is said of autoscaling. */
function showHeading(): void {
  heading.textContent = isAutoscaling() ? TITLE : chosenTask().text
  document.querySelector<HTMLElement>('.about dl')!.hidden = !isAutoscaling()
}

/** What is shown is not of the task that is chosen now, and nothing but autoscaling has a recorded run. */
function changeTask(): void {
  showHeading()
  if (isAutoscaling()) {
    controls.replay()
    return
  }
  controls.leave('press Run: its rules and what learned play the same episodes')
  showCards(false)
  showLegend([])
  element('rounds-text').textContent = 'episode by episode'
  element('stage-text').textContent = 'who decides in each learning episode'
}

function createCharts({ controllers, hasSteps, value, stage, reference }: Start): Charts {
  const live = { controllers, window: DAY_MINUTES, x: timeAxis(60) }
  const place = (name: string) => element(`chart-${name}`)
  showCards(hasSteps)
  element('rounds-text').textContent = value
  element('stage-text').textContent = stage
  return {
    rounds: createChart(place('rounds'), {
      ...{ controllers, x: WHOLE },
      ...(reference ? { reference } : { range: 'fit' as const }),
    }),
    ...(hasSteps && {
      steps: {
        latency: createChart(place('latency'), {
          ...live,
          range: 'logarithmic',
          reference: { value: 1, label: 'SLO' },
        }),
        dollars: createChart(place('dollars'), live),
        cores: createChart(place('cores'), live),
      },
    }),
  }
}

function showOutcome(outcome: Outcome): void {
  showResults(outcome, outcome.findings)
  reportUrl = outcome.page && URL.createObjectURL(new Blob([outcome.page], { type: 'text/html' }))
  element('report').hidden = reportUrl === undefined
}

function draw(): void {
  for (const chart of charts()) chart.draw()
}

setUpControls((stepsPerSecond) => controls.setPace(stepsPerSecond))
const controls = setUpRunPage<LiveOptions, LiveEvent>({
  worker: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  read: readOptions,
  pace: chosenSpeed,
  ...{ clear, show, draw },
  redraw() {
    if (shown) showLegend(shown.start.controllers)
    draw()
  },
  startsFromLink: isKnownTask,
})
showFields()
showHeading()
if (!isKnownTask()) changeTask() // a link may name somebody's module, which runs when its visitor says so
element('task').addEventListener('change', changeTask)
element('report').addEventListener('click', () => {
  if (reportUrl) open(reportUrl)
})
