// Must show 2: what the embedding itself is worth, where what moves the best action is hidden from the state.
import { FRESH_SEEDS, medianDrop1, number, percent, report, shareNever, strongestControl } from './meta/report.mjs'
import { runStudy } from './meta/study.mjs'

const BASE = {
  name: 'hidden-weight',
  task: 'autoscaling-hidden-weight',
  methods: [
    ...['transfer', 'transferExploring', 'transferExploringNow', 'none', 'noneNow'],
    ...['learnedPolicy', 'learned', 'learnedFrozen', 'parameters'],
  ],
}

export const SCALES = {
  smoke: { ...BASE, seeds: [0], pool: 4, apps: 2, rounds: 4, cap: 4, sources: 1, sourceEpisodes: 4 },
  gate: { ...BASE, seeds: FRESH_SEEDS, pool: 120, apps: 16, rounds: 120, cap: 20, sources: 4, sourceEpisodes: 80 },
  paper: {
    ...BASE,
    seeds: [0, 1, 2, 3, 4],
    pool: 200,
    apps: 40,
    rounds: 50,
    cap: 60,
    sources: 10,
    sourceEpisodes: 200,
  },
}

/** Of the gate scale. */
const TRIED = `## What was changed after misses, and what was tried

The share of applications that never get to 95 % was the hard part. With a pool of 50 and 40 rounds it was 19 % with and 31 % without the
embedding (25 % with the true parameters): most of these were unlike everything in the pool. With a pool of 120 and 40 rounds 28 against 22 %
(8 % with the true parameters): now the encoder was not exact enough, and longer pretraining helped: on 48 other applications, three seeds, 27
against 29 % after 80 rounds, 17 against 35 % after 120, which is what runs above. On seeds 0, 1, 2 it was 15 against 27 %, one application of 48 short of half. None of these mattered much: noise that fades or halved learning rates
while fine-tuning, an embedding that stays as the first episode made it (17 %), an averaged actor (15 %), fine-tuning that waits for three
or six episodes (17, 15 %). Half the updates for each episode: as after 80 rounds. Longer pretraining does not help the policy without embedding.`

export async function run(scaleName, progress) {
  const study = SCALES[scaleName]
  const result = await runStudy(study, progress)
  const { learned } = result.figures
  const none = strongestControl(result.figures, 'none', medianDrop1)
  const fewest = strongestControl(result.figures, 'none', shareNever)
  const ratio = none.drop1.median / learned.drop1.median
  return report({
    title: 'What the embedding is worth: hidden reward weights',
    lead:
      'Half of the applications are paid for keeping their SLO, half for using their CPUs; the state shows neither. A shared policy ' +
      'without embedding can only compromise, whatever its pool.',
    ...{ scaleName, study, result, notes: scaleName === 'gate' ? [TRIED] : [] },
    gates: [
      {
        figure: 'reward drop after one episode: without embedding over learned',
        gate: '≥ 1.4×',
        ours: `${number(ratio)}× (${percent(none.drop1.median)} against ${percent(learned.drop1.median)}; means ${percent(none.drop1.mean)} and ${percent(learned.drop1.mean)}; ${none.title})`,
        paper: '–',
        holds: ratio >= 1.4,
      },
      {
        figure: 'apps that never reach 95 %: learned, of those without embedding',
        gate: '≤ 1/2',
        ours: `${percent(learned.never, 0)} against ${percent(fewest.never, 0)} (${fewest.title})`,
        paper: '–',
        holds: learned.never <= fewest.never / 2,
      },
    ],
  })
}
