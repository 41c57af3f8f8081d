// Brings pods to the sizes that were decided on: in place where the cluster can, else by eviction, so that the webhook sizes the next one.
import { hasCode, type KubernetesError, type PodObject } from '@trimtab/kubernetes'
import {
  compareUpdatePriority,
  EvictionLimit,
  type UpdateCandidate,
  updatePriority,
  wantsUpdate,
} from '@trimtab/tasks/vpa'
import { nameOf } from '../names.js'
import { resized, type Sizes, sayOf } from '../sizes.js'
import { allowedAway } from './disruptions.js'
import { isFollowing, type Job } from './job.js'
import { type Outcome, outcome } from './outcome.js'
import { resizeStateOf } from './resize-state.js'
import { goBack } from './sizing.js'
import { isAt, refOf, sizedContainers } from './workload.js'

// As the VerticalPodAutoscaler: then a resize in place is given up, and the pod is evicted.
const PATIENCE_MS = { Deferred: 5 * 60_000, InProgress: 60 * 60_000 } as const

/** Takes the next pods to their sizes; undefined: all have them. */
export async function rollOut(job: Job): Promise<Outcome | undefined> {
  const { context, workload, track, patience, nowMs } = job
  const sizes = track.containers
  if (sizes === undefined) return undefined
  const states = workload.live.flatMap((pod) => {
    const resize = isAt(pod, sizes) ? resizeStateOf(pod) : undefined
    return resize === undefined ? [] : [{ pod, ...resize }]
  })
  const infeasible = states.find(({ state }) => state === 'Infeasible')
  const back = infeasible && goBack(job, infeasible.message || 'Infeasible')
  if (back) return back
  const stuck = states.filter(({ pod, state }) => isStuck(job, pod, state)).map(({ pod }) => pod)
  const off = workload.live.filter((pod) => !isAt(pod, sizes))
  const isSteady = workload.isWhole && track.steadyForMs(nowMs) >= patience.stableSeconds * 1000
  // Who starts is left alone: sizes that follow the load are other ones before it is there. Who never will be cannot be disturbed.
  const isMovable = (pod: PodObject): boolean =>
    isLost(job, pod) || (isFollowing(job) && pod.status?.phase === 'Running')
  const movable = isSteady ? off : off.filter(isMovable)
  const canResize = context.capabilities.canResizeInPlace && !track.mustEvict
  const resizable = movable.filter(({ status }) => canResize && status?.phase === 'Running')
  if (resizable.length > 0) return resizePods(job, byPriority(job, resizable, sizes, 0), sizes)
  const due = [...stuck, ...movable]
  const leaving = byPriority(job, due, sizes, patience.podAgeSeconds)
  if (leaving.length > 0) return evictPods(job, leaving, sizes)
  if (byPriority(job, due, sizes, 0).length > 0)
    return outcome(
      'Settling',
      `${due.length} pods wait for ${sayOf(sizes)} until they are ${patience.podAgeSeconds} s old`,
    )
  const underWay = states.length - stuck.length
  if (underWay > 0) return outcome('Resizing', `${underWay} pods are being resized in place to ${sayOf(sizes)}`)
  return off.length > 0 && !isSteady
    ? outcome(
        'Settling',
        `${off.length} pods wait for ${sayOf(sizes)} until the others were ready for ${patience.stableSeconds} s`,
      )
    : undefined
}

function isStuck(
  { track, nowMs }: Job,
  { metadata }: PodObject,
  state: 'InProgress' | 'Deferred' | 'Infeasible',
): boolean {
  const sinceMs = track.sinceMs(metadata?.uid ?? '', state, nowMs)
  return state === 'Infeasible' || nowMs - sinceMs > PATIENCE_MS[state]
}

/** Not ready for so long that it is not waited for. */
function isLost({ workload, track, patience, nowMs }: Job, pod: PodObject): boolean {
  if (!workload.unready.includes(pod)) return false
  return nowMs - track.sinceMs(pod.metadata?.uid ?? '', 'unready', nowMs) > patience.readySeconds * 1000
}

/** Those that are worth an update, in their order. */
function byPriority(job: Job, pods: readonly PodObject[], sizes: Sizes, podLifetimeSeconds: number): PodObject[] {
  const isWanted = (pod: PodObject): boolean =>
    isLost(job, pod) ||
    isAt(pod, sizes) || // it has its size on paper only: its resize is stuck
    isFollowing(job) ||
    wantsUpdate(candidateOf(pod, sizes, job.nowMs), { podLifetimeSeconds })
  const priority = (pod: PodObject) => updatePriority(sizedContainers(pod, sizes))
  return pods.filter(isWanted).sort((a, b) => compareUpdatePriority(priority(a), priority(b)))
}

function candidateOf(pod: PodObject, sizes: Sizes, nowMs: number): UpdateCandidate {
  const { startTime, containerStatuses = [] } = pod.status ?? {}
  const kills = containerStatuses.flatMap(({ lastState }) => {
    const { reason, startedAt = '', finishedAt = '' } = lastState?.terminated ?? {}
    return reason === 'OOMKilled' ? [(Date.parse(finishedAt) - Date.parse(startedAt)) / 1000] : []
  })
  return {
    priority: updatePriority(sizedContainers(pod, sizes)),
    ageSeconds: startTime === undefined ? undefined : Math.max(0, (nowMs - Date.parse(startTime)) / 1000),
    oomKilledAfterSeconds: kills.length === 0 ? undefined : Math.min(...kills),
  }
}

/** Half of the pods in a pass at most: a size that does harm is seen on them first. All of them where sizes follow the load. */
async function resizePods(job: Job, pods: readonly PodObject[], sizes: Sizes): Promise<Outcome | undefined> {
  const { context, workload, track, signal } = job
  const most = isFollowing(job) ? pods.length : Math.max(1, Math.floor(workload.live.length / 2))
  const batch = pods.slice(0, most)
  if (batch.length === 0) return undefined
  for (const pod of batch) {
    signal.throwIfAborted()
    const resources = (pod.spec?.containers ?? []).flatMap((container) => {
      const amounts = sizes.get(container.name)
      const { requests, limits } = amounts ? resized(container, amounts) : {}
      return requests ? [[container.name, { requests, ...(limits ? { limits } : {}) }] as const] : []
    })
    try {
      await context.client.resize(refOf(pod), Object.fromEntries(resources), {
        fieldManager: nameOf('updater'),
        signal,
      })
    } catch (error) {
      if (hasCode(error, 'api_not_found', 'api_conflict')) continue // it has gone or changed: looked at anew in the next pass
      if (isQuota(error)) return outcome('QuotaExceeded', (error as Error).message)
      if (!hasCode(error, 'api_invalid', 'api_method_not_allowed')) throw error
      track.mustEvict = true // not in place, as a lower limit of memory: by eviction, from the next pass on
      return outcome(
        'Resizing',
        `pods cannot be resized in place (${(error as Error).message}): they are evicted instead`,
      )
    }
    context.metrics?.changed('resize')
  }
  const message = `${batch.length} of ${workload.live.length} pods are resized in place to ${sayOf(sizes)}`
  job.say({ type: 'Normal', reason: 'Resized', message })
  return outcome('Resizing', message)
}

const isQuota = (error: unknown): boolean =>
  hasCode(error, 'api_forbidden') && (error as Error).message.includes('exceeded quota')

/** As many as every budget lets go, and never the last one. */
async function evictPods(job: Job, pods: readonly PodObject[], sizes: Sizes): Promise<Outcome> {
  const { context, webhook, spec, workload, track, nowMs, signal } = job
  const { replicas, live, unready } = workload
  const { eviction: apiVersion } = context.capabilities
  const said = `${pods.length} of ${live.length} pods are to be evicted for ${sayOf(sizes)}: `
  if (apiVersion === undefined) return outcome('RequestFailed', `${said}this cluster has no evictions`)
  if (live.length < 2) return outcome('TooFewReplicas', `${said}the only pod is not evicted; two replicas would do`)
  if (webhook.outage) return outcome('WebhookDown', `${said}nobody would size the next pods, ${webhook.outage}`)
  if (cameBackUnsized(job, sizes))
    return outcome(
      'WebhookDown',
      `${said}those that were evicted came back without it; can the API server reach the webhook?`,
    )
  const allowed = allowedAway(spec, replicas, nowMs)
  const limit = new EvictionLimit({ configuredReplicas: replicas, livePods: live.length, pendingPods: unready.length })
  let away = Math.max(0, replicas - (live.length - unready.length))
  let evicted = 0
  let budget: string | undefined
  for (const pod of pods) {
    const isAway = unready.includes(pod)
    if (evicted >= live.length - 1) budget = 'one pod always stays'
    else if (!isAway && away >= allowed.pods) budget = `${away} pods are away, ${allowed.rule}`
    else if (!limit.canEvict(isAway)) budget = 'half of the pods stay'
    else budget = await evict(job, pod, apiVersion)
    if (budget) break
    track.leaving.add(pod.metadata?.uid ?? '')
    track.evictedAtMs = nowMs
    limit.noteEviction(isAway)
    evicted++
    if (!isAway) away++
    signal.throwIfAborted()
  }
  if (evicted === 0) return outcome('BudgetOfDisruptions', said + budget)
  const message = `${evicted} of ${live.length} pods are evicted for ${sayOf(sizes)}`
  job.say({ type: 'Normal', reason: 'Evicted', message })
  return outcome('Resizing', message)
}

/** Whether a pod that took the place of an evicted one has another size: the next ones would fare no better. Tried again after an hour. */
function cameBackUnsized({ workload, track, nowMs }: Job, sizes: Sizes): boolean {
  const { evictedAtMs } = track
  if (evictedAtMs === undefined || nowMs - evictedAtMs > 3_600_000) return false
  const isNew = (pod: PodObject): boolean => track.sinceMs(pod.metadata?.uid ?? '', 'live', nowMs) > evictedAtMs
  return workload.live.some((pod) => isNew(pod) && !isAt(pod, sizes))
}

/** @returns the budget that is in the way */
async function evict(
  { context, signal }: Job,
  pod: PodObject,
  apiVersion: 'policy/v1' | 'policy/v1beta1',
): Promise<string | undefined> {
  const { uid = '' } = pod.metadata ?? {}
  signal.throwIfAborted()
  try {
    await context.client.evict(refOf(pod), { apiVersion, uid, signal })
    context.metrics?.changed('evict')
    return undefined
  } catch (error) {
    if (hasCode(error, 'api_not_found', 'api_conflict')) return undefined // it has gone by itself
    if (!hasCode(error, 'api_too_many_requests')) throw error
    return (error as KubernetesError).answer.details?.causes?.[0]?.message ?? (error as Error).message
  }
}
