// Elements of a page, and where it says how it goes.

export function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found as E
}

/** A new element with its text or children. */
export function create(tag: string, ...children: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(tag)
  made.append(...children)
  return made
}

export const option = (value: string, label: string): HTMLOptionElement =>
  Object.assign(document.createElement('option'), { value, textContent: label })

/** What the page is doing, or what went wrong, beside the button that began it. */
export function say(text: string, hasFailed = false): void {
  const status = element('status')
  status.textContent = text
  status.classList.toggle('failed', hasFailed)
  if (hasFailed) status.scrollIntoView({ block: 'nearest' })
}

/** How far it is; `undefined`: it goes on, and nobody knows how far it is. */
export function showProgress(share01: number | undefined): void {
  const meter = element('meter')
  meter.classList.toggle('unknown', share01 === undefined)
  meter.querySelector('i')!.style.transform = share01 === undefined ? '' : `scaleX(${share01})`
}

/** While something new is computed, what was shown stays, and is seen to be of before. */
export function setComputing(isComputing: boolean): void {
  document.querySelector('.charts, .parts')!.ariaBusy = String(isComputing)
}

/** What stays to be read beside the status, which soon tells something else. An empty text takes it away. */
export function leaveNote(text: string): void {
  element('note').textContent = text
}

/** On a narrow screen results come before settings. */
export function foldSettings(): void {
  const settings = document.querySelector<HTMLDetailsElement>('details.settings')
  if (settings) settings.open = matchMedia('(min-width: 1001px)').matches
}

export const prefersStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** A new element of a drawing. */
export function shape(tag: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.textContent = text
  return made
}
