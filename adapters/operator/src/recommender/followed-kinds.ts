import { sleep } from '@trimtab/control'
import { type CallOptions, Informer, type WorkloadObject } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import { Targets } from '../targets.js'

/** A kind of workload. */
export interface WorkloadKind {
  readonly apiVersion: string
  readonly kind: string
}

/** How long a pass waits for the first list of a kind. */
const PATIENCE_MS = 5000

/** Follows the workloads of all kinds that autoscalers name: one list and one watch a kind. */
export class FollowedKinds {
  readonly #context: OperatorContext
  readonly #targets: Targets
  readonly #ending = new AbortController()
  readonly #informers = new Map<string, Informer<WorkloadObject>>()
  readonly #failures = new Map<string, string>()

  constructor(context: OperatorContext) {
    this.#context = context
    this.#targets = new Targets(context.client)
  }

  /** Begins to follow those that are new, and waits for them for a moment. */
  async follow(kinds: Iterable<WorkloadKind>, options: CallOptions & { readonly signal: AbortSignal }): Promise<void> {
    const fresh = new Map<string, WorkloadKind>()
    for (const kind of kinds) if (!this.#informers.has(keyOf(kind))) fresh.set(keyOf(kind), kind)
    await Promise.all([...fresh.values()].map((kind) => this.#begin(kind, options.signal)))
  }

  /** A workload as last heard of; undefined: there is none. A text: why nothing is known of it. */
  find(kind: WorkloadKind, namespace: string, name: string): WorkloadObject | string | undefined {
    const key = keyOf(kind)
    const informer = this.#informers.get(key)
    if (informer?.isReady) return informer.get({ namespace, name })
    return informer?.failure?.message ?? this.#failures.get(key) ?? `${kind.kind}s are still being listed`
  }

  /** Stops following. */
  dispose(): void {
    this.#ending.abort()
  }

  async #begin(kind: WorkloadKind, signal: AbortSignal): Promise<void> {
    const key = keyOf(kind)
    try {
      const resource = await this.#targets.resourceOf(kind, { signal })
      const { client, namespaces } = this.#context
      const informer = new Informer<WorkloadObject>(client, resource, { namespaces })
      this.#informers.set(key, informer)
      void informer.run(this.#ending.signal)
      const patience = new AbortController()
      await Promise.race([informer.listed, sleep(PATIENCE_MS, AbortSignal.any([patience.signal, signal]))])
      patience.abort()
    } catch (error) {
      signal.throwIfAborted()
      this.#failures.set(key, (error as Error).message) // asked again in the next pass
    }
  }
}

const keyOf = ({ apiVersion, kind }: WorkloadKind): string => `${apiVersion} ${kind}`
