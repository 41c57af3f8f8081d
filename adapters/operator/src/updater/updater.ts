import { Problems } from '@trimtab/core'
import {
  hasCode,
  type KubernetesObject,
  LeaderElection,
  type LeaderOptions,
  type MultidimPodAutoscaler,
  type ResolvedAutoscalerSpec,
} from '@trimtab/kubernetes'
import { forEachAtMost } from '../at-most.js'
import type { OperatorContext } from '../context.js'
import { Events } from '../events.js'
import { nameOf } from '../names.js'
import { Owners } from '../owners.js'
import { type Part, runPasses } from '../passes.js'
import { indexScalers, otherScalersOf, type ScalerIndex } from '../scalers.js'
import { Targets } from '../targets.js'
import { gate } from './gate.js'
import { isFollowing, type Job, type Patience } from './job.js'
import { type Outcome, outcome } from './outcome.js'
import { PodIndex } from './pod-index.js'
import { Reports } from './report.js'
import { rollOut } from './rollout.js'
import { setReplicas } from './scaling.js'
import { decideSizes, goBack } from './sizing.js'
import { Track } from './track.js'
import { WebhookLease } from './webhook-lease.js'
import { toWorkload, type Workload } from './workload.js'

/** Who leads, and how patient the leader is. */
export interface UpdaterOptions extends Partial<Patience> {
  /** Unlike that of any other replica: the name of the pod. */
  readonly identity: string
  /** How long the lease holds, and so on. */
  readonly lease?: Partial<Pick<LeaderOptions, 'leaseSeconds' | 'renewSeconds' | 'retrySeconds'>>
}

const PATIENCE: Patience = {
  periodSeconds: 15,
  staleSeconds: 45,
  stableSeconds: 60,
  readySeconds: 600,
  podAgeSeconds: 600,
}

/** Autoscalers that are looked at at the same time. */
const AT_ONCE = 8

const UP_TO_DATE = outcome('UpToDate', 'replicas and requests are as recommended')

interface Pass {
  readonly scalers: ScalerIndex
  readonly pods: PodIndex
  readonly signal: AbortSignal
}

/**
 * Carries out what statuses recommend: replicas first, then sizes once all has settled; never more at once than limits and budgets allow,
 * never against another scaler, never on a decision that is old. Whatever it does or does not do it says, in the condition `Acting` and in events.
 */
export class Updater implements Part {
  /** Whether new pods would be sized; followed by `run`. */
  readonly webhook: WebhookLease
  readonly #context: OperatorContext
  readonly #patience: Patience
  readonly #election: LeaderElection
  readonly #events: Events
  #reports: Reports
  readonly #targets: Targets
  readonly #owners: Owners
  #tracks = new Map<string, Track>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(context: OperatorContext, options: UpdaterOptions) {
    const { identity, lease = {}, ...patience } = options
    this.#patience = { ...PATIENCE, ...patience }
    const problems = new Problems()
    problems.checkKeys(patience, Object.keys(PATIENCE), 'options')
    for (const [name, value] of Object.entries(this.#patience))
      problems.check(value > 0, `${name} must be above 0, got ${value}`)
    problems.throwIfAny('updater')
    const { client, namespace } = context
    this.#election = new LeaderElection(client, { ...lease, namespace, name: nameOf('updater'), identity })
    this.#context = context
    this.#events = new Events(context, 'updater')
    this.#reports = new Reports(context, this.#events)
    this.#targets = new Targets(client)
    this.#owners = new Owners(client)
    this.webhook = new WebhookLease(context)
  }

  /** How often replicas were changed back within an hour, over all autoscalers. */
  get reversals(): number {
    return [...this.#tracks.values()].reduce((sum, { reversals }) => sum + reversals, 0)
  }

  /** Passes while this replica leads; nothing is written after it no longer does. */
  async run(signal: AbortSignal): Promise<void> {
    const lead = async (held: AbortSignal): Promise<void> => {
      // What the leader before us did and said stands in the statuses.
      this.#tracks = new Map()
      this.#reports = new Reports(this.#context, this.#events)
      this.#context.metrics?.led('updater', true)
      await runPasses(this.#context, 'updater', (held) => this.step(held), this.#patience.periodSeconds * 1000, held)
      this.#context.metrics?.led('updater', false)
    }
    await Promise.all([this.webhook.run(signal), this.#election.run(lead, signal)])
  }

  /** One pass. What fails for one autoscaler is said in its condition, and holds up no other. @throws the reason of `signal` */
  async step(signal: AbortSignal): Promise<void> {
    const pods = new PodIndex(this.#context.pods, this.#owners, signal)
    const pass = { scalers: indexScalers(this.#context), pods, signal }
    const autoscalers = [...this.#context.autoscalers.values()]
    await forEachAtMost(AT_ONCE, autoscalers, (autoscaler) => this.#look(autoscaler, pass))
    const present = new Set(autoscalers.map(({ metadata }) => metadata?.uid))
    for (const uid of this.#tracks.keys())
      if (!present.has(uid)) {
        this.#tracks.delete(uid)
        this.#reports.forget(uid)
      }
    await this.#events.flush(signal)
  }

  async #look(autoscaler: MultidimPodAutoscaler, pass: Pass): Promise<void> {
    const { signal } = pass
    signal.throwIfAborted()
    const track = this.#trackOf(autoscaler)
    try {
      const became = await this.#act(autoscaler, track, pass).catch((error) => toOutcome(error, signal))
      await this.#reports.tell(autoscaler, track, became, signal)
    } catch (error) {
      signal.throwIfAborted()
      const { name, namespace } = autoscaler.metadata ?? {}
      this.#context.logger?.warn('a status was not written', { name, namespace, error: (error as Error).message })
    }
  }

  #trackOf({ metadata, status = {} }: MultidimPodAutoscaler): Track {
    const uid = metadata?.uid ?? ''
    const nowMs = this.#context.clock.now()
    const track = this.#tracks.get(uid) ?? new Track(status, nowMs)
    this.#tracks.set(uid, track)
    track.seeDecision(status.lastDecisionTime, nowMs)
    return track
  }

  async #act(autoscaler: MultidimPodAutoscaler, track: Track, pass: Pass): Promise<Outcome> {
    const nowMs = this.#context.clock.now()
    const spec = gate({
      autoscaler,
      others: otherScalersOf(pass.scalers, autoscaler),
      decisionAgeMs: track.decisionAgeMs(nowMs),
      watchedForMs: track.watchedForMs(nowMs),
      staleAfterMs: this.#patience.staleSeconds * 1000,
      blindness: this.#blindness(),
    })
    if ('reason' in spec) return spec
    const workload = await this.#find(autoscaler, spec, track, pass)
    if ('reason' in workload) return workload
    const say: Job['say'] = (event) => this.#events.record(autoscaler, event)
    const shared = { context: this.#context, webhook: this.webhook, patience: this.#patience, signal: pass.signal, say }
    const job: Job = { ...shared, autoscaler, spec, workload, track, nowMs }
    return this.#carryOut(job)
  }

  /** What did not work first, then replicas, then sizes; both in one pass where sizes follow the load. */
  async #carryOut(job: Job): Promise<Outcome> {
    const { workload, track, patience, nowMs } = job
    const isLost = track.brokenForMs(nowMs) > patience.readySeconds * 1000
    const { live, unready, replicas } = workload
    const missing = `${live.length - unready.length} of ${replicas} pods were ready for the last ${patience.readySeconds} s`
    if (isFollowing(job) && !isLost) {
      const scaled = await setReplicas(job)
      const refused = scaled ?? (await this.#refusedPods(job))
      const held = await decideSizes(job)
      const rolled = await rollOut(job)
      return refused ?? held ?? rolled ?? UP_TO_DATE
    }
    return (
      (isLost && goBack(job, `only ${missing}`)) ||
      (await setReplicas(job)) ||
      (await this.#refusedPods(job)) ||
      (await rollOut(job)) ||
      (isLost ? outcome('PodsNotReady', `only ${missing}: sizes stay as they are`) : undefined) ||
      (await decideSizes(job)) ||
      UP_TO_DATE
    )
  }

  async #find(
    { metadata }: MultidimPodAutoscaler,
    { scaleTargetRef }: ResolvedAutoscalerSpec,
    track: Track,
    { pods, signal }: Pass,
  ): Promise<Workload | Outcome> {
    const ref = { namespace: metadata?.namespace ?? '', name: scaleTargetRef.name }
    const said = `${scaleTargetRef.kind} ${scaleTargetRef.name}`
    try {
      const resource = await this.#targets.resourceOf(scaleTargetRef, { signal })
      const scale = await this.#context.client.getScale(resource, ref, { signal })
      if (!scale.spec?.replicas) return outcome('ScaledToZero', `${said} has 0 replicas: somebody has stopped it`)
      const all = await pods.of(ref.namespace, scale.metadata?.uid ?? '')
      const workload = toWorkload({ resource, ref, scale }, all, track.leaving)
      track.seeWorkload(workload, new Set(all.map(({ metadata }) => metadata?.uid ?? '')), this.#context.clock.now())
      return workload
    } catch (error) {
      if (!hasCode(error, 'api_not_found', 'target_unknown')) throw error
      return outcome('TargetNotFound', `${said} is not there: ${(error as Error).message}`)
    }
  }

  /** Pods that are missing because a quota refuses them: said by the workload itself. */
  async #refusedPods({ workload, context, signal }: Job): Promise<Outcome | undefined> {
    if (workload.live.length >= workload.replicas) return undefined
    const { status } = await context.client.get<ConditionedObject>(workload.resource, workload.ref, { signal })
    const failure = status?.conditions?.find(({ type, status: holds }) => type === 'ReplicaFailure' && holds === 'True')
    if (!failure?.message?.includes('exceeded quota')) return undefined
    return outcome('QuotaExceeded', `${workload.replicas - workload.live.length} pods are refused: ${failure.message}`)
  }

  /** Why our copy of the cluster may be wrong; undefined: it follows. */
  #blindness(): string | undefined {
    const { autoscalers, pods, scalers } = this.#context
    for (const { isReady, failure } of [autoscalers, pods, ...scalers]) {
      if (failure) return failure.message
      if (!isReady) return 'the first list has not come in'
    }
    return undefined
  }
}

interface ConditionedObject extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  }
}

/** What the server refused, or could not be asked: nothing is changed until the next pass. @throws the reason of `signal`, and faults of ours */
function toOutcome(error: unknown, signal: AbortSignal): Outcome {
  signal.throwIfAborted()
  if (!(error instanceof Error && 'code' in error)) throw error
  return outcome('RequestFailed', `nothing is changed until the next pass: ${error.message}`)
}
