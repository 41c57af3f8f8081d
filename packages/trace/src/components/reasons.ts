import type { Component } from './component.js'

const WORTH_SAYING = { varianceShare: 0.1, share: 0.1, congestion: 3, change: 1.2, addedShare: 0.1 }

/** What speaks for or against a component, in words, weightiest first; the first reads as a sentence after its name. */
export function reasonsFor(component: Component): string[] {
  const { isOnPath, varianceShare, share, congestionIntensity, change, requests } = component
  const reasons: { readonly weight: number; readonly text: string }[] = []
  if (change) {
    const { addedShare, median, p99, referenceRequests } = change
    const counts = `n = ${requests} against ${referenceRequests}`
    if (addedShare >= WORTH_SAYING.addedShare)
      reasons.push({ weight: 3 + addedShare, text: `has ${percent(addedShare)} of the latency that was added` })
    if (median >= WORTH_SAYING.change)
      reasons.push({
        weight: 2 + 1 - 1 / median,
        text: `takes ${times(median)} as long as in the reference (median, ${counts})`,
      })
    else if (p99 >= WORTH_SAYING.change)
      reasons.push({ weight: 2 + 1 - 1 / p99, text: `has a p99 ${times(p99)} that of the reference (${counts})` })
  }
  if (varianceShare >= WORTH_SAYING.varianceShare)
    reasons.push({ weight: 1 + varianceShare, text: `explains ${percent(varianceShare)} of the latency's variance` })
  if (congestionIntensity && congestionIntensity.value >= WORTH_SAYING.congestion) {
    const { value, count, isMaximum } = congestionIntensity
    const tail = isMaximum ? 'slowest request' : 'p99'
    reasons.push({
      weight: 1 + 1 - WORTH_SAYING.congestion / (2 * value),
      text: `its ${tail} is ${times(value)} its median (n = ${count})`,
    })
  }
  if (share >= WORTH_SAYING.share) reasons.push({ weight: share, text: `takes ${percent(share)} of all latency` })
  if (!isOnPath)
    reasons.push({
      weight: 0,
      text: 'no request waited for it, but it shares the machines with those that were waited for',
    })
  return reasons.sort((a, b) => b.weight - a.weight).map(({ text }) => text)
}

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`
const times = (ratio: number): string => `${ratio.toFixed(ratio >= 10 ? 0 : 1)}×`
