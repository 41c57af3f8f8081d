// Who is compared: a name, a label and one look in every chart and table.
import type { AutoscalerSummary } from 'trimtab/report'
import { styleOf } from 'trimtab/report'
import { create, element } from '../shell/dom.js'
import { isDark } from '../shell/theme.js'

export interface LiveController extends Pick<AutoscalerSummary, 'name' | 'label' | 'kind'> {
  /** What it is, for people who meet it first. */
  readonly note?: string
}

/** The controller's line and its name. */
export function nameOf(controller: LiveController): readonly Node[] {
  const style = styleOf(controller)
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 28 10')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(svg.namespaceURI!, 'path')
  const attributes = {
    d: 'M1 5H27',
    stroke: isDark() ? style.dark : style.light,
    'stroke-width': String(style.width),
    'stroke-dasharray': style.dash,
  }
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value)
  svg.append(path)
  return [svg, document.createTextNode(controller.label)]
}

export function showLegend(controllers: readonly LiveController[]): void {
  const lines = controllers.map((controller) => {
    const { note } = controller
    return create('li', ...nameOf(controller), ...(note === undefined ? [] : [create('small', note)]))
  })
  element('legend').replaceChildren(...lines)
}

/** What a run came to, one row a controller. */
export interface ResultTable {
  readonly heads: readonly string[]
  readonly rows: readonly { readonly controller: LiveController; readonly cells: readonly string[] }[]
}

export function showTable({ heads, rows }: ResultTable): void {
  const head = create(
    'tr',
    ...['controller', ...heads].map((text) => Object.assign(create('th', text), { scope: 'col' })),
  )
  const lines = rows.map(({ controller, cells }) => {
    const name = Object.assign(create('th', ...nameOf(controller)), { scope: 'row' })
    const line = create('tr', name, ...cells.map((text) => create('td', text)))
    line.classList.toggle('ours', controller.name === 'trimtab')
    return line
  })
  const table = element('results')
  table.parentElement!.tabIndex = 0 // it may be wider than a phone: to be scrolled by keyboard
  table.replaceChildren(create('thead', head), create('tbody', ...lines))
}

/** The table of a run that is over, and what is to be read in it. */
export function showResults(table: ResultTable, findings: readonly string[]): void {
  showTable(table)
  element('findings').replaceChildren(...findings.map((text) => create('li', text)))
  element('outcome').hidden = false
}
