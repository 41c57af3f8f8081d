// A lane as it is at one moment: the places of the server, the queue as bars, and numbers.
import { create, element } from '../shell/dom.js'
import { colour } from '../shell/theme.js'
import { type Lane, momentOf, type Places, type Requests } from './lane.js'

/** Borders between the colours, output tokens. */
const BORDERS = [32, 128, 512, 2048]
const LONGEST = 4096 // tokens; longer bars are cut
const BAR = 12 // CSS pixels, with the gap behind it
const GAP = 3

const colourOf = (tokens: number): number => BORDERS.filter((border) => tokens >= border).length

/** What the colours mean. */
export function showClasses(): void {
  const texts = BORDERS.map((border, i) => `${i === 0 ? 'up to' : `${BORDERS[i - 1]} to`} ${border} tokens`)
  element('classes').replaceChildren(
    ...[...texts, `more than ${BORDERS.at(-1)}`].map((text, i) => {
      const mark = create('i')
      mark.style.background = `var(--length-${i})`
      return create('li', mark, text)
    }),
    create('li', create('b', '—'), 'what the queue was told'),
  )
}

/** All lanes are drawn before one of them tells: what is drawn asks for sizes and colours, and would wait for the layout of what was told. */
export interface LanePicture {
  /** The queue. */
  draw(requests: Requests, lane: Lane, places: Places): void
  /** The places of the server, and numbers. */
  tell(requests: Requests, lane: Lane, places: Places, now: number): void
}

/** Fills the lane's section; `places` is how many requests its server takes at once. */
export function createPicture(section: HTMLElement, label: string, places: number): LanePicture {
  const rows = Array.from({ length: places }, createPlace)
  const canvas = document.createElement('canvas')
  canvas.setAttribute('role', 'img')
  const numbers = create('p')
  numbers.className = 'numbers'
  const server = create('div', ...rows.map(({ row }) => row))
  server.className = 'server'
  section.replaceChildren(create('h2', label), server, canvas, numbers)
  return {
    draw(requests, lane, { waiting }) {
      drawQueue(canvas, requests.tokens, lane.estimate, waiting)
    },
    tell(requests, lane, { running, waiting }, now) {
      const { done, come } = momentOf(requests, lane, now)
      for (const [i, place] of rows.entries()) place.show(requests, lane, running[i], now)
      canvas.setAttribute('aria-label', `${waiting.length} requests wait, the next one on the left`)
      numbers.textContent = `${waiting.length} wait, ${done} of ${come} done`
    },
  }
}

interface Place {
  readonly row: HTMLElement
  show(requests: Requests, lane: Lane, request: number | undefined, now: number): void
}

/** Its bar is drawn by the compositor, and its text set only when another request takes the place: neither is laid out anew. */
function createPlace(): Place {
  const [bar, text] = [create('i'), create('span', 'free')]
  const row = create('div', bar, text)
  row.className = 'place'
  let shown: number | undefined
  return {
    row,
    show({ tokens, prompts }, { start, finish }, request, now) {
      const share01 = request === undefined ? 0 : (now - start[request]!) / (finish[request]! - start[request]!)
      bar.style.transform = `scaleX(${share01})`
      if (request === shown) return
      shown = request
      text.textContent = request === undefined ? 'free' : prompts[request]!
      if (request !== undefined) bar.style.background = `var(--length-${colourOf(tokens[request]!)})`
    },
  }
}

/** Bars from the left, as they will be served unless a newcomer passes; as high as the logarithm of their tokens. */
function drawQueue(
  canvas: HTMLCanvasElement,
  tokens: Float64Array,
  estimate: Float64Array | undefined,
  waiting: readonly number[],
): void {
  const scale = devicePixelRatio
  const [width, height] = [canvas.clientWidth, canvas.clientHeight]
  const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)]
  if (canvas.width !== columns) canvas.width = columns
  if (canvas.height !== rows) canvas.height = rows
  const ctx = canvas.getContext('2d')!
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  ctx.clearRect(0, 0, width, height)
  const shown = Math.min(waiting.length, Math.floor((width - 44) / BAR))
  const heightOf = (count: number): number =>
    Math.max(2, (Math.log2(1 + Math.min(LONGEST, count)) / Math.log2(1 + LONGEST)) * (height - 4))
  const colours = Array.from({ length: BORDERS.length + 1 }, (_, i) => colour(`--length-${i}`))
  const ink = colour('--text')
  for (let i = 0; i < shown; i++) {
    const request = waiting[i]!
    const bar = heightOf(tokens[request]!)
    ctx.fillStyle = colours[colourOf(tokens[request]!)]!
    ctx.fillRect(i * BAR, height - bar, BAR - GAP, bar)
    if (!estimate) continue
    ctx.fillStyle = ink
    ctx.fillRect(i * BAR - 0.5, height - heightOf(estimate[request]!) - 1, BAR - GAP + 1, 2)
  }
  if (shown === waiting.length) return
  ctx.fillStyle = colour('--muted')
  ctx.font = '12px Inter, system-ui, sans-serif'
  ctx.textAlign = 'right'
  ctx.fillText(`+${waiting.length - shown}`, width, height - 6)
}
