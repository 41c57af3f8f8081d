import type { ByteNames } from '../byte-names.js'
import { END, type JsonCursor, OPEN_OBJECT } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'

const ENDPOINT = new Keys(['serviceName', 'ipv4', 'ipv6'])
const SERVICE = 0
const IPV4 = 1

/** Who recorded a span or annotation: numbers of the names, 0 where not said. */
export class ZipkinEndpoint {
  service = 0
  address = 0
  readonly #place = new Place()

  clear(): void {
    this.service = 0
    this.address = 0
  }

  copy(other: ZipkinEndpoint): void {
    this.service = other.service
    this.address = other.address
  }

  /** Reads the endpoint the cursor stands before. */
  read(cursor: JsonCursor, names: ByteNames): void {
    this.clear()
    if (!cursor.enter(OPEN_OBJECT)) return
    for (let key = cursor.key(ENDPOINT); key !== END; key = cursor.key(ENDPOINT)) {
      if (key < 0) {
        cursor.skip()
        continue
      }
      this.#place.read(cursor)
      const { from, to } = this.#place
      const number = names.number(cursor.bytes, from, to, () => this.#place.text(cursor))
      if (key === SERVICE) this.service = number
      else if (key === IPV4 || this.address === 0) this.address = number
    }
  }
}
