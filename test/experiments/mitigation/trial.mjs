// What has been learned serves only where it is better than the rule by more than a standard error, on campaigns that it did not learn from.
import { Judge } from './judge.mjs'
import { mean, standardError } from './numbers.mjs'
import { defaultRule } from './rule.mjs'
import { applicationOf, lifeOf } from './runs.mjs'

/** @returns part of the requests that were late, for each run */
export async function lateOf(specs, makePolicy) {
  const lates = []
  for (const spec of specs) {
    const judge = new Judge(applicationOf(spec.app))
    for await (const { latest, outcomes } of lifeOf(spec, makePolicy)) judge.take(latest, outcomes)
    lates.push(judge.record([]).late)
  }
  return lates
}

/** @returns of the candidates the one that is better than the rule by most, and by more than an error; undefined: none is */
export async function bestOf(candidates, specs, makePolicy) {
  const rule = await lateOf(specs, defaultRule)
  let best = { gain: 0 }
  for (const candidate of candidates) {
    const lates = await lateOf(specs, (setup) => makePolicy(setup, candidate))
    const gains = lates.map((late, i) => rule[i] - late)
    const gain = mean(gains) - standardError(gains)
    if (gain > best.gain) best = { gain, candidate }
  }
  return best.candidate
}
