// What the members of a team and its coordinator say to each other, and what carries it. Types only.

/** What the agents of one member came to in its last step. K: numbers of an agent. */
export interface Summary {
  readonly member: string
  /** Which life of that name; a later one silences the earlier ones. */
  readonly incarnation: number
  /** Rises with every summary of a life. */
  readonly sequence: number
  /** N, Σx [K], Σx² [K], as `AgentSums` has them. */
  readonly numbers: Float64Array
}

/** The policy that a newcomer of a category begins with. */
export interface BaseModel {
  /** Another for every model that a category has had in this store; one that has lost them all counts anew. */
  readonly version: number
  /** A policy file. */
  readonly bytes: Uint8Array
}

/** What a member has learned in a category, for the coordinator to judge. */
export interface ModelOffer {
  readonly category: string
  readonly member: string
  /** A policy file. */
  readonly bytes: Uint8Array
}

/** Where base models lie, and the way of what was learned to whoever refreshes them. */
export interface ModelExchange {
  /** `undefined`: the category has none yet. Rejects with an `AdapterError` when nobody answers. */
  get(category: string): Promise<BaseModel | undefined>
  /**
   * Puts `bytes` in the place of version `over`; 0: there is none yet.
   * @returns the new version; `undefined`: another model stands there by now, nothing changed
   */
  replace(category: string, bytes: Uint8Array, over: number): Promise<number | undefined>
  /** Sends on its way; where nobody refreshes, nobody takes it. Neither waits nor throws. */
  offer(offer: ModelOffer): void
  /**
   * Calls `take` with every offer from now on.
   * @returns what ends that
   */
  onOffer(take: (offer: ModelOffer) => void): () => void
}

/** What connects the members of one team; `InProcessTransport` within a process, `@trimtab/nats` between them. */
export interface CoordinatorTransport {
  readonly models: ModelExchange
  /** Begins a life: a number above all that the team was given before. Rejects with an `AdapterError` when nobody answers. */
  enter(): Promise<number>
  /**
   * Sends a summary to all members, its own included. Neither waits nor throws: one that has not gone when the next one comes is
   * dropped.
   */
  publish(summary: Summary): void
  /**
   * Calls `take` with every summary from now on, and with the last one of each member that is still in force; with some it may twice,
   * or late.
   * @returns what ends that
   */
  onSummary(take: (summary: Summary) => void): () => void
}
