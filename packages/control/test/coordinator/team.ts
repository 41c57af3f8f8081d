import {
  type CoordinatorTransport,
  type GlobalVariable,
  InProcessTransport,
  type LoadedModel,
  type ModelExchange,
  type Summary,
  TeamMember,
  type TeamMemberOptions,
} from '../../src/index.js'

export const VARIABLES: readonly GlobalVariable[] = [
  { name: 'cpuLimit', isSum: true },
  { name: 'sloPreservation' },
  { name: 'utilisation' },
]

/** Numbers of an agent. */
export const K = VARIABLES.length

export const HEARTBEAT_MS = 10_000

/** A policy file of these tests: one number, by which its policy multiplies what it observes. */
export const policyFile = (gain: number): Uint8Array => new TextEncoder().encode(String(gain))

export function gainOf(bytes: Uint8Array): number {
  const gain = Number(new TextDecoder().decode(bytes))
  if (Number.isNaN(gain)) throw new Error('not a policy')
  return gain
}

export const loadGain = (bytes: Uint8Array): LoadedModel => {
  const gain = gainOf(bytes)
  return { name: `× ${gain}`, decideMany: (observations, out) => out.set(observations.map((x) => x * gain)) }
}

/** What rules answer. */
export const RULE = -1

/** A transport of which nothing comes out, and into which nothing goes, while it is cut. */
export class Cable implements CoordinatorTransport {
  readonly #inner: CoordinatorTransport
  isCut = false

  constructor(inner: CoordinatorTransport) {
    this.#inner = inner
    const { models } = inner
    this.models = {
      get: (category) => this.#answer(() => models.get(category)),
      replace: (category, bytes, over) => this.#answer(() => models.replace(category, bytes, over)),
      offer: (offer) => models.offer(offer),
      onOffer: (take) => models.onOffer(take),
    }
  }

  readonly models: ModelExchange

  enter() {
    return this.#answer(() => this.#inner.enter())
  }

  publish(summary: Summary) {
    if (!this.isCut) this.#inner.publish(summary)
  }

  onSummary(take: (summary: Summary) => void) {
    return this.#inner.onSummary((summary) => {
      if (!this.isCut) take(summary)
    })
  }

  #answer<T>(ask: () => Promise<T>): Promise<T> {
    return this.isCut ? Promise.reject(new Error('cut')) : ask()
  }
}

/** A team whose clocks stand still until they are told to go on. */
export class Team {
  readonly hub = new InProcessTransport()
  readonly clock = { nowMs: 1e6, now: () => this.clock.nowMs }

  member(name: string, options: Partial<TeamMemberOptions> = {}): TeamMember {
    return new TeamMember({
      name,
      transport: this.hub,
      variables: VARIABLES,
      clock: this.clock,
      heartbeatMs: HEARTBEAT_MS,
      load: loadGain,
      rule: () => ({ name: 'rule', decide: (_observation, out) => out.fill(RULE) }),
      ...options,
    })
  }

  /** With so many agents, `name/0`, `name/1`, …, whose first step is still to come. */
  async joined(name: string, agents: number, options: Partial<TeamMemberOptions> = {}): Promise<TeamMember> {
    const member = this.member(name, options)
    for (let i = 0; i < agents; i++) member.add(`${name}/${i}`, CATEGORIES[i % 3]!)
    await member.settled()
    return member
  }

  /** A heartbeat passes, and the members step. */
  beat(...members: readonly TeamMember[]): void {
    this.clock.nowMs += HEARTBEAT_MS
    for (const member of members) member.step(ones(member))
  }
}

export const CATEGORIES = ['cpu', 'memory', 'io']

/** 1 for every number of every agent of a member: sums count agents. */
export const ones = ({ agents }: TeamMember): Float64Array => new Float64Array(agents.length * K).fill(1)
