// What pages are put together from.
import { create, shape } from './dom.js'

/** Something that shows what it was told when it is drawn. */
export interface Part {
  draw(): void
  /** Takes it off the page. */
  dispose(): void
}

/** A picture in a container, drawn anew when that changes its size. */
export abstract class Drawing implements Part {
  readonly #container: HTMLElement
  readonly #resized: ResizeObserver

  constructor(container: HTMLElement) {
    this.#container = container
    this.#resized = new ResizeObserver(() => this.draw())
    this.#resized.observe(container)
  }

  /** What is to be seen in so many CSS pixels; without a height, it fills its container. */
  protected abstract picture(width: number, height: number): Picture

  draw(): void {
    const { clientWidth: width, clientHeight } = this.#container
    const { shapes, words, height = clientHeight } = this.picture(width, clientHeight)
    const viewBox = `0 0 ${width} ${height}`
    const svg = shape('svg', { width, height, viewBox, role: 'img', 'aria-label': words })
    svg.append(...shapes)
    this.#container.replaceChildren(svg)
  }

  dispose(): void {
    this.#resized.disconnect()
    this.#container.replaceChildren()
  }
}

/** Shapes from back to front, and what they show in words. */
export interface Picture {
  readonly shapes: readonly SVGElement[]
  readonly words: string
  readonly height?: number
}

/** The last things that happened, the newest first. */
export class NewestFirst implements Part {
  readonly #list: HTMLElement
  readonly #most: number
  readonly #texts: string[] = []

  constructor(list: HTMLElement, most: number) {
    this.#list = list
    this.#most = most
  }

  push(texts: readonly string[]): void {
    this.#texts.unshift(...texts)
    this.#texts.splice(this.#most)
  }

  draw(): void {
    this.#list.replaceChildren(...this.#texts.map((text) => create('li', text)))
  }

  dispose(): void {
    this.#list.replaceChildren()
  }
}
