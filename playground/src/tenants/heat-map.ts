// Who is served and who starves: a row a tenant, a column a step.
import { create } from '../shell/dom.js'
import type { Part } from '../shell/part.js'
import { colour } from '../shell/theme.js'

const ROW = 15 // CSS pixels
const STARVING = 2 // times its SLO

/** A map for each controller, side by side. */
export class HeatMaps implements Part {
  readonly #container: HTMLElement
  readonly #maps: readonly HeatMap[]
  readonly #resized: ResizeObserver

  constructor(container: HTMLElement, titles: readonly string[], tenants: readonly string[], steps: number) {
    const places = titles.map(() => create('div'))
    container.replaceChildren(...places)
    this.#container = container
    this.#maps = titles.map((title, i) => new HeatMap(places[i]!, title, tenants, steps))
    this.#resized = new ResizeObserver(() => this.draw())
    this.#resized.observe(container)
  }

  /** @param p99OverSlo  [controller][tenant] 0 without requests, −1 where it is not there */
  push(p99OverSlo: readonly (readonly number[])[]): void {
    for (const [i, map] of this.#maps.entries()) map.push(p99OverSlo[i]!)
  }

  draw(): void {
    for (const map of this.#maps) map.draw()
  }

  dispose(): void {
    this.#resized.disconnect()
    this.#container.replaceChildren()
  }
}

class HeatMap {
  readonly #canvas = document.createElement('canvas')
  readonly #words = create('p')
  readonly #steps: number
  readonly #tenants: readonly string[]
  readonly #columns: (readonly number[])[] = []

  constructor(container: HTMLElement, title: string, tenants: readonly string[], steps: number) {
    this.#tenants = tenants
    this.#steps = steps
    this.#canvas.setAttribute('role', 'img')
    this.#canvas.style.height = `${tenants.length * Math.min(ROW, 360 / tenants.length)}px`
    const names = create('ol', ...tenants.map((name) => create('li', name)))
    names.ariaHidden = 'true' // the words say who starves
    const map = create('div', names, this.#canvas)
    map.className = 'map'
    container.replaceChildren(create('h3', title), map, this.#words)
  }

  push(p99OverSlo: readonly number[]): void {
    this.#columns.push(p99OverSlo)
  }

  draw(): void {
    const canvas = this.#canvas
    const [width, height] = [canvas.clientWidth * devicePixelRatio, canvas.clientHeight * devicePixelRatio]
    canvas.width = width
    canvas.height = height
    const paint = canvas.getContext('2d')!
    const [kept, broken, starving, none] = ['--kept', '--broken', '--starving', '--hair'].map(colour)
    const [across, down] = [width / this.#steps, height / this.#tenants.length]
    for (const [step, column] of this.#columns.entries()) {
      for (const [tenant, ratio] of column.entries()) {
        paint.fillStyle = ratio < 0 ? none! : ratio <= 1 ? kept! : ratio <= STARVING ? broken! : starving!
        // Told apart by size too: the worse, the fuller the cell.
        const fill = ratio <= 1 ? 0.55 : ratio <= STARVING ? 0.8 : 1
        const gap = (down * (1 - fill)) / 2
        paint.fillRect(step * across, tenant * down + gap, Math.max(1, across - devicePixelRatio), down - 2 * gap - 1)
      }
    }
    this.#words.textContent = this.#starving()
    canvas.setAttribute(
      'aria-label',
      `${this.#tenants.length} tenants, ${this.#columns.length} steps: ${this.#starving()}`,
    )
  }

  /** Who has been over twice its SLO, and for how many steps. */
  #starving(): string {
    const counts = this.#tenants.map((name, i) => ({
      name,
      steps: this.#columns.filter((column) => column[i]! > STARVING).length,
    }))
    const worst = counts.filter(({ steps }) => steps > 0).sort((a, b) => b.steps - a.steps)
    if (worst.length === 0) return 'nobody starves so far'
    return worst
      .slice(0, 3)
      .map(({ name, steps }) => `${name} starves in ${steps} ${steps === 1 ? 'step' : 'steps'}`)
      .join(', ')
  }
}
