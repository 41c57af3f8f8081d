import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core'
import type { Summary } from '@trimtab/control'
import type { Logger } from '@trimtab/core'
import type { Bucket } from './bucket.js'
import { RelayTurn } from './relay-turn.js'
import { readRelayed, readSummary, writeRelayed } from './summary-message.js'

/**
 * What the members of a process hear of all others. One process hears every summary and passes on, whenever it says one itself, all that
 * came since it last did in one message; the others hear that. Which one is no secret of anybody: the longest in the team (`RelayTurn`). Who
 * begins hears every summary until it knows of such a one, and takes its place when it is silent; two at once do no harm, since summaries
 * are told apart by life and sequence wherever they come from.
 */
export class SummaryFeed {
  readonly #connection: NatsConnection
  readonly #bucket: Bucket
  readonly #prefix: string
  readonly #logger: Logger | undefined
  readonly #turn: RelayTurn
  readonly #takes = new Set<(summary: Summary) => void>()
  readonly #news = new Map<string, Summary>() // by member, to be passed on
  #relayed: Subscription | undefined
  #direct: Subscription | undefined
  #life = Number.POSITIVE_INFINITY // the longest of this process
  #heard = 0
  #refused = 0
  #passedOn = 0

  /** @param prefix  of subjects: `prefix.summary.member` is what the bucket sends on, `prefix.relay` what is passed on */
  constructor(
    connection: NatsConnection,
    bucket: Bucket,
    { prefix, heartbeatMs, logger }: { prefix: string; heartbeatMs: number; logger: Logger | undefined },
  ) {
    this.#connection = connection
    this.#bucket = bucket
    this.#prefix = prefix
    this.#logger = logger
    this.#turn = new RelayTurn(heartbeatMs, performance.now())
  }

  /** Since the beginning: summaries that came, messages that were none, messages passed on. */
  get counts(): { readonly heard: number; readonly refused: number; readonly passedOn: number } {
    return { heard: this.#heard, refused: this.#refused, passedOn: this.#passedOn }
  }

  /** Calls `take` with the last summary of every member, and from now on. @returns what ends that */
  listen(take: (summary: Summary) => void): () => void {
    this.#takes.add(take)
    this.#relayed ??= this.#subscribe('relay', ({ data }) => this.#hearRelayed(data))
    this.#hearAll()
    void this.#tellLast()
    return () => {
      this.#takes.delete(take)
      if (this.#takes.size === 0) this.#close()
    }
  }

  /** A member of this process says its summary: with it goes what is to be passed on. */
  said(summary: Summary): void {
    this.#life = Math.min(this.#life, summary.incarnation)
    const isLast = summary.numbers[0] === 0 // nobody is left whose next one it could go with
    if (!this.#turn.isOurs || (this.#news.size === 0 && !isLast)) return // who hears nothing leaves it to others
    this.#news.set(summary.member, summary)
    this.#passOn()
  }

  /** The server has taken it: where nobody passes on, this process does from now on. */
  taken(): void {
    const wasOurs = this.#turn.isOurs
    this.#turn.answered(performance.now())
    if (wasOurs || !this.#turn.isOurs || this.#takes.size === 0) return
    this.#hearAll()
    void this.#tellLast().then(() => this.#passOn())
  }

  /** The server has not taken it. */
  lost(): void {
    this.#turn.unanswered(performance.now())
  }

  #hearAll(): void {
    this.#direct ??= this.#subscribe('summary.>', ({ data }) => this.#hearSummary(data))
  }

  #close(): void {
    this.#hearRelayedOnly()
    this.#relayed?.unsubscribe()
    this.#relayed = undefined
  }

  #hearRelayedOnly(): void {
    this.#direct?.unsubscribe()
    this.#direct = undefined
    this.#news.clear()
  }

  #subscribe(subject: string, hear: (message: Msg) => void): Subscription {
    return this.#connection.subscribe(`${this.#prefix}.${subject}`, {
      callback: (failure, message) => {
        if (failure) this.#logger?.error('summaries are not heard', { failure })
        else hear(message)
      },
    })
  }

  /** What members have said last; whoever it misses is heard within a heartbeat. */
  async #tellLast(): Promise<void> {
    try {
      await this.#connection.flush() // listening first: nothing falls in between
      await this.#bucket.use(async (kv) => {
        for await (const entry of await kv.watch()) {
          this.#hearSummary(entry.value)
          if (entry.isUpdate) break // the last of what there was, or the first of what is new
        }
      })
    } catch (failure) {
      this.#logger?.warn('the last summaries could not be read; the next ones are heard', { failure })
    }
  }

  #hearSummary(data: Uint8Array): void {
    const summary = this.#read(readSummary, data)
    if (summary === undefined) return
    if (this.#direct !== undefined) this.#news.set(summary.member, summary)
    this.#take(summary)
  }

  #hearRelayed(data: Uint8Array): void {
    const relayed = this.#read(readRelayed, data)
    if (relayed === undefined || relayed.by === this.#life) return
    if (relayed.by < this.#life) {
      this.#turn.yield(performance.now())
      this.#hearRelayedOnly()
    }
    for (const summary of relayed.summaries) this.#take(summary)
  }

  #take(summary: Summary): void {
    this.#heard++
    for (const take of this.#takes) take(summary)
  }

  #read<T>(read: (text: string) => T, data: Uint8Array): T | undefined {
    try {
      return read(new TextDecoder().decode(data))
    } catch {
      this.#refused++ // a stranger in the bucket, or a member of another version
      return undefined
    }
  }

  #passOn(): void {
    if (!this.#turn.isOurs) return
    const summaries = [...this.#news.values()]
    this.#news.clear()
    try {
      this.#connection.publish(`${this.#prefix}.relay`, writeRelayed({ by: this.#life, summaries }))
      this.#passedOn++
    } catch (failure) {
      this.#logger?.warn('summaries could not be passed on', { failure }) // closed, or more than a message may hold
    }
  }
}
