import {
  durationText,
  mountTraceReport,
  type PlaceView,
  placeText,
  renderPartsStyle,
  renderTraceParts,
  renderTraceReport,
  speedText,
  type TraceReport,
  type WhatIfView,
} from 'trimtab/trace/report'
import { create, element, foldSettings, option, prefersStill, say, setComputing, showProgress } from '../shell/dom.js'
import { setUpDrop } from '../shell/drop.js'
import { restoreForm, setUpShare } from '../shell/share.js'
import { setUpTheme } from '../shell/theme.js'
import { changeOf, type FromWorker, type Question, type ToWorker } from './protocol.js'
import { SAMPLES } from './samples.js'

const NONE = 'none'

let worker: Worker | undefined
let report: TraceReport | undefined
/** What was asked last; a change of the form asks again. */
let source: Question['source'] | undefined

const input = (id: string) => element<HTMLInputElement>(id)
const select = (id: string) => element<HTMLSelectElement>(id)

/** Asks the worker, a new one each time: what the last one was still doing does not matter any more. */
function ask(): void {
  if (!source) return
  worker?.terminate()
  worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => receive(data))
  worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not start'))
  const [from, to] = select('slice').value.split('-').map(Number)
  const service = select('service').value
  const question: Question = {
    source,
    ...(service && { service }),
    ...(to !== undefined && { slice: { from: from!, to } }),
    mode: select('mode').value as Question['mode'],
    overlapTolerance: input('tolerance').checked ? 'auto' : 0,
  }
  say(source.type === 'sample' ? 'simulating 30 s of the application, then analysing' : 'reading')
  showProgress(undefined)
  setComputing(true)
  worker.postMessage({ type: 'analyse', question } satisfies ToWorker)
}

function fail(message: string): void {
  worker?.terminate()
  worker = undefined
  report = undefined
  setComputing(false)
  showProgress(0)
  element('parts').replaceChildren()
  element('gain').replaceChildren()
  element<HTMLFieldSetElement>('what-if').disabled = true
  element<HTMLButtonElement>('save').disabled = true
  say(message, true)
}

function receive(message: FromWorker): void {
  switch (message.type) {
    case 'progress':
      showProgress(message.read01)
      say(
        `${message.spans.toLocaleString('en')} spans, ${Math.round(message.spansPerSecond).toLocaleString('en')} a second`,
      )
      break
    case 'done':
      show(message)
      break
    case 'what-if':
      showGain(message.view)
      break
    case 'failed':
      fail(message.message)
      break
    default:
      message satisfies never
  }
}

function show({ report: found, services, seconds }: Extract<FromWorker, { type: 'done' }>): void {
  report = found
  setComputing(false)
  const parts = element('parts')
  parts.classList.toggle('playing', seconds === undefined && !prefersStill())
  parts.innerHTML = renderTraceParts(found)
  mountTraceReport(parts)
  element<HTMLButtonElement>('save').disabled = false
  const chosen = select('service').value
  select('service').replaceChildren(option('', 'any service'), ...services.map((name) => option(name, name)))
  select('service').value = services.includes(chosen) ? chosen : ''
  setUpWhatIf(found.services, found.settings.mode === 'blocking' && found.services.length > 0)
  showProgress(1)
  const { traces, spans } = found.source
  const what = `${traces.toLocaleString('en')} requests, ${spans.toLocaleString('en')} spans`
  say(seconds === undefined ? `recorded run · ${what}` : `${what} in ${seconds.toFixed(2)} s`)
}

/** The slider counts in steps: to the right twice, three times … as fast, to the left as slow. */
const chosenSpeedUp = (): number => {
  const step = Number(input('factor').value)
  return step >= 0 ? 1 + step / 4 : 1 / (1 - step / 4)
}

/** What the page offers to make faster, in the order of the list. */
let places: readonly PlaceView[] = []

function askWhatIf(): void {
  showFactor()
  const change = changeOf(places[select('fix').selectedIndex]!, chosenSpeedUp())
  worker?.postMessage({ type: 'what-if', change } satisfies ToWorker)
}

/** A change of the form. A recorded answer has no requests to replay: they are simulated first, and then asked. */
function changeWhatIf(): void {
  if (worker) askWhatIf()
  else ask()
}

function showFactor(): void {
  element('factor-text').textContent = speedText(chosenSpeedUp())
}

function showGain({ gain01, pessimistic01, optimistic01, meanUs, p99Us }: WhatIfView): void {
  const percent = (share01: number) => `${(Math.abs(share01) * 100).toFixed(1)} %`
  const [low, high] = [pessimistic01, optimistic01].map((share01) => (share01 * 100).toFixed(1))
  const range = low === high ? '' : ` (gain ${low} to ${high} %)`
  const words = gain01 >= 0 ? `${percent(gain01)} less` : `${percent(gain01)} more`
  element('gain').replaceChildren(
    create('b', `A request takes ${words}`),
    ` on average${range}: mean ${durationText(meanUs)}, p99 ${durationText(p99Us)}`,
  )
}

function setUpWhatIf(offered: readonly PlaceView[], isPossible: boolean): void {
  element<HTMLFieldSetElement>('what-if').disabled = !isPossible
  element('gain').replaceChildren()
  const chosen = select('fix').value
  places = offered
  const names = offered.map(placeText)
  select('fix').replaceChildren(...names.map((name) => option(name, name)))
  if (names.includes(chosen)) select('fix').value = chosen
  if (isPossible) askWhatIf()
}

/** Other files, other services. */
function begin(next: Question['source']): void {
  source = next
  select('service').value = ''
  ask()
}

function askFiles(files: readonly File[]): void {
  select('sample').value = NONE
  begin({ type: 'files', files, baseline: [...(input('baseline').files ?? [])] })
}

/** What was recorded, or what the address asks for: nobody finds an empty page. */
function openWith(): void {
  select('sample').value = SAMPLES[0]!.name
  for (const id of ['service', 'fix']) offerAsked(id)
  const isAsked = restoreForm(element('controls'))
  if (select('sample').value === NONE) select('sample').value = SAMPLES[0]!.name
  source = { type: 'sample', name: select('sample').value }
  if (isAsked) ask()
  else showRecorded().catch(ask)
}

/** Names that only an answer knows can be asked for before it is there. */
function offerAsked(id: string): void {
  const asked = new URLSearchParams(location.search).get(id)
  if (asked) select(id).append(option(asked, asked))
}

async function showRecorded(): Promise<void> {
  const { default: told } = await import('./recorded.json')
  if (!worker) for (const message of told as unknown as readonly FromWorker[]) receive(message)
}

function save(): void {
  if (!report) return
  const url = URL.createObjectURL(new Blob([renderTraceReport(report)], { type: 'text/html' }))
  Object.assign(document.createElement('a'), { href: url, download: 'trimtab-trace.html' }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

const sheet = new CSSStyleSheet() // no element: the page's policy allows none
sheet.replaceSync(renderPartsStyle('.parts'))
document.adoptedStyleSheets = [sheet]
setUpTheme()
setUpDrop(askFiles)
select('sample').replaceChildren(option(NONE, 'none'), ...SAMPLES.map(({ name, label }) => option(name, label)))
select('sample').addEventListener('change', () => {
  if (select('sample').value !== NONE) begin({ type: 'sample', name: select('sample').value })
})
input('baseline').addEventListener('change', () => {
  if (source?.type === 'files') begin({ ...source, baseline: [...(input('baseline').files ?? [])] })
})
for (const id of ['service', 'slice', 'mode', 'tolerance']) element(id).addEventListener('change', ask)
for (const id of ['fix', 'factor']) element(id).addEventListener('input', changeWhatIf)
element('controls').addEventListener('submit', (event) => event.preventDefault())
foldSettings()
setUpShare(element('controls'), () => source?.type === 'files')
openWith()
element('save').addEventListener('click', save)
