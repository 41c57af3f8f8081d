import { StringDecoder } from 'node:string_decoder'

const [LF, CR] = [10, 13]
const LARGEST_EVENT = 1024 * 1024 // characters

/** Server-sent events, in pieces that end anywhere: lines end by CR, LF or both, `data` lines of one event belong together. */
export class EventStream {
  /** An event was too large: nothing more is read. */
  hasOverflown = false
  readonly #onData: (data: string) => void
  readonly #decoder = new StringDecoder('utf8')
  /** The line that has not ended. */
  #rest = ''
  /** The last piece ended by CR: an LF may belong to it. */
  #endedByCr = false
  #data: string[] = []
  #dataLength = 0

  /** @param onData  told of the data of each event */
  constructor(onData: (data: string) => void) {
    this.#onData = onData
  }

  add(chunk: Buffer): void {
    if (this.hasOverflown) return
    const text = this.#decoder.write(chunk)
    if (text === '') return
    let start = this.#endedByCr && text.charCodeAt(0) === LF ? 1 : 0
    this.#endedByCr = false
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== LF && code !== CR) continue
      this.#line(this.#rest + text.slice(start, at))
      this.#rest = ''
      if (code === CR && text.charCodeAt(at + 1) === LF) at++
      else if (code === CR && at + 1 === text.length) this.#endedByCr = true
      start = at + 1
    }
    this.#rest += text.slice(start)
    if (this.#rest.length + this.#dataLength <= LARGEST_EVENT) return
    this.hasOverflown = true
    this.#rest = ''
    this.#data = []
  }

  /** The stream has ended: what is left is its last event. */
  end(): void {
    this.#line(this.#rest)
    this.#dispatch()
  }

  #line(line: string): void {
    if (line === '') this.#dispatch()
    else if (line.startsWith('data:')) {
      this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      this.#dataLength += line.length
    }
  }

  #dispatch(): void {
    const data = this.#data.join('\n')
    this.#data = []
    this.#dataLength = 0
    if (data !== '') this.#onData(data)
  }
}
