import type { ServerResponse } from 'node:http'
import { ConfigError } from '@trimtab/core'
import { HttpError } from './http-error.js'
import { Upstream } from './upstream.js'

/** A server that is down is looked for after so long, then after twice as long, at most every two seconds. */
const FIRST_PROBE_MS = 50
const LAST_PROBE_MS = 2000
/** A server that is up, where there is a path to ask. */
const HEALTH_EVERY_MS = 5000

/** Nobody has refused. */
const NONE: ReadonlyMap<Upstream, number> = new Map()

/** What waits for a server. */
export interface Patience {
  /** `performance.now()` until which a server is waited for. */
  readonly untilMs: number
  /** The same for the request, whatever the servers do. */
  readonly deadlineMs: number
  /** Until when which server does not want to be asked again. */
  readonly refusedUntilMs: ReadonlyMap<Upstream, number>
  /** Whoever waits for the answer: gone, nobody waits. */
  readonly client: ServerResponse
}

/** Servers that are alike: which of them are well, and which has the least to do. */
export class Upstreams {
  readonly all: readonly Upstream[]
  readonly #healthPath: string | undefined
  readonly #onChange: () => void
  readonly #timers = new Map<Upstream, NodeJS.Timeout>()
  readonly #waiters = new Set<() => void>()
  #isClosed = false

  /**
   * @param onChange  told when another number of them is up
   * @throws {ConfigError} `config_invalid`
   */
  constructor(bases: readonly string[], healthPath: string | undefined, onChange: () => void) {
    if (bases.length === 0) throw new ConfigError('config_invalid', 'gateway: name one upstream at least')
    this.all = bases.map((base) => new Upstream(base))
    this.#healthPath = healthPath
    this.#onChange = onChange
    if (healthPath !== undefined) for (const upstream of this.all) this.#probe(upstream, FIRST_PROBE_MS)
  }

  get up(): number {
    return this.all.filter(({ failure }) => !failure).length
  }

  /** The one that is up with the least work left; any where none is. */
  leastLoaded(): Upstream {
    return this.ready() ?? this.all.reduce(lessLoaded)
  }

  /** Of those that are up and have not refused to be asked now, the one with the least work left. */
  ready(refusedUntilMs: ReadonlyMap<Upstream, number> = NONE): Upstream | undefined {
    const now = performance.now()
    let least: Upstream | undefined
    for (const upstream of this.all) {
      if (upstream.failure || (refusedUntilMs.get(upstream) ?? 0) > now) continue
      least = least ? lessLoaded(least, upstream) : upstream
    }
    return least
  }

  /**
   * Waits until one is ready; any when patience is over.
   * @throws {HttpError} 504 `deadline_passed`; 499 `client_gone`
   */
  async waitForReady({ untilMs, deadlineMs, refusedUntilMs, client }: Patience): Promise<Upstream> {
    for (;;) {
      const ready = this.ready(refusedUntilMs)
      if (ready) return ready
      const now = performance.now()
      if (now >= deadlineMs)
        throw new HttpError(504, 'deadline_passed', 'no upstream has taken the request in its time: allow more')
      if (now >= untilMs) return this.leastLoaded() // patience is over: what one says now is the answer
      const soonest = Math.min(untilMs, deadlineMs, ...[...refusedUntilMs.values()].filter((until) => until > now))
      await this.#wait(soonest - now, client)
    }
  }

  /** A server could not be reached, or broke off: it is looked for until it is there. */
  reportFailure(upstream: Upstream, failure: HttpError): void {
    if (upstream.failure || this.#isClosed) return
    upstream.failure = failure
    this.#schedule(upstream, FIRST_PROBE_MS, 2 * FIRST_PROBE_MS)
    this.#onChange()
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const upstream of this.all) upstream.close()
  }

  #schedule(upstream: Upstream, delayMs: number, nextMs: number): void {
    clearTimeout(this.#timers.get(upstream))
    const timer = setTimeout(() => this.#probe(upstream, nextMs), delayMs)
    timer.unref()
    this.#timers.set(upstream, timer)
  }

  async #probe(upstream: Upstream, nextMs: number): Promise<void> {
    const wasUp = !upstream.failure
    await upstream.probe(this.#healthPath)
    if (this.#isClosed) return
    const isUp = !upstream.failure
    if (!isUp) this.#schedule(upstream, nextMs, Math.min(2 * nextMs, LAST_PROBE_MS))
    else if (this.#healthPath !== undefined) this.#schedule(upstream, HEALTH_EVERY_MS, FIRST_PROBE_MS)
    if (isUp === wasUp) return
    this.#onChange()
    for (const wake of [...this.#waiters]) wake()
  }

  #wait(milliseconds: number, client: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (settle: () => void) => () => {
        clearTimeout(timer)
        this.#waiters.delete(wake)
        client.off('close', leave)
        settle()
      }
      const wake = stop(resolve)
      const leave = stop(() => reject(new HttpError(499, 'client_gone', 'the client left')))
      const timer = setTimeout(wake, Math.max(0, milliseconds))
      this.#waiters.add(wake)
      client.on('close', leave)
      if (client.destroyed) leave()
    })
  }
}

/** Work left; of idle ones the one with fewer requests, which may be of unknown length. */
const loadOf = ({ workTokens, running }: Upstream): number => workTokens + running
const lessLoaded = (a: Upstream, b: Upstream): Upstream => (loadOf(b) < loadOf(a) ? b : a)
