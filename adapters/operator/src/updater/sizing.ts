// Which sizes pods are to have next: what is recommended, as far as limits let it, as there is room for it and as it has worked.
import { updatePriority } from '@trimtab/tasks/vpa'
import { isAsFarOut, isSameSizes, pick, readSizes, type Sizes, sayOf, withinBounds, withinStep } from '../sizes.js'
import { isFollowing, type Job, tooMany } from './job.js'
import { type Outcome, outcome } from './outcome.js'
import { beyondQuota, tooLargeForNodes, totalOf } from './room.js'
import { isAt, sizesOf } from './workload.js'

/** A smaller difference is no reason for a change; as the VerticalPodAutoscaler has it. */
const LEAST_DIFFERENCE = 0.1

/** Decides on new sizes, to be carried out from the next pass on: the webhook must know them first. */
export async function decideSizes(job: Job): Promise<Outcome | undefined> {
  const { autoscaler, spec, workload, track, patience, nowMs } = job
  const recommended = readSizes(autoscaler.status?.containers)
  const wanted = recommended && withinBounds(recommended, spec)
  if (!wanted?.size || workload.live.length === 0) return undefined
  const isSteady = workload.isWhole && track.steadyForMs(nowMs) >= patience.stableSeconds * 1000
  const { containers } = track
  const isInForce = containers !== undefined && workload.live.every((pod) => isAt(pod, containers))
  if (isSteady && isInForce) track.working = containers
  const working = track.working ?? pick(sizesOf(workload.live), wanted)
  const now = containers ?? working
  const follows = isFollowing(job)
  const base = follows ? pick(sizesOf(workload.live), wanted) : working
  const next = withinBounds(withinStep(wanted, base, spec.limits.requestsPercentPerStep), spec)
  if (follows ? isSameSizes(now, next) : !isWorthIt(job, now, next)) return undefined
  const said = `requests ${sayOf(now)} → ${sayOf(next)} `
  if (track.refused && isAsFarOut(next, track.refused, working))
    return outcome('Infeasible', `${said}are held back: ${sayOf(track.refused)} did not work, less would be tried`)
  if (!isSteady && !follows)
    return outcome('Settling', `${said}wait until pods were ready and unchanged for ${patience.stableSeconds} s`)
  const refusal = await refusalOf(job, next)
  if (refusal) return outcome(refusal.reason, `${said}are held back: ${refusal.message}`)
  track.setSizes({ containers: next, working, refused: undefined }, nowMs, !follows)
  if (follows) return undefined // what becomes of it is said, pod by pod, in this pass
  job.say({ type: 'Normal', reason: 'Resizing', message: `${said}from now on, pod by pod` })
  return outcome('Resizing', `${said}from now on, pod by pod`)
}

/** Bounds and what is controlled hold at once; all else is worth a change only beyond a tenth. */
function isWorthIt({ spec }: Job, now: Sizes, next: Sizes): boolean {
  if (isSameSizes(now, next)) return false
  if (!isSameSizes(withinBounds(now, spec), now)) return true
  const sized = [...next].map(([container, target]) => ({
    request: now.get(container) ?? {},
    recommendation: { target },
  }))
  const { isOutsideRange, resourceDiff } = updatePriority(sized)
  return isOutsideRange || resourceDiff >= LEAST_DIFFERENCE
}

async function refusalOf(job: Job, next: Sizes): Promise<Outcome | undefined> {
  const { context, workload, signal } = job
  const many = isFollowing(job) ? undefined : tooMany(job)
  if (many) return outcome('TooManyChanges', many)
  const before = sizesOf(workload.live)
  const after = new Map([...before].map(([name, amounts]) => [name, { ...amounts, ...next.get(name) }]))
  const [{ cpuMilli, memoryBytes }, total] = [totalOf(before), totalOf(after)]
  if (total.cpuMilli <= cpuMilli && total.memoryBytes <= memoryBytes) return undefined
  const large = await tooLargeForNodes(context.client, after, signal)
  if (large) return outcome('Infeasible', large)
  const more = (now: number, then: number): number => Math.max(0, then - now) * workload.replicas
  const demand = {
    pods: 0,
    cpuMilli: more(cpuMilli, total.cpuMilli),
    memoryBytes: more(memoryBytes, total.memoryBytes),
  }
  const quota = await beyondQuota(context.client, workload.ref.namespace, demand, signal)
  return quota === undefined ? undefined : outcome('QuotaExceeded', quota)
}

/** Goes back to the sizes that worked, and remembers those that did not. @returns undefined: there is nothing to go back to */
export function goBack({ track, nowMs, say }: Job, why: string): Outcome | undefined {
  const { containers, working } = track
  if (!containers || !working || isSameSizes(containers, working)) return undefined
  track.setSizes({ containers: working, working, refused: containers }, nowMs)
  const message = `requests ${sayOf(containers)} did not work (${why}): back to ${sayOf(working)}`
  say({ type: 'Warning', reason: 'Infeasible', message })
  return outcome('Infeasible', message)
}
