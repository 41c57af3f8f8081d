import type { Clock } from '@trimtab/core'

const TRUNCATED = 'Logs were truncated because the total bytes size exceeds the limit.'

/** What a call writes, a line each as OpenWhisk's records have them, up to a size. */
export class CallLog {
  readonly lines: string[] = []
  readonly #clock: Clock
  #leftBytes: number

  constructor(mostBytes: number, clock: Clock) {
    this.#leftBytes = mostBytes
    this.#clock = clock
  }

  /** Takes a line in; the first that does not fit is replaced by a word on it, the others are dropped. */
  add(stream: 'stdout' | 'stderr', line: string): void {
    if (this.#leftBytes < 0) return
    this.#leftBytes -= Buffer.byteLength(line)
    const text = this.#leftBytes < 0 ? TRUNCATED : line
    this.lines.push(`${new Date(this.#clock.now()).toISOString()} ${stream}: ${text}`)
  }
}
