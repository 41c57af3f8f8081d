import type { ByteNames } from '../byte-names.js'
import { ExactTime, MICROSECONDS } from '../exact-time.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, STRING } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'
import { ZipkinEndpoint } from './endpoint.js'

/** Zipkin v1 says when a call was sent and received, on either side, in annotations. */
export const CLIENT_SEND = 0
export const CLIENT_RECEIVE = 1
export const SERVER_RECEIVE = 2
export const SERVER_SEND = 3
export const MESSAGE_SEND = 4
export const MESSAGE_RECEIVE = 5
const CORE = new Keys(['cs', 'cr', 'sr', 'ss', 'ms', 'mr'])

const ANNOTATION = new Keys(['timestamp', 'value', 'endpoint'])
const TIMESTAMP = 0
const VALUE = 1

const BINARY_ANNOTATION = new Keys(['key', 'value', 'endpoint'])
const BINARY_KEY = 0
const BINARY_VALUE = 1

/** Whose endpoint a binary annotation names: the span's own, unless it is the address of the other side. */
const BINARY_KEYS = new Keys(['error', 'sa', 'ca'])
const ERROR_KEY = 0

/** One of the core annotations of a span. */
export class Moment {
  readonly time: ExactTime = new ExactTime()
  readonly endpoint: ZipkinEndpoint = new ZipkinEndpoint()

  get isGiven(): boolean {
    return this.time.isGiven
  }
}

/** What the annotations of one span say; made once, filled for each span. */
export class ZipkinAnnotations {
  /** By `CLIENT_SEND`, … */
  readonly moments: readonly Moment[] = Array.from({ length: 6 }, () => new Moment())
  /** Any endpoint of the span itself. */
  readonly endpoint: ZipkinEndpoint = new ZipkinEndpoint()
  isError = false
  readonly #time = new ExactTime()
  readonly #endpoint = new ZipkinEndpoint()
  readonly #value = new Place()

  clear(): void {
    for (const moment of this.moments) moment.time.clear()
    this.endpoint.clear()
    this.isError = false
  }

  read(cursor: JsonCursor, names: ByteNames): void {
    if (!cursor.enter(OPEN_ARRAY)) return
    while (cursor.element()) {
      let core = -1
      this.#time.clear()
      this.#endpoint.clear()
      if (!cursor.enter(OPEN_OBJECT)) continue
      for (let key = cursor.key(ANNOTATION); key !== END; key = cursor.key(ANNOTATION)) {
        if (key === TIMESTAMP) this.#time.readJson(cursor, MICROSECONDS)
        else if (key === VALUE) core = cursor.scalar() === STRING ? cursor.findIn(CORE) : -1
        else if (key >= 0) this.#endpoint.read(cursor, names)
        else cursor.skip()
      }
      if (this.endpoint.service === 0) this.endpoint.copy(this.#endpoint)
      const moment = this.moments[core]
      if (!moment) continue
      moment.time.copy(this.#time)
      moment.endpoint.copy(this.#endpoint)
    }
  }

  readBinary(cursor: JsonCursor, names: ByteNames): void {
    if (!cursor.enter(OPEN_ARRAY)) return
    while (cursor.element()) {
      let found = -1
      this.#value.clear()
      this.#endpoint.clear()
      if (!cursor.enter(OPEN_OBJECT)) continue
      for (let key = cursor.key(BINARY_ANNOTATION); key !== END; key = cursor.key(BINARY_ANNOTATION)) {
        if (key === BINARY_KEY) found = cursor.scalar() === STRING ? cursor.findIn(BINARY_KEYS) : -1
        else if (key === BINARY_VALUE) this.#value.read(cursor)
        else if (key >= 0) this.#endpoint.read(cursor, names)
        else cursor.skip()
      }
      if (found > ERROR_KEY) continue
      if (found === ERROR_KEY && this.#value.text(cursor) !== 'false') this.isError = true
      if (this.endpoint.service === 0) this.endpoint.copy(this.#endpoint)
    }
  }
}
