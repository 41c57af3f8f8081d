import type { Core } from '@trimtab/core'
import type { PrometheusClient } from '@trimtab/prometheus'
import { AdmissionServer } from './admission/server.js'
import type { OperatorContext } from './context.js'
import { type OperatorPart, STALE_PERIODS } from './names.js'
import type { PartFactories } from './operator.js'
import type { Part } from './passes.js'
import { PrometheusUsage } from './recommender/pod-usage.js'
import { Recommender, type RecommenderOptions } from './recommender/recommender.js'
import { Updater } from './updater/updater.js'

/** What the parts run with. */
export interface PartOptions {
  readonly core: Core
  readonly periodSeconds: number
  /** Unlike that of any other replica: the name of the pod. */
  readonly identity: string
  /** Where the webhook answers. */
  readonly admissionPort: number
  /** Answers the queries of autoscalers; default: nobody does. */
  readonly prometheus?: PrometheusClient | undefined
  /** Opens the store of a workload's steps; default: they are not kept. */
  readonly openTrajectory?: RecommenderOptions['openTrajectory'] | undefined
}

const CREATE: Readonly<Record<OperatorPart, (context: OperatorContext, options: PartOptions) => Part>> = {
  recommender: createRecommender,
  updater: (context, { identity, periodSeconds }) =>
    new Updater(context, { identity, periodSeconds, staleSeconds: STALE_PERIODS * periodSeconds }),
  admission: (context, { identity, admissionPort }) => new AdmissionServer(context, { identity, port: admissionPort }),
}

/** How each of these parts is made. */
export const createParts = (parts: readonly OperatorPart[], options: PartOptions): PartFactories =>
  Object.fromEntries(parts.map((part) => [part, (context: OperatorContext) => CREATE[part](context, options)]))

/** What pods use is asked of the metrics API, or of Prometheus where the cluster has none. */
function createRecommender(context: OperatorContext, options: PartOptions): Recommender {
  const { core, periodSeconds, prometheus, openTrajectory } = options
  const asksPrometheus = prometheus !== undefined && !context.capabilities.hasPodMetrics
  return new Recommender(context, {
    core,
    periodSeconds,
    ...(prometheus && { prometheus }),
    ...(openTrajectory && { openTrajectory }),
    ...(asksPrometheus && { usage: new PrometheusUsage(prometheus) }),
  })
}
