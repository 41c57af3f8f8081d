// The form: what can be chosen, and what was.
import { element, option } from '../shell/dom.js'
import { LOAD_SHAPES, loadOf } from './loads.js'
import type { LiveOptions } from './protocol.js'

const APPS = Array.from({ length: 12 }, (_, i) => i + 1)

/** Simulated minutes a second; the last is as fast as the machine can. */
const SPEEDS: readonly { readonly stepsPerSecond: number; readonly label: string }[] = [
  { stepsPerSecond: 15, label: '15 min a second' },
  { stepsPerSecond: 60, label: '1 h a second' },
  { stepsPerSecond: 240, label: '4 h a second' },
  { stepsPerSecond: 1440, label: 'a day a second' },
  { stepsPerSecond: Number.POSITIVE_INFINITY, label: 'as fast as it goes' },
]

const OWN_FILE = 'file'

const form = () => element<HTMLFormElement>('controls')
const speed = () => SPEEDS[Number(element<HTMLInputElement>('speed').value)]!

/** Fills the lists; what the address says is chosen afterwards. */
export function setUpControls(onSpeed: (stepsPerSecond: number) => void): void {
  setUpTasks()
  element('app').replaceChildren(...APPS.map((seed) => option(String(seed), `application ${seed}`)))
  element('load').replaceChildren(...LOAD_SHAPES.map(({ name, label }) => option(name, label)))
  form().addEventListener('input', ({ target }) => {
    showFields()
    if (target === element('speed')) onSpeed(speed().stepsPerSecond)
  })
}

/** The tasks that are registered, written into the page, the one that the address names (`?task=./mine.js`), and one's own file. */
function setUpTasks(): void {
  const asked = new URLSearchParams(location.search).get('task')
  if (asked !== null && !isRegistered(asked) && isAddress(asked)) tasks().prepend(option(asked, asked))
  tasks().append(option(OWN_FILE, 'my own file…'))
}

/** Shows what belongs to the chosen task and load. */
export function showFields(): void {
  const task = tasks().value
  element('module-row').hidden = task !== OWN_FILE
  element('autoscaling').hidden = task !== 'autoscaling'
  element('episodes-row').hidden = task === 'autoscaling'
  element('file-row').hidden = element<HTMLSelectElement>('load').value !== 'file'
  element('speed-text').textContent = speed().label
}

const tasks = () => element<HTMLSelectElement>('task')
/** A name that no task has is none; a module has a path. */
const isAddress = (task: string): boolean => /[/.:]/.test(task)
const isRegistered = (task: string): boolean =>
  [...tasks().querySelectorAll<HTMLOptionElement>('[data-registered]')].some(({ value }) => value === task)

/** Whether it is one of the tasks that this site knows: a link may start these, and nobody's module. */
export const isKnownTask = (): boolean => isRegistered(tasks().value)

export const chosenTask = (): HTMLOptionElement => tasks().selectedOptions[0]!

export const chosenSpeed = (): number => speed().stepsPerSecond

/** @throws {Error} when a file is to be used and none was chosen; when a module is of another site */
export async function readOptions(): Promise<LiveOptions> {
  const values = new FormData(form())
  const number = (name: string) => Number(values.get(name))
  const shape = LOAD_SHAPES.find(({ name }) => name === values.get('load'))!
  const load =
    shape.name === 'file' ? await readFile(values.get('file'), 'a file of requests per minute') : loadOf(shape)
  const task = await taskOf(String(values.get('task')), values.get('module'))
  const options = {
    task,
    app: number('app'),
    seed: number('seed'),
    episodes: number('episodes'),
    days: number('days'),
    sloFactor: number('slo'),
    resize: String(values.get('resize')) as LiveOptions['resize'],
  }
  return load ? { ...options, load } : options
}

/** What the worker loads. A module of another site is refused, whatever the page's address asks for: who follows a link has chosen nothing. */
async function taskOf(task: string, file: FormDataEntryValue | null): Promise<string> {
  if (task === OWN_FILE) {
    const { text } = await readFile(file, 'a module that exports a task')
    return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
  }
  if (isRegistered(task)) return task
  const { origin, href } = new URL(task, location.href)
  if (origin !== location.origin) throw new Error(`${href} is of another site: save it, and choose the file`)
  return href
}

async function readFile(
  file: FormDataEntryValue | null,
  what: string,
): Promise<{ readonly name: string; readonly text: string }> {
  if (!(file instanceof File) || file.size === 0) throw new Error(`choose ${what} first`)
  return { name: file.name, text: await file.text() }
}
