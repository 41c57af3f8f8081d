import { logProfiles } from '../log-profiles.js'
import { type FitPredictor, logPredictor } from '../predictor.js'

const NEIGHBOURS = 5
/** Weight of a difference in level against one in shape: one sample has no shape, and large workloads scale unlike small ones. */
const LEVEL_WEIGHT = 0.05
/** Squared log distance below which neighbours are equally near: repeats of a run differ by so much. */
const NEAR = 0.02

/**
 * What the workloads did that scale alike: the nearest by the shape of their log runtimes over the measured configurations,
 * each shifted to the new workload's level, weighted by nearness.
 */
export const fitNeighbours: FitPredictor = (core, training) => {
  const { logs: known, levels } = logProfiles(core, training)
  return logPredictor(core, training, (samples, logs) => {
    const c = logs.length
    const ranked = Array.from(levels, (_, w) => {
      const gaps = samples.map(({ configuration, log }) => log - known[w * c + configuration]!)
      const shift = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
      const shape = gaps.reduce((sum, gap) => sum + (gap - shift) ** 2, 0)
      return { w, shift, distance: shape + LEVEL_WEIGHT * shift * shift }
    }).sort((a, b) => a.distance - b.distance || a.w - b.w)
    const nearest = ranked.slice(0, NEIGHBOURS)
    const total = nearest.reduce((sum, { distance }) => sum + 1 / (distance + NEAR), 0)
    for (const { w, shift, distance } of nearest) {
      const weight = 1 / ((distance + NEAR) * total)
      for (let j = 0; j < c; j++) logs[j]! += weight * (known[w * c + j]! + shift)
    }
  })
}
