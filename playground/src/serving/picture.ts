// A lane as it is at one moment: the places of the server, the queue as bars, and numbers.
import { create, element } from '../shell/dom.js'
import { colour } from '../shell/theme.js'
import { type Lane, momentOf, placesAt, type Requests } from './lane.js'

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

export interface LanePicture {
  draw(requests: Requests, lane: Lane, now: number): void
}

/** Fills the lane's section; `places` is how many requests its server takes at once. */
export function createPicture(section: HTMLElement, label: string, places: number): LanePicture {
  const rows = Array.from({ length: places }, () => {
    const row = create('div', create('i'), create('span'))
    row.className = 'place'
    return row
  })
  const canvas = document.createElement('canvas')
  canvas.setAttribute('role', 'img')
  const numbers = create('p')
  numbers.className = 'numbers'
  const server = create('div', ...rows)
  server.className = 'server'
  section.replaceChildren(create('h2', label), server, canvas, numbers)
  return {
    draw(requests, lane, now) {
      const { running, waiting } = placesAt(requests, lane, now)
      const { done, come } = momentOf(requests, lane, now)
      for (const [i, row] of rows.entries()) drawPlace(row, requests, lane, running[i], now)
      drawQueue(canvas, requests.tokens, lane.estimate, waiting)
      canvas.setAttribute('aria-label', `${waiting.length} requests wait, the next one on the left`)
      numbers.textContent = `${waiting.length} wait, ${done} of ${come} done`
    },
  }
}

function drawPlace(row: HTMLElement, requests: Requests, lane: Lane, request: number | undefined, now: number): void {
  const [bar, text] = row.children as unknown as [HTMLElement, HTMLElement]
  if (request === undefined) {
    bar.style.width = '0'
    text.textContent = 'free'
    return
  }
  const [start, finish] = [lane.start[request]!, lane.finish[request]!]
  bar.style.width = `${(100 * (now - start)) / (finish - start)}%`
  bar.style.background = `var(--length-${colourOf(requests.tokens[request]!)})`
  text.textContent = requests.prompts[request]!
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
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const ctx = canvas.getContext('2d')!
  ctx.scale(scale, scale)
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
