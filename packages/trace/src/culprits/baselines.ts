import { percentile } from '@trimtab/core'
import type { CulpritWindow } from './window.js'

/** What people look at without a model; each a ranking of the window's services, worst first. */
export interface BaselineRankings {
  /** Largest total time spent outside children. */
  readonly selfTime: readonly string[]
  /** Largest growth of the 99th percentile of that time per request, window over reference. */
  readonly p99Growth: readonly string[]
  /** Largest variance of that time per request. */
  readonly variance: readonly string[]
}

/** Ranks the window's services in the plain ways that a culprit model has to beat. Equals by name. */
export function baselineRankings(window: CulpritWindow, reference: CulpritWindow): BaselineRankings {
  const now = timesPerRequest(window)
  const before = timesPerRequest(reference)
  const rank = (of: (service: string, times: Float64Array) => number): string[] =>
    [...now]
      .map(([service, times]) => ({ service, value: of(service, times) }))
      .sort((a, b) => b.value - a.value || (a.service < b.service ? -1 : 1))
      .map(({ service }) => service)
  return {
    selfTime: rank((_, times) => times.reduce((sum, time) => sum + time, 0)),
    p99Growth: rank((service, times) => {
      const usual = before.get(service)
      return usual ? percentile(times, 99) / Math.max(1, percentile(usual, 99)) : 0
    }),
    variance: rank((_, times) => {
      const mean = times.reduce((sum, time) => sum + time, 0) / times.length
      return times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / times.length
    }),
  }
}

/** For each service, ns outside children in each request that it took part in. */
function timesPerRequest(window: CulpritWindow): Map<string, Float64Array> {
  const times = new Map<string, number[]>()
  for (const { context, exclusiveNs, callSet } of window.observations()) {
    const request = new Map<string, number>()
    for (let span = 0; span < callSet.length; span++) {
      const { service } = window.context(context[span]!)
      request.set(service, (request.get(service) ?? 0) + exclusiveNs[span]!)
    }
    for (const [service, time] of request) {
      const list = times.get(service)
      if (list) list.push(time)
      else times.set(service, [time])
    }
  }
  return new Map([...times].map(([service, list]) => [service, Float64Array.from(list)]))
}

/** How well rankings found what they were to find. */
export interface Localisation {
  readonly incidents: number
  /** Share of incidents whose culprit came first. */
  readonly top1: number
  readonly top3: number
  /** Mean of 1 / rank; a culprit that is not in the ranking counts 0. */
  readonly meanReciprocalRank: number
}

/** @param results  for each incident the ranking, worst first, and the true culprit */
export function scoreRankings(results: readonly { ranking: readonly string[]; culprit: string }[]): Localisation {
  const ranks = results.map(({ ranking, culprit }) => ranking.indexOf(culprit) + 1 || Infinity)
  return scoreOf(ranks.map((rank) => ({ top1: rank <= 1 ? 1 : 0, top3: rank <= 3 ? 1 : 0, reciprocal: 1 / rank })))
}

/** What guessing reaches on the same incidents, exactly (no dice). */
export function scoreGuessing(results: readonly { ranking: readonly string[]; culprit: string }[]): Localisation {
  return scoreOf(
    results.map(({ ranking, culprit }) => {
      const count = ranking.length
      if (!ranking.includes(culprit)) return { top1: 0, top3: 0, reciprocal: 0 }
      let harmonic = 0
      for (let rank = 1; rank <= count; rank++) harmonic += 1 / rank
      return { top1: 1 / count, top3: Math.min(3, count) / count, reciprocal: harmonic / count }
    }),
  )
}

function scoreOf(incidents: readonly { top1: number; top3: number; reciprocal: number }[]): Localisation {
  const mean = (of: (incident: (typeof incidents)[number]) => number): number =>
    incidents.reduce((sum, incident) => sum + of(incident), 0) / Math.max(1, incidents.length)
  return {
    incidents: incidents.length,
    top1: mean(({ top1 }) => top1),
    top3: mean(({ top3 }) => top3),
    meanReciprocalRank: mean(({ reciprocal }) => reciprocal),
  }
}
