/** Why something is carried out, or is not: the reasons of the condition `Acting`, and its status. */
export const ACTING_REASONS = {
  UpToDate: true,
  Scaled: true,
  Resizing: true,
  Settling: true,
  Recommending: false,
  Paused: false,
  AwaitingDecision: false,
  InvalidSpec: false,
  ScaledByAnother: false,
  NotReady: false,
  StaleDecision: false,
  NotWatching: false,
  TargetNotFound: false,
  ScaledToZero: false,
  PodsNotReady: false,
  WebhookDown: false,
  BudgetOfDisruptions: false,
  TooFewReplicas: false,
  TooManyChanges: false,
  Infeasible: false,
  QuotaExceeded: false,
  RequestFailed: false,
} as const

/** One of them. */
export type ActingReason = keyof typeof ACTING_REASONS

/** What a pass comes to for one autoscaler. */
export interface Outcome {
  readonly reason: ActingReason
  /** A sentence. */
  readonly message: string
}

/** One of them, with its sentence. */
export const outcome = (reason: ActingReason, message: string): Outcome => ({ reason, message })

/** Reasons that its owner chose: nothing was wanted and refused. */
export const isChosen = (reason: ActingReason): boolean => reason === 'Recommending' || reason === 'Paused'
