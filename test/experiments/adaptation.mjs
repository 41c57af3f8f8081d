// Must show 2: how soon a policy suits an application it has never seen (5.5.2), with every control beside it.
import { number, percent, report } from './meta/report.mjs'
import { runStudy } from './meta/study.mjs'

const BASE = {
  name: 'adaptation',
  task: 'autoscaling-adaptation',
  methods: [
    ...['scratch', 'transfer', 'transferExploring', 'transferPlus', 'none'],
    ...['learnedPolicy', 'learned', 'parameters'],
  ],
}

export const SCALES = {
  smoke: { ...BASE, seeds: [0], pool: 4, apps: 2, rounds: 4, cap: 4, sources: 1, sourceEpisodes: 4 },
  gate: { ...BASE, seeds: [0, 1, 2], pool: 40, apps: 10, rounds: 25, cap: 20, sources: 4, sourceEpisodes: 80 },
  paper: {
    ...BASE,
    seeds: [0, 1, 2, 3, 4],
    pool: 200,
    apps: 40,
    rounds: 50,
    cap: 100,
    sources: 10,
    sourceEpisodes: 200,
  },
}

export async function run(scaleName, progress) {
  return reportOf(scaleName, await runStudy(SCALES[scaleName], progress))
}

/** @param result  what `runStudy` measured at this scale */
export function reportOf(scaleName, result) {
  const study = SCALES[scaleName]
  const { transferExploring, transferPlus, learned } = result.figures
  const plusRatio = transferPlus.episodes.median / Math.max(learned.episodes.median, 1)
  const ratio = transferExploring.episodes.median / Math.max(learned.episodes.median, 1)
  const meanRatio = transferExploring.episodes.mean / learned.episodes.mean
  return report({
    title: 'Adaptation to unseen applications (autoscaling)',
    lead:
      'A policy pretrained on many applications against one transferred from a single other (AWARE, 5.5.2; FLASH, A.3). Mind the ' +
      'shared policy without embedding: on this task the state shows nearly all that tells applications apart, and what pays is ' +
      'the pool, not the embedding. Where something is hidden, see `hidden-weight`.',
    ...{ scaleName, study, result },
    gates: [
      {
        figure: 'episodes to 95 %: TL with exploration over learned, its random episode counted',
        gate: '≥ 3×',
        ours: `${number(ratio)}× (${number(transferExploring.episodes.median)} against ${number(learned.episodes.median)}; of the means ${number(meanRatio)}×)`,
        paper: '5.5×',
        holds: ratio >= 3,
      },
      {
        figure: 'the same against TL+ with exploration',
        gate: 'reported',
        ours: `${number(plusRatio)}× (${number(transferPlus.episodes.median)}; of the means ${number(transferPlus.episodes.mean / learned.episodes.mean)}×)`,
        paper: '4.6×',
      },
      {
        figure: 'reward drop after one episode, learned',
        gate: '≤ 10 %',
        ours: percent(learned.drop1.median),
        paper: '10.5 %',
        holds: learned.drop1.median <= 0.1,
      },
      {
        figure: 'the same as a share of that of TL with exploration',
        gate: '≤ 1/2',
        ours: `${percent(learned.drop1.median / transferExploring.drop1.median, 0)} (of ${percent(transferExploring.drop1.median)})`,
        paper: '37 → 10.5 %',
        holds: learned.drop1.median <= transferExploring.drop1.median / 2,
      },
    ],
  })
}
