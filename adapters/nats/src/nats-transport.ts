import type { NatsConnection } from '@nats-io/nats-core'
import { type CoordinatorTransport, PATIENCE_HEARTBEATS, type Summary } from '@trimtab/control'
import { type Logger, Problems } from '@trimtab/core'
import { Bucket } from './bucket.js'
import { NatsModels } from './nats-models.js'
import { SummaryFeed } from './summary-feed.js'
import { writeSummary } from './summary-message.js'
import { SummarySender } from './summary-sender.js'

/** Which team, and how patient the server is with its members. */
export interface NatsTransportOptions {
  /** Names the team's buckets and subjects: letters, digits, "_" and "-". */
  readonly team: string
  /** As its members have it: the server forgets a summary after three. */
  readonly heartbeatMs: number
  /** How long the server may take for an answer. Default 2,000. */
  readonly timeoutMs?: number
  /** Servers of a cluster that keep the buckets. Default 1. */
  readonly replicas?: number
  readonly logger?: Logger
}

const OPTIONS: readonly (keyof NatsTransportOptions)[] = ['team', 'heartbeatMs', 'timeoutMs', 'replicas', 'logger']

/** What went over the connection so far, in messages. */
export interface NatsCounts {
  /** Own summaries that the server has taken. */
  readonly sent: number
  /** Own summaries that it has not: a newer one was there first, or it did not answer. */
  readonly dropped: number
  /** Summaries that came, own ones included, one by one or passed on. */
  readonly heard: number
  /** Messages in which this process passed on what all had said. */
  readonly passedOn: number
  /** Messages that hold no summaries. */
  readonly refused: number
}

/**
 * Connects the members of a team over NATS with JetStream. A summary is put into a bucket whose values the server forgets after three
 * heartbeats, and which sends on what it stores to one process, the longest in the team: it passes on to all what came since it last did,
 * in one message. A newcomer finds the last of everyone in the bucket, and no clock but the server's decides. The connection is its maker's: credentials, servers, TLS and how it reconnects are said there, and it is closed there.
 *
 * @example
 * const connection = await connect({ servers, token, maxReconnectAttempts: -1 }) // of @nats-io/transport-node, -deno, or wsconnect
 * const transport = new NatsTransport(connection, { team: 'shop', heartbeatMs: 10_000 })
 */
export class NatsTransport implements CoordinatorTransport {
  readonly models: NatsModels
  readonly #summaries: Bucket
  readonly #base: Bucket
  readonly #sender: SummarySender
  readonly #feed: SummaryFeed
  readonly #logger: Logger | undefined
  #isSilent = false

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(connection: NatsConnection, options: NatsTransportOptions) {
    check(options)
    const { team, heartbeatMs, timeoutMs = 2000, replicas = 1, logger } = options
    const prefix = `trimtab.${team}`
    const name = `trimtab_${team}_members`
    this.#logger = logger
    this.#summaries = new Bucket(connection, name, {
      ttl: PATIENCE_HEARTBEATS * heartbeatMs,
      republish: { src: `$KV.${name}.>`, dest: `${prefix}.summary.>` },
      replicas,
    })
    this.#base = new Bucket(connection, `trimtab_${team}_models`, { replicas })
    this.models = new NatsModels(connection, this.#base, { prefix, timeoutMs, logger })
    this.#feed = new SummaryFeed(connection, this.#summaries, { prefix, heartbeatMs, logger })
    this.#sender = new SummarySender((summary) => this.#put(summary, timeoutMs))
  }

  /** Since the beginning. */
  get counts(): NatsCounts {
    const { sent, dropped } = this.#sender
    return { sent, dropped, ...this.#feed.counts }
  }

  /** A revision of the bucket of models, which never forgets: it grows with every life. */
  enter(): Promise<number> {
    return this.#base.use((kv) => kv.put('lives', ''))
  }

  publish(summary: Summary): void {
    this.#sender.push(summary)
    this.#feed.said(summary)
  }

  onSummary(take: (summary: Summary) => void): () => void {
    return this.#feed.listen(take)
  }

  /** Resolves when the last summary has gone, or was given up: before the connection is closed. */
  async settled(): Promise<void> {
    await this.#sender.settled()
  }

  async #put(summary: Summary, timeout: number): Promise<void> {
    try {
      await this.#summaries.use((kv) => kv.put(summary.member, writeSummary(summary), { timeout }))
    } catch (failure) {
      if (!this.#isSilent) this.#logger?.warn('NATS does not take summaries; newer ones are sent', { failure })
      this.#isSilent = true
      this.#feed.lost()
      throw failure
    }
    this.#feed.taken()
    if (this.#isSilent) this.#logger?.info('NATS takes summaries again')
    this.#isSilent = false
  }
}

function check(options: NatsTransportOptions): void {
  const { team, heartbeatMs, timeoutMs = 1, replicas = 1 } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(/^[\w-]+$/.test(team), `team must be of letters, digits, "_" and "-", got "${team}"`)
  problems.check(heartbeatMs >= 100, `heartbeatMs must be >= 100, got ${heartbeatMs}`) // what the server can tell apart
  problems.check(timeoutMs > 0, `timeoutMs must be > 0, got ${timeoutMs}`)
  problems.check(Number.isInteger(replicas) && replicas >= 1, `replicas must be a whole number >= 1, got ${replicas}`)
  problems.throwIfAny('NATS transport')
}
