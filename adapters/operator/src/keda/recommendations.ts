import type { MultidimPodAutoscaler, ObjectRef } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'

/** What an autoscaler wants now, or why nobody may act on it. */
export type WantedReplicas =
  | { readonly state: 'fresh'; readonly replicas: number; readonly autoscaler: MultidimPodAutoscaler }
  | { readonly state: 'unknown' | 'stale'; readonly message: string }

interface Seen {
  readonly decisionTime: string | undefined
  /** When it was seen to change; undefined: it was there already. */
  readonly changedMs: number | undefined
}

/**
 * Recommendations for others to act on, none older than `maxAgeMs`. Age is counted from when a decision was seen to come in, so the clock of
 * who wrote it may be wrong; one that was there at the start counts by its own time.
 */
export class Recommendations {
  readonly #context: Pick<OperatorContext, 'autoscalers' | 'clock'>
  readonly #maxAgeMs: number
  readonly #seen = new Map<string, Seen>()
  readonly #watchers = new Set<() => void>()
  readonly #end: () => void

  constructor(context: Pick<OperatorContext, 'autoscalers' | 'clock'>, maxAgeMs: number) {
    this.#context = context
    this.#maxAgeMs = maxAgeMs
    this.#end = context.autoscalers.listen({
      onChange: ({ type, object }) => {
        if (type === 'deleted') this.#seen.delete(keyOf(object))
        else this.#see(object, type === 'modified')
        for (const watcher of this.#watchers) watcher()
      },
    })
  }

  /** What one autoscaler wants. */
  of(ref: ObjectRef): WantedReplicas {
    const name = `${ref.namespace}/${ref.name}`
    const autoscaler = this.#context.autoscalers.get(ref)
    if (autoscaler === undefined) return { state: 'unknown', message: `there is no MultidimPodAutoscaler ${name}` }
    const { replicas, lastDecisionTime } = autoscaler.status ?? {}
    if (replicas?.wanted === undefined || lastDecisionTime === undefined)
      return { state: 'stale', message: `nothing was decided for ${name} yet` }
    const changedMs = this.#seen.get(keyOf(autoscaler))?.changedMs ?? Date.parse(lastDecisionTime)
    const ageMs = Math.abs(this.#context.clock.now() - changedMs) // from the future: a clock is wrong
    if (!(ageMs <= this.#maxAgeMs))
      return {
        state: 'stale',
        message: `the last decision for ${name} is of ${lastDecisionTime}: is the recommender up?`,
      }
    return { state: 'fresh', replicas: replicas.wanted, autoscaler }
  }

  /** Calls `watcher` whenever something may have changed; the returned function ends it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Listens no more. */
  dispose(): void {
    this.#end()
  }

  #see(autoscaler: MultidimPodAutoscaler, isChange: boolean): void {
    const decisionTime = autoscaler.status?.lastDecisionTime
    const key = keyOf(autoscaler)
    if (isChange && this.#seen.get(key)?.decisionTime === decisionTime) return
    this.#seen.set(key, { decisionTime, changedMs: isChange ? this.#context.clock.now() : undefined })
  }
}

const keyOf = ({ metadata }: MultidimPodAutoscaler): string => `${metadata?.namespace}/${metadata?.name}`
