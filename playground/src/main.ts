import { createChart, type LiveChart } from './charts.js'
import { chosenSpeed, readOptions, setUpControls } from './controls.js'
import type { FromWorker, LiveEvent, ToWorker } from './protocol.js'
import { element, showLegend, showResults, showStages } from './view.js'

const STEPS_SHOWN = 1440 // minutes

interface Charts {
  readonly rounds: LiveChart
  /** Step by step, of autoscaling only. */
  readonly steps?: Readonly<Record<'latency' | 'dollars' | 'cores', LiveChart>>
}

interface Run {
  readonly worker: Worker
  readonly stages: string[]
  charts: Charts | undefined
  start: Extract<LiveEvent, { type: 'start' }> | undefined
  /** The module of a task that was chosen as a file. */
  readonly moduleUrl: string | undefined
  reportUrl: string | undefined
  isPaused: boolean
}

let run: Run | undefined

const chartsOf = (of: Run | undefined): LiveChart[] =>
  of?.charts ? [of.charts.rounds, ...Object.values(of.charts.steps ?? {})] : []

const send = (message: ToWorker) => run?.worker.postMessage(message)

function say(text: string, hasFailed = false): void {
  element('status').textContent = text
  element('status').classList.toggle('failed', hasFailed)
}

function setButtons(isRunning: boolean): void {
  element<HTMLButtonElement>('run').disabled = isRunning
  element<HTMLButtonElement>('pause').disabled = !isRunning
  element<HTMLButtonElement>('stop').disabled = !isRunning
  element('pause').textContent = 'Pause'
}

async function begin(): Promise<void> {
  end()
  setButtons(true)
  say('starting')
  element('outcome').hidden = true
  try {
    const options = await readOptions()
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    const moduleUrl = options.task.startsWith('blob:') ? options.task : undefined
    run = { worker, stages: [], charts: undefined, start: undefined, moduleUrl, reportUrl: undefined, isPaused: false }
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data))
    worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not start'))
    send({ type: 'run', options, stepsPerSecond: chosenSpeed() })
  } catch (error) {
    fail((error as Error).message)
  }
}

/** Stops the worker; what was drawn stays until the next run. */
function end(): void {
  run?.worker.terminate()
  for (const url of [run?.moduleUrl, run?.reportUrl]) if (url) URL.revokeObjectURL(url)
  for (const chart of chartsOf(run)) chart.dispose()
  run = undefined
}

function fail(message: string): void {
  run?.worker.terminate()
  setButtons(false)
  say(message, true)
}

function receive(message: FromWorker): void {
  if (message.type === 'failed') fail(message.message)
  else for (const event of message.events) show(event)
  for (const chart of chartsOf(run)) chart.draw()
}

function show(event: LiveEvent): void {
  if (!run) return
  switch (event.type) {
    case 'note':
      say(event.text)
      break
    case 'start':
      showStart(event)
      break
    case 'step': {
      const { latency, dollars, cores } = run.charts!.steps!
      latency.push(event.minute, event.p99OverSlo)
      dollars.push(event.minute, event.dollarsPerHour)
      cores.push(event.minute, event.cores)
      break
    }
    case 'round':
      showRound(event)
      break
    case 'done':
      run.worker.terminate()
      setButtons(false)
      showResults(event.outcome)
      run.reportUrl = URL.createObjectURL(new Blob([event.outcome.page], { type: 'text/html' }))
      say('judged on what nobody has learned from: done')
      break
    default:
      event satisfies never
  }
}

function showStart(event: Extract<LiveEvent, { type: 'start' }>): void {
  const { controllers, hasSteps, value, stage, reference } = event
  const hours = (minutes: number) => `${Number((minutes / 60).toFixed(1))} h`
  const live = { controllers, window: STEPS_SHOWN, xLabel: hours }
  const place = (name: string) => {
    const container = element(`chart-${name}`)
    container.replaceChildren()
    return container
  }
  for (const section of document.querySelectorAll<HTMLElement>('[data-steps]')) section.hidden = !hasSteps
  element('rounds').classList.toggle('wide', !hasSteps)
  element('rounds-text').textContent = value
  element('stage-text').textContent = stage
  run!.start = event
  run!.charts = {
    rounds: createChart(place('rounds'), {
      ...{ controllers, xLabel: String },
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
  showLegend(controllers)
}

function showRound({ round, values, stage, text }: Extract<LiveEvent, { type: 'round' }>): void {
  const { charts, start, stages } = run!
  charts!.rounds.push(round + 1, values)
  stages.push(stage)
  showStages(stages, start!.rounds)
  element('meter').querySelector('i')!.style.width = `${((round + 1) / start!.rounds) * 100}%`
  say(text)
}

function setUpTheme(): void {
  const root = document.documentElement
  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  element('theme').addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'
    if (run?.start) showLegend(run.start.controllers)
    for (const chart of chartsOf(run)) chart.draw()
  })
}

setUpTheme()
setUpControls((stepsPerSecond) => send({ type: 'speed', stepsPerSecond }))
element('controls').addEventListener('submit', (event) => {
  event.preventDefault()
  void begin()
})
element('pause').addEventListener('click', () => {
  if (!run) return
  run.isPaused = !run.isPaused
  element('pause').textContent = run.isPaused ? 'Resume' : 'Pause'
  send({ type: 'pause', isPaused: run.isPaused })
})
element('stop').addEventListener('click', () => {
  run?.worker.terminate()
  setButtons(false)
  say('stopped')
})
element('report').addEventListener('click', () => {
  if (run?.reportUrl) open(run.reportUrl)
})
