import { type AutoscalerStatus, type MultidimPodAutoscaler, PAUSE_ANNOTATION } from '@trimtab/kubernetes'
import type { PrometheusClient } from '@trimtab/prometheus'
import type { OperatorContext } from '../context.js'
import { Events } from '../events.js'
import { runPasses } from '../passes.js'
import { indexScalers, otherScalersOf } from '../scalers.js'
import type { Advice } from './advisor.js'
import { Advisors, type AdvisorsOptions } from './advisors.js'
import { conditionsOf, type Finding, type Findings, newsOf } from './conditions.js'
import { MetricsApiUsage, type UsageSource } from './pod-usage.js'
import { QueryBatch, type QueryBatchOptions } from './query-batch.js'
import { StatusWriter, type ToWrite } from './status-writer.js'
import { Survey, type Surveyed, type Tended } from './survey.js'
import { type Measurements, queriesOf } from './workload-telemetry.js'

/** What a recommender runs with. */
export interface RecommenderOptions extends Omit<AdvisorsOptions, 'periodSeconds'> {
  /** Between two passes; default 15. */
  readonly periodSeconds?: number
  /** Answers the queries of autoscalers; default: nobody does, and they are missing. */
  readonly prometheus?: Pick<PrometheusClient, 'query'>
  readonly queries?: QueryBatchOptions
  /** What pods use; default: the metrics API. */
  readonly usage?: UsageSource
}

/** Without a word from the server for so long, what is known of pods is too old to decide from. */
const MAX_SILENCE_MS = 180_000

/** Workloads that are decided on together: what so few leave behind is collected while it is young. */
const AT_ONCE = 64

/**
 * Decides for every MultidimPodAutoscaler what its workload should have, and writes that into its status: nothing else in the cluster is
 * changed but what it has learned (ConfigMaps `trimtab-state-NAME`) and events. Where telemetry is missing the rule decides, or what is in
 * force is held, and the conditions say why.
 *
 * @example
 * const recommender = new Recommender(context, { core, prometheus: new PrometheusClient({ url }) })
 * await recommender.run(signal)
 */
export class Recommender {
  readonly #context: OperatorContext
  readonly #periodSeconds: number
  readonly #usage: UsageSource
  readonly #queries: QueryBatch
  readonly #survey: Survey
  readonly #advisors: Advisors
  readonly #writer: StatusWriter
  readonly #events: Events
  readonly #statuses = new Map<string, AutoscalerStatus>()

  constructor(context: OperatorContext, options: RecommenderOptions) {
    const { periodSeconds = 15, usage = new MetricsApiUsage(context.client, context.clock) } = options
    this.#context = context
    this.#periodSeconds = periodSeconds
    this.#usage = usage
    this.#queries = new QueryBatch(options.prometheus, options.queries)
    this.#survey = new Survey(context)
    this.#events = new Events(context, 'recommender')
    this.#advisors = new Advisors(context, this.#events, { ...options, periodSeconds })
    this.#writer = new StatusWriter(context, periodSeconds)
  }

  /** A pass each period, until the signal aborts; what was learned is kept then. */
  async run(signal: AbortSignal): Promise<void> {
    await runPasses(this.#context, 'recommender', (each) => this.step(each), 1000 * this.#periodSeconds, signal)
    await this.#advisors.saveAll()
  }

  /** One pass over all autoscalers. @throws the signal's reason */
  async step(signal: AbortSignal): Promise<void> {
    const { autoscalers, pods } = this.#context
    if (!autoscalers.isReady || !pods.isReady) return // an absent object means nothing yet
    const surveyed = await this.#survey.look(signal)
    this.#forgetAllBut(surveyed)
    const tended = surveyed.filter((one) => 'spec' in one)
    const [measurements] = await Promise.all([this.#measure(tended, signal), this.#advisors.admit(tended, signal)])
    const scalers = indexScalers(this.#context)
    for (let from = 0; from < surveyed.length; from += AT_ONCE) {
      const toWrite = surveyed
        .slice(from, from + AT_ONCE)
        .map((one) =>
          'spec' in one
            ? this.#advise(one, measurements, otherScalersOf(scalers, one.object))
            : this.#toWrite(one.object, { ready: one.problem }),
        )
      await this.#writer.write(await Promise.all(toWrite), signal)
    }
    await this.#events.flush(signal)
    await this.#advisors.saveDue(signal)
  }

  /** Ends what it follows and runs. */
  dispose(): void {
    this.#survey.dispose()
    this.#advisors.dispose()
  }

  async #measure(tended: readonly Tended[], signal: AbortSignal): Promise<Measurements> {
    const texts = new Set(tended.flatMap(({ spec }) => queriesOf(spec)))
    const [usage, answers] = await Promise.all([this.#readUsage(signal), this.#queries.ask(texts, signal)])
    return { timeSeconds: this.#context.clock.now() / 1000, usage, answers }
  }

  async #readUsage(signal: AbortSignal): Promise<Measurements['usage']> {
    const silentForMs = this.#context.pods.silentForMs
    if (silentForMs > MAX_SILENCE_MS)
      return { missing: `the API server has told nothing of pods for ${Math.round(silentForMs / 1000)} s` }
    try {
      return await this.#usage.read(AbortSignal.any([signal, AbortSignal.timeout(1000 * this.#periodSeconds)]))
    } catch (error) {
      signal.throwIfAborted()
      return { missing: (error as Error).message }
    }
  }

  async #advise({ object, spec, workload }: Tended, measurements: Measurements, others: string[]): Promise<ToWrite> {
    const advisor = this.#advisors.of(object)
    if (typeof advisor === 'string')
      return this.#toWrite(object, { ready: { holds: false, reason: 'StateUnreadable', message: advisor } })
    const isPaused = object.metadata?.annotations?.[PAUSE_ANNOTATION] !== undefined
    const isActedUpon = spec.mode === 'act' && !isPaused && others.length === 0
    const { status, findings, evidence } = await advisor.advise(workload, measurements, isActedUpon)
    return { ...this.#toWrite(object, { ready: readyFinding(others), ...findings }, status, isActedUpon), evidence }
  }

  #toWrite(
    object: MultidimPodAutoscaler,
    findings: Findings,
    advice: Advice['status'] = {},
    isActedUpon = false,
  ): ToWrite {
    const { uid, generation = 0 } = object.metadata!
    const before = this.#statuses.get(uid!) ?? object.status ?? {}
    const now = new Date(this.#context.clock.now()).toISOString()
    const conditions = conditionsOf(findings, before.conditions ?? [], now, generation)
    const status = { observedGeneration: generation, ...advice, conditions }
    this.#statuses.set(uid!, status)
    for (const event of newsOf(before, status)) this.#events.record(object, event)
    return { object, status, isActedUpon }
  }

  #forgetAllBut(surveyed: readonly Surveyed[]): void {
    const there = new Set(surveyed.map(({ object }) => object.metadata!.uid!))
    for (const uid of this.#statuses.keys()) {
      if (there.has(uid)) continue
      this.#statuses.delete(uid)
      this.#advisors.forget(uid)
      this.#writer.forget(uid)
    }
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
