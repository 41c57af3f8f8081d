// What the contract is run against: any server, and what it cannot be asked to do.
import type { Capabilities, KubernetesClient } from '../../src/index.js'

export interface Server {
  readonly client: KubernetesClient
  readonly capabilities: Capabilities
  /** Made for this run, and deleted after it. */
  readonly namespace: string
  /** A client with a token of its own, or with none that is good. */
  readonly clientWith: (token: string) => KubernetesClient
  /** What only a stand-in does on command; undefined: a real server. */
  readonly commands: Commands | undefined
  readonly image: string
}

export interface Commands {
  /** Forgets the history, as compaction does. */
  forget(): void
}

/** Waits until it holds: real clusters take seconds to start a pod. */
export const PATIENCE = { timeout: 60_000, interval: 20 }
