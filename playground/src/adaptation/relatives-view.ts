// The applications of the pool that are most like the new one, and what serving it as the nearest is foretold to cost.
import { create } from '../shell/dom.js'
import type { Part } from '../shell/part.js'
import type { AdaptationStart, AdaptationStep } from './protocol.js'

export class RelativesView implements Part {
  readonly #list: HTMLElement
  readonly #forecast: HTMLElement
  readonly #pool: AdaptationStart['pool']
  #step: AdaptationStep | undefined

  constructor(list: HTMLElement, forecast: HTMLElement, { pool }: AdaptationStart) {
    this.#list = list
    this.#forecast = forecast
    this.#pool = pool
  }

  show(step: AdaptationStep): void {
    this.#step = step
  }

  draw(): void {
    if (!this.#step) return
    const { relatives, forecast } = this.#step
    const rows = relatives.map(({ pair, similarity }) =>
      create('li', create('b', this.#pool[pair]!.name), ` similarity ${similarity.toFixed(2)}`),
    )
    this.#list.replaceChildren(...rows)
    this.#forecast.textContent = `Served as the nearest: ${forecast}`
  }

  dispose(): void {
    this.#list.replaceChildren()
    this.#forecast.textContent = ''
  }
}
