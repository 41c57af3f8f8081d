// How well a method found the culprits, incident by incident, and how surely: bootstrap over incidents.
import { Random } from '@trimtab/core'
import { scoreGuessing, scoreRankings } from '@trimtab/trace'

export const MEASURES = ['top1', 'top3', 'meanReciprocalRank']
const RESAMPLES = 4000
const SEED = 7

/** What one ranking is worth, by measure. */
export const outcomeOf = (ranking, culprit) => scoreRankings([{ ranking, culprit }])

/** What guessing among these services is worth. */
export const guessOf = (ranking, culprit) => scoreGuessing([{ ranking, culprit }])

/** Mean of outcomes, measure by measure: of several rankings of one incident, or of several incidents. */
export const meanOf = (outcomes) =>
  Object.fromEntries(
    MEASURES.map((measure) => [measure, outcomes.reduce((sum, one) => sum + one[measure], 0) / outcomes.length]),
  )

/** `[low, high]` of 95 % for the mean of values, one an incident; of paired differences it is that of a lead. */
export function interval(core, values) {
  const random = new Random(core, SEED)
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[random.integer(values.length)]
    return sum / values.length
  }).sort((a, b) => a - b)
  random.dispose()
  return [means[Math.floor(0.025 * RESAMPLES)], means[Math.ceil(0.975 * RESAMPLES) - 1]]
}
