import { renderReport } from 'trimtab/report'
import { createChart, type LiveChart } from './charts.js'
import { chosenSpeed, readOptions, setUpControls } from './controls.js'
import type { FromWorker, LiveEvent, ToWorker } from './protocol.js'
import { element, showLegend, showResults, showStages } from './view.js'

const STEPS_SHOWN = 300

interface Run {
  readonly worker: Worker
  readonly stages: string[]
  charts: Readonly<Record<'latency' | 'cores' | 'replicas' | 'reward', LiveChart>> | undefined
  start: Extract<LiveEvent, { type: 'start' }> | undefined
  reportUrl: string | undefined
  isPaused: boolean
}

let run: Run | undefined

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
    run = { worker, stages: [], charts: undefined, start: undefined, reportUrl: undefined, isPaused: false }
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
  if (run?.reportUrl) URL.revokeObjectURL(run.reportUrl)
  for (const chart of Object.values(run?.charts ?? {})) chart.dispose()
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
  for (const chart of Object.values(run?.charts ?? {})) chart.draw()
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
      const { charts, start } = run
      const minutes = ((event.episode * (start!.stepsPerEpisode + 1) + event.step) * start!.stepSeconds) / 60
      charts?.latency.push(minutes, event.p99Ms)
      charts?.cores.push(minutes, event.requestedCores)
      charts?.replicas.push(minutes, event.replicas)
      break
    }
    case 'episode':
      showEpisode(event)
      break
    case 'done':
      run.worker.terminate()
      setButtons(false)
      showResults(event.report)
      run.reportUrl = URL.createObjectURL(new Blob([renderReport(event.report)], { type: 'text/html' }))
      say(`${run.start!.episodes} episodes of learning, judged on unseen load: done`)
      break
    default:
      event satisfies never
  }
}

function showStart(event: Extract<LiveEvent, { type: 'start' }>): void {
  const { controllers, sloMs } = event
  const hours = (minutes: number) => `${Number((minutes / 60).toFixed(1))} h`
  const live = { controllers, window: STEPS_SHOWN, xLabel: hours }
  const place = (name: string) => {
    const container = element(`chart-${name}`)
    container.replaceChildren()
    return container
  }
  run!.start = event
  run!.charts = {
    latency: createChart(place('latency'), {
      ...live,
      range: 'logarithmic',
      reference: { value: sloMs, label: `SLO ${sloMs.toFixed(0)} ms` },
    }),
    cores: createChart(place('cores'), { ...live, isStepped: true }),
    replicas: createChart(place('replicas'), { ...live, isStepped: true }),
    reward: createChart(place('reward'), { controllers, range: 'fit', xLabel: String }),
  }
  showLegend(controllers)
}

function showEpisode(event: Extract<LiveEvent, { type: 'episode' }>): void {
  const { charts, start, stages } = run!
  const gap = start!.controllers.map(() => null)
  const minutes = ((event.episode + 1) * (start!.stepsPerEpisode + 1) * start!.stepSeconds) / 60
  for (const chart of [charts!.latency, charts!.cores, charts!.replicas]) chart.push(minutes, gap) // episodes start elsewhere
  charts!.reward.push(event.episode + 1, event.reward)
  stages.push(event.stage)
  showStages(stages, start!.episodes)
  element('stage-text').textContent = `now: ${event.stage}`
  element('meter').querySelector('i')!.style.width = `${((event.episode + 1) / start!.episodes) * 100}%`
  say(`learning, episode ${event.episode + 1} of ${start!.episodes}, stage ${event.stage}`)
}

function setUpTheme(): void {
  const root = document.documentElement
  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  element('theme').addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'
    if (run?.start) showLegend(run.start.controllers)
    for (const chart of Object.values(run?.charts ?? {})) chart.draw()
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
