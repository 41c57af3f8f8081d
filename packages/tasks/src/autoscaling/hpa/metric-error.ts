import { TrimtabError } from '@trimtab/core'

export type MetricErrorCode =
  | 'metric_unavailable'
  | 'metric_source_unknown'
  | 'metric_not_a_number'
  | 'no_pods'
  | 'no_samples'
  | 'no_metric_matches_known_pods'
  | 'missing_request'
  | 'container_not_found'

/** A metric proposes no replica count. The pass goes on with the other metrics, and never shrinks without this one. */
export class MetricError extends TrimtabError {
  declare readonly code: MetricErrorCode

  constructor(code: MetricErrorCode, message: string) {
    super(code, message)
  }
}
