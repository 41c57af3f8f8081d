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
