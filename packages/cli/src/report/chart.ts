// A line chart as static markup: lines in an SVG that stretches with the page, labels in HTML that do not.
import { escapeHtml } from './format.js'
import type { Scale, Tick } from './scale.js'

export interface Series {
  /** CSS class that carries the colour. */
  readonly key: string
  readonly values: readonly number[]
  readonly dash: string
  readonly width: number
  /** Drawn as a pale band around the line. */
  readonly spread?: readonly number[]
}

export interface Reference {
  readonly value: number
  readonly label: string
}

export interface Chart {
  readonly title: string
  readonly unit: string
  /** What a screen reader says. */
  readonly description: string
  readonly scale: Scale
  readonly xTicks: readonly Tick[]
  readonly xUnit: string
  /** `step`: a value holds until the next one. */
  readonly shape: 'line' | 'step'
  readonly series: readonly Series[]
  readonly references?: readonly Reference[]
  /** Which field of a timeline this is, for the pointer; absent where nothing is read off. */
  readonly field?: string
  readonly note?: string
}

const SIZE = 1000 // the SVG's own units; the page stretches it to any width and height

export function renderChart(chart: Chart): string {
  const { scale, series, references = [] } = chart
  const yOf = (value: number) => Math.round((1 - scale.to01(value)) * SIZE)
  const percent = (at01: number) => `${Number((at01 * 100).toFixed(2))}%`
  const yLabels = scale.ticks.map(({ at01, text }) => `<span style="bottom:${percent(at01)}">${text}</span>`)
  const lastTick = chart.xTicks.at(-1)
  const xLabels = chart.xTicks.map((tick) => {
    const text = tick === lastTick ? `${tick.text} ${chart.xUnit}` : tick.text
    return tick.at01 > 0.96
      ? `<span class="end">${text}</span>`
      : `<span style="left:${percent(tick.at01)}">${text}</span>`
  })
  const grid = [
    ...scale.ticks.map(({ at01 }) => `M0 ${Math.round((1 - at01) * SIZE)}H${SIZE}`),
    ...chart.xTicks.map(({ at01 }) => `M${Math.round(at01 * SIZE)} 0V${SIZE}`),
  ]
  const bands = series.map((one) => (one.spread ? `<path class="band ${one.key}" d="${bandPath(one, yOf)}"/>` : ''))
  const lines = series.map(
    ({ key, values, dash, width }) =>
      `<path class="line ${key}" d="${linePath(values, yOf, chart.shape)}" stroke-width="${width}"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`,
  )
  const marks = references.map(({ value }) => `<path class="reference" d="M0 ${yOf(value)}H${SIZE}"/>`)
  const labels = references.map(
    ({ value, label }) =>
      `<span class="reference" style="bottom:${percent(scale.to01(value))}">${escapeHtml(label)}</span>`,
  )
  return `<figure class="chart"${chart.field ? ` data-field="${chart.field}"` : ''}>
<figcaption>${escapeHtml(chart.title)}${chart.unit ? ` <small>${escapeHtml(chart.unit)}</small>` : ''}${chart.note ? `<em>${escapeHtml(chart.note)}</em>` : ''}</figcaption>
<div class="plot"${chart.field ? ' tabindex="0"' : ''} role="img" aria-label="${escapeHtml(chart.description)}">
<svg viewBox="0 0 ${SIZE} ${SIZE}" preserveAspectRatio="none" aria-hidden="true"><path class="grid" d="${grid.join('')}"/>${bands.join('')}${marks.join('')}${lines.join('')}</svg>
<div class="y" aria-hidden="true">${yLabels.join('')}</div><div class="x" aria-hidden="true">${xLabels.join('')}</div>${labels.join('')}
</div></figure>`
}

const xOf = (index: number, count: number): number => Math.round((index / Math.max(1, count - 1)) * SIZE)

/** Missing values leave a gap, so nothing is drawn that was not measured. */
function linePath(values: readonly number[], yOf: (value: number) => number, shape: Chart['shape']): string {
  let path = ''
  let isOpen = false
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) {
      isOpen = false
      return
    }
    const x = xOf(i, values.length)
    const y = yOf(value)
    if (!isOpen) path += `M${x} ${y}`
    else path += shape === 'step' ? `H${x}V${y}` : `L${x} ${y}`
    isOpen = true
  })
  return path
}

function bandPath({ values, spread = [] }: Series, yOf: (value: number) => number): string {
  const edge = (sign: 1 | -1) =>
    values.map((value, i) => `${xOf(i, values.length)} ${yOf(value + sign * (spread[i] ?? 0))}`)
  return `M${edge(1).join('L')}L${edge(-1).reverse().join('L')}Z`
}
