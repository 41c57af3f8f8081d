/** Numbers of tenants that the queue is planned for. */
export const MOST_TENANTS = 1024

/** No tenant, and all of those for whom no number is left. */
const SHARED = 0

interface Tenant {
  readonly number: number
  /** Its requests that wait or run. */
  requests: number
}

/** Numbers for tenants that have requests; a number is free again when its tenant has none. Names come from outside. */
export class Tenants {
  readonly #byName = new Map<string, Tenant>()
  readonly #free: number[] = []
  #given = SHARED

  /** One more request of this tenant. */
  enter(name: string): number {
    const known = this.#byName.get(name)
    if (known) {
      known.requests++
      return known.number
    }
    const number = this.#free.pop() ?? (this.#given < MOST_TENANTS - 1 ? ++this.#given : SHARED)
    if (number !== SHARED) this.#byName.set(name, { number, requests: 1 })
    return number
  }

  /** One request fewer of those that entered under this number. */
  leave(name: string, number: number): void {
    const tenant = number === SHARED ? undefined : this.#byName.get(name)
    if (!tenant || --tenant.requests > 0) return
    this.#byName.delete(name)
    this.#free.push(tenant.number)
  }
}
