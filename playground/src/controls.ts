// The form: what can be chosen, and what was.
import { LOAD_SHAPES, loadOf } from './loads.js'
import type { LiveOptions } from './protocol.js'
import { create, element } from './view.js'

const APPS = Array.from({ length: 12 }, (_, i) => i + 1)

/** Simulated steps of 15 s a second; the last is as fast as the machine can. */
const SPEEDS: readonly { readonly stepsPerSecond: number; readonly label: string }[] = [
  { stepsPerSecond: 10, label: '2.5 min a second' },
  { stepsPerSecond: 60, label: '15 min a second' },
  { stepsPerSecond: 240, label: '1 h a second' },
  { stepsPerSecond: 1200, label: '5 h a second' },
  { stepsPerSecond: Number.POSITIVE_INFINITY, label: 'as fast as it goes' },
]

const option = (value: string, label: string) => Object.assign(create('option', label), { value })
const form = () => element<HTMLFormElement>('controls')
const speed = () => SPEEDS[Number(element<HTMLInputElement>('speed').value)]!

export function setUpControls(onSpeed: (stepsPerSecond: number) => void): void {
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

export const chosenSpeed = (): number => speed().stepsPerSecond

/** @throws {Error} when a file is to be used and none was chosen */
export async function readOptions(): Promise<LiveOptions> {
  const values = new FormData(form())
  const number = (name: string) => Number(values.get(name))
  const shape = LOAD_SHAPES.find(({ name }) => name === values.get('load'))!
  const load = shape.name === 'file' ? await readFile(values.get('file')) : loadOf(shape)
  const options = { app: number('app'), sloFactor: number('slo'), seed: number('seed'), episodes: number('episodes') }
  return load ? { ...options, load } : options
}

async function readFile(file: FormDataEntryValue | null): Promise<{ readonly name: string; readonly text: string }> {
  if (!(file instanceof File) || file.size === 0) throw new Error('choose a file of requests per minute first')
  return { name: file.name, text: await file.text() }
}
