import { percentile } from '@trimtab/core'
import type { CulpritContext, CulpritWindow } from './window.js'

/** What people look at without a ranking of evidence, by name, and what that is in words. */
export const BASELINES = {
  selfTime: 'largest self time',
  variance: 'largest variance of self time',
  p99Growth: 'largest growth of p99 of self time',
  callGrowth: 'largest growth of the delay of calls to it',
  callP99Growth: 'largest growth of p99 of that delay',
  addedTime: 'most time added by its work and calls to it',
} as const

/** One of the plain ways to rank services. */
export type BaselineName = keyof typeof BASELINES

const FLOOR_NS = 30_000 // as the evidence: no growth out of a few µs

/** Ranks the window's services in each of the plain ways, worst first; equals by name. */
export function baselineRankings(
  window: CulpritWindow,
  reference: CulpritWindow,
): Readonly<Record<BaselineName, readonly string[]>> {
  const self = timesPerRequest(window, workOf)
  const usualSelf = timesPerRequest(reference, workOf)
  const calls = timesPerRequest(window, ({ callee }) => callee)
  const usualCalls = timesPerRequest(reference, ({ callee }) => callee)
  const owned = timesPerRequest(window, ({ service, callee = service }) => callee)
  const usualOwned = timesPerRequest(reference, ({ service, callee = service }) => callee)
  const services = [...new Set([...self.keys(), ...calls.keys()])].sort()
  const rank = (worth: (service: string) => number): string[] =>
    services
      .map((service) => ({ service, value: worth(service) }))
      .sort((a, b) => b.value - a.value)
      .map(({ service }) => service)
  const growth = (of: (times: Times) => number, times: Map<string, Times>, usual: Map<string, Times>) =>
    rank((service) => {
      const [now, before] = [times.get(service), usual.get(service)]
      return now && before ? (of(now) + FLOOR_NS) / (of(before) + FLOOR_NS) : 0
    })
  const p99 = (times: Times): number => percentile(times, 99)
  const all = { now: window.observations().length, before: reference.observations().length }
  return {
    selfTime: rank((service) => sum(self.get(service))),
    variance: rank((service) => variance(self.get(service))),
    p99Growth: growth(p99, self, usualSelf),
    callGrowth: growth(mean, calls, usualCalls),
    callP99Growth: growth(p99, calls, usualCalls),
    addedTime: rank((service) => sum(owned.get(service)) / all.now - sum(usualOwned.get(service)) / all.before),
  }
}

/** ns in each request that it took part in. */
type Times = Float64Array

/** For each service, ns outside children of the spans that `ownerOf` says are its, in each request that has any. */
function timesPerRequest(
  window: CulpritWindow,
  ownerOf: (context: CulpritContext) => string | undefined,
): Map<string, Times> {
  const times = new Map<string, number[]>()
  for (const { context, exclusiveNs } of window.observations()) {
    const request = new Map<string, number>()
    for (const [i, number] of context.entries()) {
      const owner = ownerOf(window.context(number))
      if (owner !== undefined) request.set(owner, (request.get(owner) ?? 0) + exclusiveNs[i]!)
    }
    for (const [owner, time] of request) {
      const list = times.get(owner)
      if (list) list.push(time)
      else times.set(owner, [time])
    }
  }
  return new Map([...times].map(([owner, list]) => [owner, Float64Array.from(list)]))
}

/** Whose span it is; a wait in a queue is nobody's. */
const workOf = ({ service, kind }: CulpritContext): string | undefined => (kind === 'queue' ? undefined : service)

const sum = (times: Times = new Float64Array(0)): number => times.reduce((total, time) => total + time, 0)
const mean = (times: Times): number => sum(times) / times.length

function variance(times: Times | undefined): number {
  if (!times) return 0
  const average = mean(times)
  return times.reduce((total, time) => total + (time - average) ** 2, 0) / times.length
}
