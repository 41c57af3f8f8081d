// The page of serving: what is chosen is replayed at once by its worker, then shown as it would have gone, moment by moment.
import { timeAxis } from '../run/axis.js'
import { createChart, type LiveChart } from '../run/charts.js'
import { showLegend } from '../run/controllers.js'
import { element, foldSettings, leaveNote, prefersStill, say, setComputing, showProgress } from '../shell/dom.js'
import { setUpDrop } from '../shell/drop.js'
import { restoreForm, setUpShare } from '../shell/share.js'
import { setUpTheme } from '../shell/theme.js'
import type { Settings } from './comparison.js'
import { showOutcome, showSaving } from './outcome.js'
import { showClasses } from './picture.js'
import type { PowerComparison } from './power.js'
import type { FromWorker, ToWorker } from './protocol.js'
import { clockText, POLICIES, Show } from './show.js'

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
const CLOCKS = [
  { name: 'fcfs', label: 'clocks at their maximum', kind: 'rule' },
  { name: 'trimtab', label: 'clocks that follow the slack', kind: 'learner' },
] as const

const form = element<HTMLFormElement>('controls')
const chosen = <T>(list: readonly T[], id: string): T => list[Number(element<HTMLInputElement>(id).value)]!

function question(number: number): ToWorker {
  const data = new FormData(form)
  const seed = Number(data.get('seed'))
  const settings: Settings = {
    load: Number(data.get('load')),
    batching: data.get('batching') as Settings['batching'],
    bypass: chosen(AGEINGS, 'ageing').bypass,
    count: Number(data.get('count')),
    seed,
  }
  const isLearning = element<HTMLInputElement>('learns').checked
  return { number, settings, log, isLearning, power: { sloScale: Number(data.get('sloScale')), seed } }
}

function showChoices(): void {
  element('load-text').textContent = `${Math.round(100 * Number(element<HTMLInputElement>('load').value))} %`
  element('ageing-text').textContent = chosen(AGEINGS, 'ageing').label
  element('speed-text').textContent = chosen(SPEEDS, 'speed').label
}

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
let asked = 0
let show: Show | undefined
let clocks: { readonly power: PowerComparison; readonly chart: LiveChart; drawn: number } | undefined
let isPaused = prefersStill()
/** What is shown is of before the last question: it stands still. */
let isWaiting = false
/** Of the visitor's own; without one, requests are made up. */
let log: File | undefined
/** Simulated second from which on the next comparison is shown. */
let from = 0

function ask(at: number): void {
  const wrong = form.querySelector<HTMLInputElement>('input:invalid')
  if (wrong) {
    say(`${wrong.name} must be ${wrong.min} to ${wrong.max}`, true)
    return
  }
  from = at
  isWaiting = true
  setComputing(true)
  if (at === 0) say(log ? `reading ${log.name}` : 'serving the requests')
  worker.postMessage(question(++asked))
}

/** Says what is wrong, and takes away what was shown of something else. */
function fail(message: string): void {
  clear()
  say(message, true)
}

function clear(): void {
  isWaiting = false
  setComputing(false)
  show?.dispose()
  show = undefined
  element('verdict').hidden = true
  showProgress(0)
}

/** Begins anew with the requests of a log, or with those that are made up. */
function serve(file: File | undefined): void {
  log = file
  element('made-up').hidden = file === undefined
  element('learns-row').hidden = file === undefined
  leaveNote('')
  showProgress(undefined)
  ask(0)
}

function takeLog(files: readonly File[]): void {
  if (files.length === 1) serve(files[0])
  else fail(`${files.length} files: drop one log at a time`)
}

function receive(message: FromWorker): void {
  if (message.number !== asked) return
  if (message.type === 'failed') {
    fail(message.message)
    return
  }
  if (message.type === 'power') {
    clocks?.chart.dispose()
    const { maximumMhz } = message.power
    const chart = createChart(element('chart-clocks'), {
      ...{ controllers: CLOCKS, x: timeAxis() },
      reference: { value: maximumMhz, label: `maximum ${maximumMhz} MHz` },
    })
    clocks = { power: message.power, chart, drawn: 0 }
    showSaving(message.power)
  } else {
    isWaiting = false
    setComputing(false)
    show?.dispose()
    show = new Show(message.comparison)
    show.advance(prefersStill() ? Number.POSITIVE_INFINITY : from)
    showOutcome(message.comparison)
  }
  draw()
  tell()
}

function draw(): void {
  show?.draw()
  if (!clocks || !show) return
  const { chart, power, drawn } = clocks
  for (; clocks.drawn < show.share01 * power.clocksMhz.length; clocks.drawn++) {
    chart.push(clocks.drawn + 1, [power.maximumMhz, power.clocksMhz[clocks.drawn]!])
  }
  if (clocks.drawn > drawn) chart.draw()
}

function tell(): void {
  if (!show) return
  element('pause').textContent = isPaused ? 'Resume' : 'Pause'
  const time = `${clockText(show.now)} of simulated time`
  say(show.isOver ? `done, ${time}` : isPaused ? `paused at ${time}` : time)
}

let before = performance.now()
function frame(time: number): void {
  const elapsed = Math.min(LONGEST_FRAME_MS, time - before)
  before = time
  if (show && !isPaused && !isWaiting && !show.isOver) {
    show.advance((elapsed / 1000) * chosen(SPEEDS, 'speed').factor)
    draw()
    tell()
  }
  requestAnimationFrame(frame)
}

worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data))
worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not start'))
setUpTheme(() => {
  showLegend(POLICIES)
  show?.drawCharts()
  clocks?.chart.draw()
  draw()
})
showLegend(POLICIES)
showClasses()
form.addEventListener('input', showChoices)
form.addEventListener('change', (event) => {
  if (!['speed', 'log'].includes((event.target as HTMLElement).id)) ask(show && !show.isOver ? show.now : 0)
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  isPaused = false
  ask(0)
})
element('pause').addEventListener('click', () => {
  isPaused = !isPaused
  tell()
})
setUpDrop(takeLog)
element('made-up').addEventListener('click', () => {
  element<HTMLInputElement>('log').value = ''
  serve(undefined)
})
addEventListener('resize', draw)
restoreForm(form)
setUpShare(form, () => log !== undefined)
foldSettings()
showChoices()
ask(0)
requestAnimationFrame(frame)
