// The form: what can be chosen, and what was.
import { CONTROL_TASKS } from 'trimtab/tasks'
import { LOAD_SHAPES, loadOf } from './loads.js'
import type { LiveOptions } from './protocol.js'
import { create, element } from './view.js'

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

const option = (value: string, label: string) => Object.assign(create('option', label), { value })
const form = () => element<HTMLFormElement>('controls')
const speed = () => SPEEDS[Number(element<HTMLInputElement>('speed').value)]!

export function setUpControls(onSpeed: (stepsPerSecond: number) => void): void {
  setUpTasks()
  element('app').replaceChildren(...APPS.map((seed) => option(String(seed), `application ${seed}`)))
  element('load').replaceChildren(...LOAD_SHAPES.map(({ name, label }) => option(name, label)))
  element('load').addEventListener('change', () => {
    element('file-row').hidden = new FormData(form()).get('load') !== 'file'
  })
  const showSpeed = () => {
    element('speed-text').textContent = speed().label
  }
  element('speed').addEventListener('input', () => {
    showSpeed()
    onSpeed(speed().stepsPerSecond)
  })
  showSpeed()
}

/** The tasks that are registered, the one that the page's address names (`?task=cpu-frequency`, `?task=./mine.js`), and one's own file. */
function setUpTasks(): void {
  const tasks = element<HTMLSelectElement>('task')
  const asked = new URLSearchParams(location.search).get('task') ?? 'autoscaling'
  const names = [...new Set([...CONTROL_TASKS, asked])]
  tasks.replaceChildren(...names.map((name) => option(name, name)), option(OWN_FILE, 'my own file…'))
  tasks.value = asked
  const show = () => {
    element('module-row').hidden = tasks.value !== OWN_FILE
    element('autoscaling').hidden = tasks.value !== 'autoscaling'
    element('episodes-row').hidden = tasks.value === 'autoscaling'
  }
  tasks.addEventListener('change', show)
  show()
}

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
  if (CONTROL_TASKS.includes(task)) return task
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
