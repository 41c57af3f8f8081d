import { ConfigError } from '@trimtab/core'
import {
  type MultidimPodAutoscaler,
  PAUSE_ANNOTATION,
  type ResolvedAutoscalerSpec,
  readAutoscaler,
} from '@trimtab/kubernetes'
import { CONDITIONS } from '../names.js'
import { type Outcome, outcome } from './outcome.js'

/** What is known of an autoscaler without asking anybody. */
export interface GateFacts {
  readonly autoscaler: MultidimPodAutoscaler
  /** In words: who else scales the workload. */
  readonly others: readonly string[]
  /** Since we have seen the decision made; undefined: it was there when we came. */
  readonly decisionAgeMs: number | undefined
  /** Since we came. */
  readonly watchedForMs: number
  readonly staleAfterMs: number
  /** Why what is in the cluster cannot be followed; undefined: it can. */
  readonly blindness: string | undefined
}

/** The spec of an autoscaler that may be acted for, or why it may not. */
export function gate({
  autoscaler,
  others,
  decisionAgeMs,
  watchedForMs,
  staleAfterMs,
  blindness,
}: GateFacts): ResolvedAutoscalerSpec | Outcome {
  const { metadata, status = {} } = autoscaler
  const pause = metadata?.annotations?.[PAUSE_ANNOTATION]
  if (autoscaler.spec.mode !== 'act')
    return outcome('Recommending', 'spec.mode is recommend: decisions are shown, and nothing is changed')
  if (pause !== undefined)
    return outcome('Paused', `paused by annotation ${PAUSE_ANNOTATION}: ${pause || 'no reason given'}`)
  const spec = read(autoscaler)
  if ('reason' in spec) return spec
  if (others.length > 0)
    return outcome(
      'ScaledByAnother',
      `${others.join(', ')} scales ${spec.scaleTargetRef.name} too: one of them must go, or only recommend`,
    )
  if (blindness !== undefined) return outcome('NotWatching', `the cluster cannot be followed: ${blindness}`)
  const ready = status.conditions?.find(({ type }) => type === CONDITIONS.ready)
  if (ready?.status !== 'True')
    return outcome('NotReady', `the recommender says: ${ready ? (ready.message ?? ready.reason) : 'nothing yet'}`)
  if (status.observedGeneration !== metadata?.generation)
    return outcome(
      'StaleDecision',
      `the spec was edited (generation ${metadata?.generation}); the decision is about generation ${status.observedGeneration}`,
    )
  // Whose clock wrote lastDecisionTime is not believed: a decision is as old as the time since we saw it change.
  if (decisionAgeMs === undefined && watchedForMs <= staleAfterMs)
    return outcome('AwaitingDecision', 'waits for the first decision that is made while we look')
  if (decisionAgeMs === undefined || decisionAgeMs > staleAfterMs)
    return outcome(
      'StaleDecision',
      `no decision since ${status.lastDecisionTime ?? 'ever'}, for more than ${staleAfterMs / 1000} s: is the recommender up?`,
    )
  return spec
}

function read(autoscaler: MultidimPodAutoscaler): ResolvedAutoscalerSpec | Outcome {
  try {
    return readAutoscaler(autoscaler)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return outcome('InvalidSpec', error.message)
  }
}
