import type { Core } from '@trimtab/core'
import {
  type AutoscalerStatus,
  type MultidimPodAutoscaler,
  PAUSE_ANNOTATION,
  type ResolvedAutoscalerSpec,
  readAutoscaler,
} from '@trimtab/kubernetes'
import type { PrometheusClient } from '@trimtab/prometheus'
import type { OperatorContext } from '../context.js'
import { Events } from '../events.js'
import { runPasses } from '../passes.js'
import { indexScalers, otherScalersOf, type ScalerIndex } from '../scalers.js'
import { Advisor } from './advisor.js'
import { conditionsOf, type Finding, type Findings } from './conditions.js'
import { FollowedKinds } from './followed-kinds.js'
import { PodIndex } from './pod-index.js'
import { MetricsApiUsage, type UsageSource } from './pod-usage.js'
import { QueryBatch, type QueryBatchOptions } from './query-batch.js'
import { StatusWriter, type ToWrite } from './status-writer.js'
import { readWorkload, type Workload } from './workload.js'
import { type Measurements, queriesOf } from './workload-telemetry.js'

/** What a recommender runs with. */
export interface RecommenderOptions {
  readonly core: Core
  /** Between two passes; default 15. */
  readonly periodSeconds?: number
  /** Answers the queries of autoscalers; default: nobody does, and they are missing. */
  readonly prometheus?: Pick<PrometheusClient, 'query'>
  readonly queries?: QueryBatchOptions
  /** What pods use; default: the metrics API. */
  readonly usage?: UsageSource
}

type Read = { readonly spec: ResolvedAutoscalerSpec } | { readonly problem: Finding }

/**
 * Decides for every MultidimPodAutoscaler what its workload should have, and writes that into its status: nothing else in the cluster is
 * changed. Telemetry that is missing is said, and the rule decides, or what is in force is held.
 */
export class Recommender {
  readonly #context: OperatorContext
  readonly #options: RecommenderOptions
  readonly #periodSeconds: number
  readonly #usage: UsageSource
  readonly #queries: QueryBatch
  readonly #kinds: FollowedKinds
  readonly #pods: PodIndex
  readonly #writer: StatusWriter
  readonly #events: Events
  readonly #advisors = new Map<string, Advisor>()
  readonly #statuses = new Map<string, AutoscalerStatus>()

  constructor(context: OperatorContext, options: RecommenderOptions) {
    const { periodSeconds = 15, usage = new MetricsApiUsage(context.client, context.clock) } = options
    this.#context = context
    this.#options = options
    this.#periodSeconds = periodSeconds
    this.#usage = usage
    this.#queries = new QueryBatch(options.prometheus, options.queries)
    this.#kinds = new FollowedKinds(context)
    this.#pods = new PodIndex(context.pods)
    this.#writer = new StatusWriter(context, periodSeconds)
    this.#events = new Events(context, 'recommender')
  }

  /** A pass each period, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const step = (term: AbortSignal): Promise<void> => this.step(term)
    await runPasses(this.#context, 'recommender', step, 1000 * this.#periodSeconds, signal)
  }

  /** One pass over all autoscalers. @throws the signal's reason */
  async step(signal: AbortSignal): Promise<void> {
    const { autoscalers, pods } = this.#context
    if (!autoscalers.isReady || !pods.isReady) return // an absent object means nothing yet
    const objects = [...autoscalers.values()]
    this.#forgetAllBut(objects)
    const read = new Map(objects.map((object) => [object, readSpec(object)]))
    const specs = [...read.values()].flatMap((one) => ('spec' in one ? [one.spec] : []))
    await this.#kinds.follow(
      specs.map(({ scaleTargetRef }) => scaleTargetRef),
      { signal },
    )
    const measurements = await this.#measure(specs, signal)
    const scalers = indexScalers(this.#context)
    const toWrite = await Promise.all([...read].map(([object, one]) => this.#look(object, one, measurements, scalers)))
    await this.#writer.write(toWrite, signal)
    await this.#events.flush(signal)
  }

  /** Ends what it follows and runs. */
  dispose(): void {
    this.#kinds.dispose()
    this.#pods.dispose()
    for (const advisor of this.#advisors.values()) advisor.dispose()
    this.#advisors.clear()
  }

  async #measure(specs: readonly ResolvedAutoscalerSpec[], signal: AbortSignal): Promise<Measurements> {
    const unknown = (error: unknown): { missing: string } => {
      signal.throwIfAborted()
      return { missing: (error as Error).message }
    }
    const [usage, answers] = await Promise.all([
      this.#usage.read(signal).catch(unknown),
      this.#queries.ask(new Set(specs.flatMap(queriesOf)), signal),
    ])
    return { timeSeconds: this.#context.clock.now() / 1000, usage, answers }
  }

  async #look(
    object: MultidimPodAutoscaler,
    read: Read,
    measurements: Measurements,
    scalers: ScalerIndex,
  ): Promise<ToWrite> {
    if ('problem' in read) return this.#withoutAdvice(object, read.problem)
    const { spec } = read
    const workload = this.#workloadOf(object, spec)
    if ('problem' in workload) return this.#withoutAdvice(object, workload.problem)
    const others = otherScalersOf(scalers, object)
    const isPaused = object.metadata?.annotations?.[PAUSE_ANNOTATION] !== undefined
    const isActedUpon = spec.mode === 'act' && !isPaused && others.length === 0
    const advisor = this.#advisorOf(object, spec, workload)
    const { status, findings } = await advisor.advise(workload, measurements, isActedUpon)
    return this.#toWrite(object, { ...findings, ready: readyFinding(others) }, status, isActedUpon)
  }

  #workloadOf(
    object: MultidimPodAutoscaler,
    { scaleTargetRef }: ResolvedAutoscalerSpec,
  ): Workload | { problem: Finding } {
    const { kind, name } = scaleTargetRef
    const namespace = object.metadata!.namespace!
    const refuse = (reason: string, message: string): { problem: Finding } => ({
      problem: { holds: false, reason, message },
    })
    const target = this.#kinds.find(scaleTargetRef, namespace, name)
    if (target === undefined) return refuse('TargetNotFound', `there is no ${kind} ${name} in ${namespace}`)
    if (typeof target === 'string') return refuse('TargetUnreadable', target)
    const workload = readWorkload(target, this.#pods.podsOf({ namespace, kind, name }))
    if (workload === undefined)
      return refuse('NoContainers', `nothing says what the pods of ${kind} ${name} are made of`)
    if (workload.inForce.replicas === 0)
      return refuse('ScaledToZero', `${kind} ${name} was scaled to 0: scale it up to have it looked after`)
    if (!Object.values(workload.inForce).every((amount) => amount > 0))
      return refuse('NoRequests', `container ${workload.container} must request cpu and memory: what it has is unknown`)
    return workload
  }

  #advisorOf(object: MultidimPodAutoscaler, spec: ResolvedAutoscalerSpec, workload: Workload): Advisor {
    const uid = object.metadata!.uid!
    const before = this.#advisors.get(uid)
    if (before?.fits(spec, workload)) return before
    before?.dispose()
    const { capabilities, clock, metrics, logger } = this.#context
    const { template } = workload
    const options = {
      spec,
      capabilities,
      template,
      stepSeconds: this.#periodSeconds,
      clock,
      metrics: metrics?.loops,
      logger,
    }
    const advisor = new Advisor(this.#options.core, options)
    this.#advisors.set(uid, advisor)
    return advisor
  }

  #withoutAdvice(object: MultidimPodAutoscaler, ready: Finding): ToWrite {
    return this.#toWrite(object, { ready }, {}, false)
  }

  #toWrite(object: MultidimPodAutoscaler, findings: Findings, advice: AutoscalerStatus, isActedUpon: boolean): ToWrite {
    const { uid, generation = 0 } = object.metadata!
    const before = (this.#statuses.get(uid!) ?? object.status)?.conditions ?? []
    const now = new Date(this.#context.clock.now()).toISOString()
    const conditions = conditionsOf(findings, before, now, generation)
    const status = { observedGeneration: generation, ...advice, conditions }
    this.#statuses.set(uid!, status)
    for (const { type, status: holds, reason, message = '' } of conditions) {
      const last = before.find((condition) => condition.type === type)
      const isNews = last === undefined ? holds === 'False' && type === 'Ready' : last.status !== holds
      if (isNews) this.#events.record(object, { type: holds === 'True' ? 'Normal' : 'Warning', reason, message })
    }
    return { autoscaler: object, status, isActedUpon }
  }

  #forgetAllBut(objects: readonly MultidimPodAutoscaler[]): void {
    const there = new Set(objects.map(({ metadata }) => metadata!.uid!))
    for (const uid of this.#statuses.keys()) {
      if (there.has(uid)) continue
      this.#advisors.get(uid)?.dispose()
      this.#advisors.delete(uid)
      this.#statuses.delete(uid)
      this.#writer.forget(uid)
    }
  }
}

function readSpec(object: MultidimPodAutoscaler): Read {
  try {
    return { spec: readAutoscaler(object) }
  } catch (error) {
    return { problem: { holds: false, reason: 'InvalidSpec', message: (error as Error).message } }
  }
}

const readyFinding = (others: readonly string[]): Finding =>
  others.length === 0
    ? { holds: true, reason: 'Ready', message: 'the workload is looked after' }
    : {
        holds: false,
        reason: 'ScaledByAnother',
        message: `it is scaled by ${others.join(', ')}: nothing is carried out`,
      }
