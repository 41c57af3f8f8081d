// The map of embeddings: applications of the pool, and where the new one turns out to be.
import { shape } from '../shell/dom.js'
import { Drawing, type Picture } from '../shell/part.js'
import type { AdaptationStart, AdaptationStep, Place } from './protocol.js'

const MARGIN = 26
const LETTER = 6.6 // pixels, of a name
const LINE = 14
const AWAY = 12 // from the point that it names
const LINE_HALF = 2 // of what a line covers

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export class MapView extends Drawing {
  readonly #start: AdaptationStart
  readonly #trail: Place[] = []
  #step: AdaptationStep | undefined

  constructor(container: HTMLElement, start: AdaptationStart) {
    super(container)
    this.#start = start
  }

  show(step: AdaptationStep): void {
    this.#step = step
    this.#trail.push(step.place)
  }

  protected override picture(width: number, height: number): Picture {
    const { pool, app } = this.#start
    const at = this.#scale(width, height)
    const shapes: SVGElement[] = []
    const relatives = this.#step?.relatives ?? []
    const here = this.#step && at(this.#step.place)
    const taken = pool.map((one) => boxAround(at(one), 7))
    const trail = this.#trail.map(at)
    for (const [from, to] of [
      ...trail.slice(1).map((place, i) => [trail[i]!, place] as const),
      ...relatives.flatMap(({ pair }) => (here ? [[here, at(pool[pair]!)] as const] : [])),
    ])
      taken.push(...boxesAlong(from, to))
    const names: SVGElement[] = []
    const name = (text: string, point: readonly [number, number], looks: string): void => {
      const box = placeOf(text, point, width, height, taken)
      taken.push(box)
      names.push(shape('text', { class: looks, x: box.left, y: box.bottom - 3 }, text))
    }
    if (here) {
      taken.push(boxAround(here, 10))
      name(`application ${app}`, here, 'name new-name')
    }
    for (const { pair, similarity } of here ? relatives : []) {
      const [x, y] = at(pool[pair]!)
      shapes.push(
        shape('path', {
          class: 'kin',
          d: `M${here![0]} ${here![1]}L${x} ${y}`,
          'stroke-width': 1 + 2 * Math.max(0, similarity),
        }),
      )
    }
    for (const [i, one] of pool.entries()) {
      const [cx, cy] = at(one)
      const isNear = relatives.some(({ pair }) => pair === i)
      shapes.push(shape('circle', { class: isNear ? 'pair near' : 'pair', cx, cy, r: isNear ? 7 : 5 }))
      if (isNear) name(one.name, [cx, cy], 'name')
    }
    if (here) {
      const d = trail.map((place, i) => `${i === 0 ? 'M' : 'L'}${place.join(' ')}`).join('')
      const [x, y] = here
      shapes.push(shape('path', { class: 'trail', d }))
      shapes.push(shape('path', { class: 'new', d: `M${x} ${y - 10}L${x + 10} ${y}L${x} ${y + 10}L${x - 10} ${y}Z` }))
    }
    return { shapes: [...shapes, ...names], words: this.#words() }
  }

  /** From the places of all points to pixels. */
  #scale(width: number, height: number): (place: Place) => readonly [number, number] {
    const places: readonly Place[] = [...this.#start.pool, ...this.#trail]
    const between = (values: readonly number[], from: number, to: number): ((value: number) => number) => {
      const [low, high] = [Math.min(...values), Math.max(...values)]
      return (value) => Math.round(10 * (from + ((value - low) / (high - low)) * (to - from))) / 10
    }
    const x = between(
      places.map((place) => place.x),
      MARGIN,
      width - MARGIN,
    )
    const y = between(
      places.map((place) => place.y),
      height - MARGIN,
      MARGIN,
    )
    return (place) => [x(place.x), y(place.y)]
  }

  #words(): string {
    const { pool, app } = this.#start
    const names = (this.#step?.relatives ?? []).map(({ pair }) => pool[pair]!.name)
    return `Map of ${pool.length} applications; nearest to application ${app}: ${names.join(', ') || 'not known yet'}`
  }
}

const boxAround = ([x, y]: readonly [number, number], r: number): Box => ({
  left: x - r,
  top: y - r,
  right: x + r,
  bottom: y + r,
})

/** A line as small boxes. */
function boxesAlong([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): Box[] {
  const count = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / (2 * LINE_HALF))
  return Array.from({ length: count }, (_, i) => {
    const along = (i + 0.5) / count
    return boxAround([x1 + along * (x2 - x1), y1 + along * (y2 - y1)], LINE_HALF)
  })
}

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top))

/** Where the name of a point stands: to its right, to its left, below or above, where it covers least. */
function placeOf(
  text: string,
  [x, y]: readonly [number, number],
  width: number,
  height: number,
  taken: readonly Box[],
): Box {
  const wide = text.length * LETTER
  const boxes = [
    { left: x + AWAY, top: y - LINE / 2 },
    { left: x - AWAY - wide, top: y - LINE / 2 },
    { left: x - wide / 2, top: y + AWAY },
    { left: x - wide / 2, top: y - AWAY - LINE },
  ].map(({ left, top }) => ({ left, top, right: left + wide, bottom: top + LINE }))
  const isInside = (box: Box): boolean => box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height
  const covered = (box: Box): number =>
    taken.reduce((sum, other) => sum + overlap(box, other), isInside(box) ? 0 : width * height)
  return boxes.reduce((best, box) => (covered(box) < covered(best) ? box : best))
}
