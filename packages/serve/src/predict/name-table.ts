/** Sightings that make a name an established one. */
const ESTABLISHED = 8
/** Names are told apart by so many UTF-16 units. */
const LONGEST_NAME = 256

/** What is kept of a name. */
export interface NamedEntry<T> {
  /** 0 … capacity - 1; that of an evicted name is given to the next new one. */
  readonly slot: number
  readonly name: string
  readonly value: T
  /** Whether the name was seen 8 times: no slip, and no flood of names made up. */
  readonly isEstablished: boolean
}

interface Entry<T> extends NamedEntry<T> {
  isEstablished: boolean
  sightings: number
}

/**
 * Values by names that come from outside: bounded, and no flood of new names washes out those in use (a segmented LRU). What makes room
 * is the name that is longest unseen: of those not established while they hold more than a quarter of the table, else of the others.
 */
export class NameTable<T> {
  readonly #capacity: number
  readonly #create: () => T
  readonly #onEvict: (entry: NamedEntry<T>) => void
  /** Longest unseen first. */
  readonly #entries = new Map<string, Entry<T>>()
  readonly #slots: Entry<T>[] = []
  #established = 0

  /** @param create  the value of a new name; `onEvict` is told of one that is gone, before its slot is used again */
  constructor(capacity: number, create: () => T, onEvict: (entry: NamedEntry<T>) => void = () => {}) {
    this.#capacity = capacity
    this.#create = create
    this.#onEvict = onEvict
  }

  /** By slot. */
  get entries(): readonly NamedEntry<T>[] {
    return this.#slots
  }

  /** Does not count as seen. */
  find(name: string): NamedEntry<T> | undefined {
    return this.#entries.get(name.slice(0, LONGEST_NAME))
  }

  /** Finds a name or takes it in, and counts that it was seen. */
  see(name: string, value?: T, sightings = 1): NamedEntry<T> {
    const key = name.slice(0, LONGEST_NAME)
    const entry = this.#entries.get(key) ?? this.#enter(key, value ?? this.#create())
    entry.sightings += sightings
    if (!entry.isEstablished && entry.sightings >= ESTABLISHED) {
      entry.isEstablished = true
      this.#established++
    }
    this.#entries.delete(key)
    this.#entries.set(key, entry) // now the latest seen
    return entry
  }

  #enter(name: string, value: T): Entry<T> {
    const slot = this.#slots.length < this.#capacity ? this.#slots.length : this.#evict()
    const entry: Entry<T> = { slot, name, value, isEstablished: false, sightings: 0 }
    this.#slots[slot] = entry
    return entry
  }

  #evict(): number {
    const isEstablished = this.#established >= 0.75 * this.#capacity
    for (const entry of this.#entries.values()) {
      if (entry.isEstablished !== isEstablished) continue
      this.#entries.delete(entry.name)
      if (isEstablished) this.#established--
      this.#onEvict(entry)
      return entry.slot
    }
    throw new RangeError('unreachable: less than three quarters are established, or they are') // capacity is above 0
  }
}
