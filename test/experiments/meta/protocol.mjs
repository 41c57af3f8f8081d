// What is measured: from curves of noise-free evaluations (index e: before episode e, after e were run) to the figures of the reports.

/** Share of R* that counts as adapted, and how many evaluations in a row must average to it. */
export const WISHED = 0.95
export const WINDOW = 3

/**
 * Episodes until adapted: the first e whose evaluations e … e + 2 average at least `share` of the best. An app that never gets
 * there counts the cap.
 * @param curve  evaluations before episode 0, 1, …, cap
 */
export function episodesToAdapt(curve, best, share = WISHED) {
  for (let e = 0; e + WINDOW <= curve.length; e++) {
    const mean = curve.slice(e, e + WINDOW).reduce((a, b) => a + b, 0) / WINDOW
    if (mean >= share * best) return { episodes: e, never: false }
  }
  return { episodes: curve.length - 1, never: true }
}

/** Share of the best reward that is missing after e episodes. */
export const dropAfter = (curve, best, e) => (best - curve[Math.min(e, curve.length - 1)]) / best

/** R* of one app: the best that any method or constant action reached. */
export const bestOf = (curves, constant) => Math.max(constant, ...curves.flat())

export const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length

/** Linear between order statistics. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = (sorted.length - 1) * q
  const low = Math.floor(rank)
  return sorted[low] + (sorted[Math.ceil(rank)] - sorted[low]) * (rank - low)
}

export const median = (values) => quantile(values, 0.5)

/** Median over all, with the quartiles over apps and the range of the seeds' own medians. */
export function spread(perSeed) {
  const all = perSeed.flat()
  const medians = perSeed.map(median)
  return {
    median: median(all),
    mean: mean(all),
    quartiles: [quantile(all, 0.25), quantile(all, 0.75)],
    seeds: [Math.min(...medians), Math.max(...medians)],
  }
}

/**
 * Figures of every method.
 * @param apps  one per app and seed: { seed, constant, curves: { method: evaluations } }
 */
export function figuresOf(apps, methods) {
  const seeds = [...new Set(apps.map(({ seed }) => seed))]
  const bests = new Map(apps.map((app) => [app, bestOf(Object.values(app.curves), app.constant)]))
  return Object.fromEntries(
    methods.map((method) => {
      const perSeed = (of) =>
        seeds.map((seed) =>
          apps.filter((app) => app.seed === seed).map((app) => of(app.curves[method], bests.get(app), app)),
        )
      const adapted = perSeed((curve, best) => episodesToAdapt(curve, best))
      return [
        method,
        {
          drop0: spread(perSeed((curve, best) => dropAfter(curve, best, 0))),
          drop1: spread(perSeed((curve, best) => dropAfter(curve, best, 1))),
          drop4: spread(perSeed((curve, best) => dropAfter(curve, best, 4))),
          final: spread(perSeed((curve, best) => dropAfter(curve, best, curve.length - 1))),
          episodes: spread(adapted.map((list) => list.map(({ episodes }) => episodes))),
          never: mean(adapted.flat().map(({ never }) => (never ? 1 : 0))),
        },
      ]
    }),
  )
}
