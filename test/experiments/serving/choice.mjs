// How the default ageing was chosen, on other seeds and on rows of the training side: the longest wait against the gain.
import { compareSchedules } from 'trimtab/schedule'
import { CHOICE_SEED, settingsOf } from './inputs.mjs'

const BYPASSES = [0, 1, 2, 3, 4, 6, 10]
const quiet = { stderr: { write() {} }, now: () => 0, signal: new AbortController().signal }

export async function chooseBypass(core, { held, heldEstimator, patterns }, scale, progress) {
  const found = []
  for (const bypass of BYPASSES) {
    progress(`bypass ${bypass}`)
    for (const pattern of [undefined, ...patterns]) {
      const settings = settingsOf(
        { ...scale, seeds: scale.choiceSeeds },
        { ...{ pattern, bypass, seed: CHOICE_SEED }, batchings: ['none', 'dynamic'], policies: ['ssjf'] },
      )
      const { results } = await compareSchedules(core, held, heldEstimator, settings, quiet)
      found.push(
        ...results.map(({ batching, meanJctOverFcfs, maxWaitOverFcfs }) => ({
          ...{ bypass, arrivals: pattern?.name ?? 'Poisson' },
          ...{ batching, meanJctOverFcfs, maxWaitOverFcfs },
        })),
      )
    }
  }
  return found
}
