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

export function showProgress(share01: number): void {
  element('meter').querySelector('i')!.style.transform = `scaleX(${share01})`
}

export const prefersStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** A new element of a drawing. */
export function shape(tag: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag) as SVGElement
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.textContent = text
  return made
}
