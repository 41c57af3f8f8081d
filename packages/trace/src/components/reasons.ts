import type { Component } from './component.js'

const WORTH_SAYING = { part: 0.1, congestion: 3, growth: 1.2 } // below, a healthy system has as much

/** Fewer requests say nothing. Few say little, but the classifiers were taught with such windows too. */
export const MIN_REQUESTS = 3

/** What the window says of a component, in words: what was added first, then what it is to the latency, then doubts. */
export function reasonsFor(component: Component, needsReference: boolean): string[] {
  const { isOnPath, requests, varianceShare, share, congestionIntensity, change } = component
  const reasons: string[] = []
  if (change) {
    const { addedShare, median, p99, referenceRequests } = change
    const counts = `n = ${requests} against ${referenceRequests}`
    if (addedShare >= WORTH_SAYING.part) reasons.push(`has ${percent(addedShare)} of the latency that was added`)
    if (median >= WORTH_SAYING.growth)
      reasons.push(`takes ${times(median)} as long as in the reference (median, ${counts})`)
    else if (p99 >= WORTH_SAYING.growth) reasons.push(`has a p99 ${times(p99)} that of the reference (${counts})`)
  }
  if (varianceShare >= WORTH_SAYING.part) reasons.push(`explains ${percent(varianceShare)} of the latency's variance`)
  if (congestionIntensity && congestionIntensity.value >= WORTH_SAYING.congestion) {
    const { value, count, isMaximum } = congestionIntensity
    reasons.push(`its ${isMaximum ? 'slowest request' : 'p99'} is ${times(value)} its median (n = ${count})`)
  }
  if (share >= WORTH_SAYING.part) reasons.push(`takes ${percent(share)} of all latency`)
  if (!isOnPath) reasons.push('no request waited for it, but what it takes may be missing elsewhere')
  else if (requests < MIN_REQUESTS) reasons.push(`took part in ${requests} requests only, too few to judge`)
  else if (needsReference && !change) reasons.push('is not in the reference, so nothing says what is usual for it')
  return reasons
}

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`
const times = (ratio: number): string => `${ratio.toFixed(ratio >= 10 ? 0 : 1)}×`
