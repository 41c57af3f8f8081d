// What the updater says in the status: its condition and what it carries out; written when it changes, not each pass.
import { isDeepStrictEqual } from 'node:util'
import { type AutoscalerStatus, MULTIDIM_POD_AUTOSCALERS, type MultidimPodAutoscaler } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import type { Events } from '../events.js'
import { CONDITIONS, nameOf } from '../names.js'
import { ACTING_REASONS, isChosen, type Outcome } from './outcome.js'
import type { Track } from './track.js'

type Condition = NonNullable<AutoscalerStatus['conditions']>[number]

/** Tells what became of autoscalers; each thing once. */
export class Reports {
  readonly #context: OperatorContext
  readonly #events: Events
  /** As last written, by uid. */
  readonly #written = new Map<string, AutoscalerStatus>()

  constructor(context: OperatorContext, events: Events) {
    this.#context = context
    this.#events = events
  }

  /** Writes what is new. @throws where the server refuses */
  async tell(
    autoscaler: MultidimPodAutoscaler,
    track: Track,
    { reason, message }: Outcome,
    signal: AbortSignal,
  ): Promise<void> {
    const uid = autoscaler.metadata?.uid ?? ''
    const before = this.#written.get(uid) ?? ownPart(autoscaler.status)
    const was = before.conditions?.[0]
    if (was !== undefined && reason === 'AwaitingDecision') return // what the leader before us said holds until we know better
    const isActing = ACTING_REASONS[reason]
    if (was?.reason !== reason && !isActing && reason !== 'AwaitingDecision') {
      this.#events.record(autoscaler, { type: isChosen(reason) ? 'Normal' : 'Warning', reason, message })
      if (!isChosen(reason)) this.#context.metrics?.refused(reason)
    }
    const status = isActing ? 'True' : 'False'
    const { generation } = autoscaler.metadata ?? {}
    const condition: Condition = {
      type: CONDITIONS.acting,
      status,
      reason,
      message,
      lastTransitionTime: was?.status === status ? was.lastTransitionTime : timestamp(this.#context.clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    }
    const { lastChangeMs } = track
    const next: AutoscalerStatus = {
      carriedOut: track.toStatus(),
      conditions: [condition],
      ...(lastChangeMs === undefined ? {} : { lastChangeTime: timestamp(lastChangeMs) }),
    }
    if (isDeepStrictEqual(next, before)) return
    signal.throwIfAborted()
    const { name, namespace } = autoscaler.metadata ?? {}
    const object = { metadata: { name, namespace }, status: next } as MultidimPodAutoscaler
    const options = { subresource: 'status', fieldManager: nameOf('updater'), force: true, signal }
    await this.#context.client.apply(MULTIDIM_POD_AUTOSCALERS, object, options)
    this.#written.set(uid, next)
  }

  /** Lets go of those that have gone. */
  forget(uid: string): void {
    this.#written.delete(uid)
  }
}

/** Of a status, what the updater before wrote. */
function ownPart({ carriedOut = {}, conditions = [], lastChangeTime }: AutoscalerStatus = {}): AutoscalerStatus {
  return {
    carriedOut,
    conditions: conditions.filter(({ type }) => type === CONDITIONS.acting),
    ...(lastChangeTime === undefined ? {} : { lastChangeTime }),
  }
}

const timestamp = (ms: number): string => new Date(ms).toISOString()
