import { type AutoscalerStatus, MULTIDIM_POD_AUTOSCALERS, type MultidimPodAutoscaler } from '@trimtab/kubernetes'
import { forEachAtMost } from '../at-most.js'
import type { OperatorContext } from '../context.js'
import { nameOf } from '../names.js'

/** A status to be shown. */
export interface ToWrite {
  readonly object: MultidimPodAutoscaler
  readonly status: AutoscalerStatus
  readonly evidence?: () => NonNullable<AutoscalerStatus['evidence']>
  /** Somebody acts on it: it must stay fresh. */
  readonly isActedUpon: boolean
}

const AT_ONCE = 16
/** The updater takes what is three periods old to be stale. */
const FRESH_PERIODS = 2
const SHOWN_PERIODS = 20

/**
 * Writes statuses by server-side apply: what is decided, by whom, and conditions at once when they change; figures and words that move all the
 * time with them, and every few periods. What the server does not take is written in the next pass.
 */
export class StatusWriter {
  readonly #context: OperatorContext
  readonly #periodMs: number
  readonly #written = new Map<string, { readonly key: string; readonly atMs: number }>()

  constructor(context: OperatorContext, periodSeconds: number) {
    this.#context = context
    this.#periodMs = 1000 * periodSeconds
  }

  /** Writes those that are due. Never throws but for the signal. */
  async write(all: readonly ToWrite[], signal: AbortSignal): Promise<void> {
    const due = all.filter((one) => this.#isDue(one))
    await forEachAtMost(AT_ONCE, due, async ({ object, status, evidence }) => {
      const { namespace, name, uid } = object.metadata!
      const shown = evidence ? { ...status, evidence: evidence() } : status
      const applied = { metadata: { namespace, name }, status: shown } as MultidimPodAutoscaler
      const options = { subresource: 'status', fieldManager: nameOf('recommender'), force: true, signal }
      try {
        await this.#context.client.apply(MULTIDIM_POD_AUTOSCALERS, applied, options)
        this.#written.set(uid!, { key: keyOf(status), atMs: this.#context.clock.now() })
      } catch (error) {
        signal.throwIfAborted()
        this.#context.logger?.warn('a status was not written', { namespace, name, error: (error as Error).message })
      }
    })
  }

  /** Its object has gone. */
  forget(uid: string): void {
    this.#written.delete(uid)
  }

  #isDue({ object, status, isActedUpon }: ToWrite): boolean {
    const last = this.#written.get(object.metadata!.uid!)
    if (last === undefined || last.key !== keyOf(status)) return true
    const ageMs = Math.abs(this.#context.clock.now() - last.atMs)
    return ageMs >= (isActedUpon ? FRESH_PERIODS : SHOWN_PERIODS) * this.#periodMs
  }
}

/** What makes a status another one. */
function keyOf({
  observedGeneration,
  stage,
  replicas,
  containers,
  decidedBy,
  conditions = [],
}: AutoscalerStatus): string {
  const held = conditions.map(({ type, status, reason }) => [type, status, reason])
  return JSON.stringify([observedGeneration, stage, replicas, containers, decidedBy, held])
}
