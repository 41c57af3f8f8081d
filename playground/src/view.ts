// What the page shows beside the charts: legend, stages, results.
import { styleOf } from 'trimtab/report'
import type { LiveController, Outcome } from './protocol.js'

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

/** The controller's line and its name. */
function nameOf(controller: LiveController): readonly Node[] {
  const style = styleOf(controller)
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 28 10')
  const path = document.createElementNS(svg.namespaceURI!, 'path')
  const isDark = document.documentElement.dataset.theme === 'dark'
  const attributes = {
    d: 'M1 5H27',
    stroke: isDark ? style.dark : style.light,
    'stroke-width': String(style.width),
    'stroke-dasharray': style.dash,
  }
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value)
  svg.append(path)
  return [svg, document.createTextNode(controller.label)]
}

export function showLegend(controllers: readonly LiveController[]): void {
  element('legend').replaceChildren(...controllers.map((controller) => create('li', ...nameOf(controller))))
}

/** One row a stage, one mark an episode. */
export function showStages(stages: readonly string[], episodes: number): void {
  const names = [...new Set(stages)]
  const rows = names.map((name) => {
    const strip = create('div')
    for (let i = 0; i < episodes; i++) {
      const mark = create('i')
      mark.classList.toggle('on', stages[i] === name)
      strip.append(mark)
    }
    const row = create('div', create('span', name), strip)
    row.className = 'stage'
    return row
  })
  element('stages').replaceChildren(...rows)
}

export function showResults({ heads, rows, findings }: Outcome): void {
  const head = create('tr', ...['controller', ...heads].map((text) => create('th', text)))
  const lines = rows.map(({ controller, cells }) => {
    const line = create('tr', create('th', ...nameOf(controller)), ...cells.map((text) => create('td', text)))
    line.classList.toggle('ours', controller.name === 'trimtab')
    return line
  })
  element('results').replaceChildren(create('thead', head), create('tbody', ...lines))
  element('findings').replaceChildren(...findings.map((text) => create('li', text)))
  element('outcome').hidden = false
}
