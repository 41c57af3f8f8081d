// The names by which the parts of the operator know each other, and by which people find them. They meet in the API server alone:
// the recommender writes a status, the updater and the webhook read it.

/** The parts, each with a service account, a role and a lease of its own. */
export const OPERATOR_PARTS = ['recommender', 'updater', 'admission'] as const
/** One part of the operator. */
export type OperatorPart = (typeof OPERATOR_PARTS)[number]

/** The name of a part: of its lease, its field manager, its service account. */
export const nameOf = (part: OperatorPart): string => `trimtab-${part}`

/** Where the operator is, unless told otherwise. */
export const OPERATOR_NAMESPACE = 'trimtab-system'

/** The Secret that holds the webhook's authority and certificate. */
export const ADMISSION_SECRET = 'trimtab-admission-tls'

/** Where the webhook answers. */
export const WEBHOOK_PATH = '/mutate'

/** Conditions of an autoscaler, and who writes them. */
export const CONDITIONS = {
  /** Recommender: the spec is sound, the workload is there, and nothing else scales it. */
  ready: 'Ready',
  /** Recommender: what decides was measured. */
  measured: 'Measured',
  /** Recommender: the learned policy decides; otherwise the rule does, or nobody. */
  following: 'FollowingPolicy',
  /** Recommender: the error budget is not used up. */
  withinBudget: 'WithinBudget',
  /** Updater: what is recommended is carried out, or why it is not. */
  acting: 'Acting',
} as const

/** A decision that is so many periods old is nobody's any more: nobody acts on it. */
export const STALE_PERIODS = 3
