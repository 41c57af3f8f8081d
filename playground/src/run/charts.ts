// The only file that knows uPlot: a live line chart with one series a controller.
import { styleOf } from 'trimtab/report'
import uPlot from 'uplot'
import { colour, isDark } from '../shell/theme.js'
import type { Axis } from './axis.js'
import type { LiveController } from './controllers.js'

export interface ChartOptions {
  readonly controllers: readonly LiveController[]
  /** From zero by default; `fit` shows where the values are, `logarithmic` whole decades of them. */
  readonly range?: 'zero' | 'fit' | 'logarithmic'
  /** Values hold until the next one. */
  readonly isStepped?: boolean
  /** How many of the last points are shown; all without it. */
  readonly window?: number
  readonly x: Axis
  readonly reference?: { readonly value: number; readonly label: string }
}

export interface LiveChart {
  /** @param values  one a controller; null leaves a gap */
  push(x: number, values: readonly (number | null)[]): void
  /** Draws what was pushed; also after a change of the theme. */
  draw(): void
  dispose(): void
}

const COVERING = [9, 9] // CSS pixels: what lies below shows through
const MOSTLY = 0.8 // of the points

/** Whether that line lies on one that was drawn before it. */
const isCovering = (columns: readonly (readonly (number | null)[])[], line: number): boolean => {
  const own = columns[line]!
  return columns
    .slice(1, line)
    .some((other) => own.filter((value, i) => value === other[i]).length >= MOSTLY * Math.max(2, own.length))
}

export function createChart(container: HTMLElement, options: ChartOptions): LiveChart {
  const { controllers, window: shown = Number.POSITIVE_INFINITY, reference } = options
  const columns: (number | null)[][] = [[], ...controllers.map(() => [])]
  const dashes = controllers.map((controller) => styleOf(controller).dash.split(' ').filter(Boolean).map(Number))
  const size = () => ({ width: container.clientWidth, height: container.clientHeight })
  const axis: uPlot.Axis = {
    stroke: () => colour('--muted'),
    font: '12px Inter, system-ui, sans-serif',
    grid: { stroke: () => colour('--hair'), width: 1 },
    ticks: { show: false },
  }
  const plot = new uPlot(
    {
      ...size(),
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: (_, min, max) => (min === null ? [0, 1] : [min, Math.max(max, min + 1)]) },
        y: scaleOf(options),
      },
      axes: [
        {
          ...axis,
          values: (_, ticks) => ticks.map((x) => options.x.label(x)),
          incrs: [...options.x.steps],
          size: 26,
          gap: 4,
        },
        {
          ...axis,
          size: 46,
          gap: 4,
          values: (_, ticks: (number | null)[]) =>
            ticks.map((y) => (y === null ? '' : String(Number(y.toPrecision(3))))),
          ...(options.isStepped && { incrs: [1, 2, 5, 10, 20, 50, 100] }),
          ...(options.range === 'logarithmic' && { splits: (_, __, min, max) => logarithmicTicks(min, max) }),
        },
      ],
      series: [
        {},
        ...controllers.map((controller, i): uPlot.Series => {
          const style = styleOf(controller)
          return {
            label: controller.label,
            stroke: () => (isDark() ? style.dark : style.light),
            width: style.width,
            dash: dashes[i]!,
            points: { show: false },
            ...(options.isStepped && { paths: uPlot.paths.stepped!({ align: 1 }) }),
          }
        }),
      ],
      hooks: { draw: reference ? [(self) => drawReference(self, reference)] : [] },
    },
    columns as uPlot.AlignedData,
    container,
  )
  const observer = new ResizeObserver(() => plot.setSize(size()))
  observer.observe(container)
  return {
    push(x, values) {
      columns[0]!.push(x)
      values.forEach((value, i) => {
        columns[i + 1]!.push(value)
      })
      if (columns[0]!.length > 2 * shown) for (const column of columns) column.splice(0, column.length - shown)
    },
    draw() {
      const from = Math.max(0, columns[0]!.length - shown)
      const visible = columns.map((column) => column.slice(from))
      for (const [i, series] of plot.series.entries()) {
        if (i > 0) series.dash = isCovering(visible, i) ? COVERING : dashes[i - 1]!
      }
      plot.setData(visible as uPlot.AlignedData)
    },
    dispose() {
      observer.disconnect()
      plot.destroy()
    },
  }
}

/** Room above the highest value and the reference; a logarithmic axis never starts at zero. */
function scaleOf({ range, reference }: ChartOptions): uPlot.Scale {
  const top = (max: number | null) => Math.max(max ?? 1, reference?.value ?? 0)
  switch (range) {
    case 'logarithmic':
      return { distr: 3, range: (_, min, max) => [Math.min(min || 1, reference?.value ?? 1) * 0.8, top(max) * 1.3] }
    case 'fit':
      return { range: (_, min, max) => roundRange(min ?? 0, max ?? 1) }
    default:
      return { range: (_, _min, max) => [0, top(max) * 1.08] }
  }
}

/** The values and a little more, from one round number to another. */
function roundRange(min: number, max: number): [number, number] {
  const unit = 10 ** Math.floor(Math.log10(Math.max(max - min, Math.abs(max) / 100, 1e-9) / 2))
  return [Math.floor(min / unit) * unit, (Math.floor(max / unit) + 1) * unit]
}

/** Round values of each decade in between: the fewer decades, the more of them. */
function logarithmicTicks(min: number, max: number): number[] {
  const span = max / min
  const digits = span > 300 ? [1] : span > 8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7]
  const ticks: number[] = []
  for (let decade = Math.floor(Math.log10(min)); 10 ** decade <= max; decade++) {
    for (const digit of digits) ticks.push(digit * 10 ** decade)
  }
  return ticks.filter((tick) => tick >= min && tick <= max)
}

/** A dashed line across the plot with its name at the right end. */
function drawReference(plot: uPlot, { value, label }: { readonly value: number; readonly label: string }): void {
  const { ctx, bbox } = plot
  const y = Math.round(plot.valToPos(value, 'y', true))
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour('--slo')
  ctx.lineWidth = 1.4 * scale
  ctx.setLineDash([5 * scale, 4 * scale])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.font = `${12 * scale}px Inter, system-ui, sans-serif`
  ctx.textAlign = 'right'
  ctx.textBaseline = 'alphabetic'
  const right = bbox.left + bbox.width - 4 * scale
  const { width } = ctx.measureText(label)
  ctx.fillStyle = colour('--card')
  ctx.fillRect(right - width - 3 * scale, y - 17 * scale, width + 6 * scale, 15 * scale)
  ctx.fillStyle = colour('--slo')
  ctx.fillText(label, right, y - 5 * scale)
  ctx.restore()
}
