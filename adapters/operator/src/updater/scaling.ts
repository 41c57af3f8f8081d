// Replicas, through the subresource scale.
import type { ApiResource, Scale } from '@trimtab/kubernetes'
import { nameOf } from '../names.js'
import { isFollowing, type Job, tooMany } from './job.js'
import { type Outcome, outcome } from './outcome.js'
import { nextReplicas } from './replicas.js'
import { beyondQuota, totalOf } from './room.js'
import { sizesOf } from './workload.js'

/** Sets the replicas, or says why not; undefined: they are as they should be. */
export async function setReplicas(job: Job): Promise<Outcome | undefined> {
  const { context, autoscaler, spec, workload, track, nowMs, signal } = job
  const { wanted } = autoscaler.status?.replicas ?? {}
  if (!spec.controlled.includes('replicas') || wanted === undefined) return undefined
  const current = workload.replicas
  const next = nextReplicas(current, wanted, spec)
  if (next === current) return undefined
  const refusal = await refusalOf(job, next)
  if (refusal) return refusal
  signal.throwIfAborted()
  // With the version that was read: who scaled it meanwhile is not overruled.
  const { resourceVersion = '' } = workload.scale.metadata ?? {}
  const patch = { metadata: { resourceVersion }, spec: { replicas: next } }
  const options = { subresource: 'scale', fieldManager: nameOf('updater'), signal }
  await context.client.merge(workload.resource as ApiResource<Scale>, workload.ref, patch, options)
  track.noteMove(Math.sign(next - current), nowMs)
  context.metrics?.changed('replicas')
  const message = `replicas ${current} → ${next}${next === wanted ? '' : ` (${wanted} are recommended)`}`
  job.say({ type: 'Normal', reason: 'Scaled', message })
  return outcome('Scaled', message)
}

async function refusalOf(job: Job, next: number): Promise<Outcome | undefined> {
  const { context, spec, workload, track, patience, nowMs, signal } = job
  const { replicas, live, ref } = workload
  const { min, max } = spec.bounds.replicas
  if (replicas < min || replicas > max) return undefined // bounds hold whatever else does
  const direction = Math.sign(next - replicas)
  const said = `replicas ${replicas} → ${next} are held back: `
  if (direction > 0 && track.brokenForMs(nowMs) > patience.readySeconds * 1000)
    return outcome('PodsNotReady', `${said}${workload.unready.length} of ${live.length} pods did not get ready`)
  const isUrgent = direction > 0 && isFollowing(job) // what a guard asks for cannot wait
  if (!isUrgent && track.isTooSoonToTurn(direction, patience.stableSeconds * 1000, nowMs))
    return outcome('Settling', `${said}they were changed the other way less than ${patience.stableSeconds} s ago`)
  const many = isUrgent ? undefined : tooMany(job)
  if (many) return outcome('TooManyChanges', said + many)
  if (direction < 0) return undefined
  const more = next - replicas
  const { cpuMilli, memoryBytes } = totalOf(sizesOf(live))
  const demand = { pods: more, cpuMilli: more * cpuMilli, memoryBytes: more * memoryBytes }
  const quota = await beyondQuota(context.client, ref.namespace, demand, signal)
  return quota === undefined ? undefined : outcome('QuotaExceeded', said + quota)
}
