import type { Readable } from 'node:stream'

const LONGEST_LINE = 1 << 16 // characters; more is cut, so that a flood without line breaks is not kept

/**
 * Cuts what a container writes into lines and gives each to the call that wrote it. A call's lines end with a mark, for its answer may
 * arrive before them.
 */
export class LogSplitter {
  readonly #mark: string
  readonly #calls: ((line: string) => void)[] = []
  #rest = ''

  constructor(stream: Readable, mark: string) {
    this.#mark = mark
    stream.setEncoding('utf8').on('data', (text: string) => this.#take(text))
    stream.on('error', () => {}) // it ends with the process
    stream.on('end', () => this.#rest && this.#take('\n'))
  }

  /** The lines up to the next mark are those of this call. What nobody expects is dropped. */
  expect(onLine: (line: string) => void): void {
    this.#calls.push(onLine)
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!.slice(0, LONGEST_LINE)
    for (const line of lines) {
      const isLast = line.endsWith(this.#mark) // behind what the function left without a line break
      const own = isLast ? line.slice(0, -this.#mark.length) : line
      if (own !== '' || !isLast) this.#calls[0]?.(own)
      if (isLast) this.#calls.shift()
    }
  }
}
