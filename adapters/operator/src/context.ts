import type { Clock, Logger } from '@trimtab/core'
import type { Capabilities, Informer, KubernetesClient, MultidimPodAutoscaler, PodObject } from '@trimtab/kubernetes'
import type { OperatorMetrics } from './metrics.js'
import type { ScalerObject } from './scalers.js'

/** What every part of the operator stands on. Informers are shared, and run by whoever made them. */
export interface OperatorContext {
  readonly client: KubernetesClient
  /** Those that are looked after; default: all. */
  readonly namespaces?: readonly string[]
  readonly capabilities: Capabilities
  /** All of the cluster, or of the namespaces that are looked after. */
  readonly autoscalers: Informer<MultidimPodAutoscaler>
  readonly pods: Informer<PodObject>
  /** One for each of `scalerResources`: nothing is done beside another scaler. */
  readonly scalers: readonly Informer<ScalerObject>[]
  /** Wall clock, ms since 1970: of times in objects, and of what is measured. */
  readonly clock: Clock
  /** Where leases and state are kept. */
  readonly namespace: string
  readonly logger?: Logger
  /** Told of what a part does. */
  readonly metrics?: OperatorMetrics
}
