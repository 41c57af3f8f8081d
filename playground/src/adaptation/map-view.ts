// The map of embeddings: applications of the pool, and where the new one turns out to be.
import { shape } from '../shell/dom.js'
import { Drawing, type Picture } from '../shell/part.js'
import type { AdaptationStart, AdaptationStep, Place } from './protocol.js'

const MARGIN = 26

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
      if (isNear) shapes.push(shape('text', { class: 'name', ...beside(cx, cy, width) }, one.name))
    }
    if (here) {
      const d = this.#trail.map((place, i) => `${i === 0 ? 'M' : 'L'}${at(place).join(' ')}`).join('')
      const [x, y] = here
      shapes.push(shape('path', { class: 'trail', d }))
      shapes.push(shape('path', { class: 'new', d: `M${x} ${y - 10}L${x + 10} ${y}L${x} ${y + 10}L${x - 10} ${y}Z` }))
      shapes.push(shape('text', { class: 'name new-name', ...beside(x + 4, y, width) }, `application ${app}`))
    }
    return { shapes, words: this.#words() }
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

/** Where the name of a point stands: to its right, at the right edge to its left. */
const beside = (x: number, y: number, width: number): Record<string, string | number> =>
  x > width - 110 ? { x: x - 12, y: y + 4, 'text-anchor': 'end' } : { x: x + 12, y: y + 4 }
