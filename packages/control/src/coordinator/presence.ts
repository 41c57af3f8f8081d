import type { Clock, Logger } from '@trimtab/core'
import type { AgentSums } from '@trimtab/learn'
import { Roster } from './roster.js'
import type { CoordinatorTransport } from './transport.js'

/** Heartbeats without a word after which a member is no longer counted. */
export const PATIENCE_HEARTBEATS = 3

/**
 * How a member stands with its team. `isolated`: it has not heard itself through the transport of late, so nobody may hear it;
 * `displaced`: a later life of its name is heard, which has taken over its agents.
 */
export type MemberState = 'joined' | 'isolated' | 'displaced'

/** Who is present, where, and by which time. */
export interface PresenceOptions {
  readonly name: string
  readonly transport: CoordinatorTransport
  readonly clock: Clock
  readonly heartbeatMs: number
  readonly logger?: Logger
}

/** A member's life in its team: it says in every step what its agents come to, and adds up what the others say. */
export class Presence {
  readonly #options: PresenceOptions
  readonly #size: number
  readonly #roster: Roster
  readonly #stopListening: () => void
  #incarnation: number | undefined
  #entering: Promise<void> | undefined
  #unanswered = 0 // calls to enter, in a row
  #sequence = 0
  #nowMs: number
  #state: MemberState = 'isolated'

  /** @param size  numbers of an agent */
  constructor(options: PresenceOptions, size: number) {
    this.#options = options
    this.#size = size
    this.#nowMs = options.clock.now()
    this.#roster = new Roster(options.name, size, PATIENCE_HEARTBEATS * options.heartbeatMs)
    this.#stopListening = options.transport.onSummary((summary) => this.#roster.receive(summary))
    this.#enter()
  }

  /** As of the last step. */
  get state(): MemberState {
    return this.#state
  }

  get members(): readonly string[] {
    return this.#roster.members
  }

  /** Summaries of others that could not be counted. */
  get refused(): number {
    return this.#roster.refused
  }

  /** Tells the team the sums of the own agents, and fills `total` with those of all. */
  step(own: AgentSums, total: AgentSums): void {
    this.#enter()
    this.#pass()
    this.#say(own.numbers)
    this.#roster.total(own, total)
    this.#note(this.#standing())
  }

  /** Resolves when the team has answered the call to enter, or has failed to. */
  async settled(): Promise<void> {
    await this.#entering
  }

  /** Says goodbye: it has no agents any more. */
  leave(): void {
    this.#say(this.#nobody())
    this.#stopListening()
    this.#state = 'isolated'
    this.#incarnation = undefined
  }

  /** The answer to the call is the first that is heard of this life. */
  #enter(): void {
    if (this.#incarnation !== undefined || this.#entering !== undefined) return
    const { name: member, transport, logger } = this.#options
    this.#entering = transport
      .enter()
      .then((incarnation) => {
        this.#incarnation = incarnation
        this.#unanswered = 0
        this.#roster.receive({ member, incarnation, sequence: 0, numbers: this.#nobody() })
      })
      .catch((failure: unknown) => {
        if (this.#unanswered++ === 0) logger?.warn('the team does not answer; rules go on', { member, failure })
      })
      .finally(() => {
        this.#entering = undefined
      })
  }

  /** Own time passes: never back, and by no more than a heartbeat, since a longer pause is our own or a jump of the clock. */
  #pass(): void {
    const { clock, heartbeatMs } = this.#options
    const now = clock.now()
    const elapsedMs = now - this.#nowMs
    this.#roster.advance(elapsedMs > 0 ? Math.min(heartbeatMs, elapsedMs) : 0) // also where the clock says nothing
    this.#nowMs = now
  }

  #say(numbers: Float64Array): void {
    const { name: member, transport } = this.#options
    if (this.#incarnation === undefined || this.#standing() === 'displaced') return
    transport.publish({ member, incarnation: this.#incarnation, sequence: ++this.#sequence, numbers: numbers.slice() })
  }

  #standing(): MemberState {
    const heard = this.#roster.incarnationOf(this.#options.name)
    if (this.#incarnation === undefined || heard === undefined) return 'isolated'
    return heard > this.#incarnation ? 'displaced' : 'joined'
  }

  #note(state: MemberState): void {
    if (state === this.#state) return
    this.#state = state
    const { name: member, logger } = this.#options
    if (state === 'joined') logger?.info('part of the team', { member })
    else if (state === 'isolated')
      logger?.warn('nothing is heard of the team; its last models and rules go on', { member })
    else logger?.error('another process goes by this name; rules go on', { member })
  }

  #nobody(): Float64Array {
    return new Float64Array(1 + 2 * this.#size)
  }
}
