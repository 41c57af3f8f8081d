// Must show 2: what the embedding itself is worth, where what moves the best action is hidden from the state.
import { number, percent, report } from './meta/report.mjs'
import { runStudy } from './meta/study.mjs'

const BASE = {
  name: 'hidden-weight',
  task: 'autoscaling-hidden-weight',
  methods: ['transfer', 'transferExploring', 'none', 'learnedPolicy', 'learned', 'learnedFrozen', 'parameters'],
}

export const SCALES = {
  smoke: { ...BASE, seeds: [0], pool: 4, apps: 2, rounds: 4, cap: 4, sources: 1, sourceEpisodes: 4 },
  gate: { ...BASE, seeds: [0, 1, 2], pool: 50, apps: 12, rounds: 40, cap: 20, sources: 4, sourceEpisodes: 80 },
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

/** Of the gate scale; written down when its gate was missed. */
const TRIED = `## Where it falls short, and what was tried

With the true parameters as embedding 25 % of the applications never get to 95 % either, against 19 % of the learned one and 31 %
without: most of these are applications unlike the 50 of the pool, where fine-tuning within 20 episodes comes close (the best
evaluation within 4 % of R\\* in half of them) and does not stay. Three other ways to fine-tune, on seeds 0 and 2 (share that
never adapts, learned / without embedding): as above 29 / 42 %; noise that fades (.2 → .03 in 12 episodes) 33 / 38 %; half the
learning rates 29 / 46 %; both 25 / 46 %. None gets to half. A pool of 120 (same rounds, 3 seeds, 5 minutes on two free cores): drop after one
episode 18.9 against 6.1 %, never 28 against 22 %, but 8 % with the true parameters: there it is the embedding that is not exact enough.`

export async function run(scaleName, progress) {
  const study = SCALES[scaleName]
  const result = await runStudy(study, progress)
  const { none, learned } = result.figures
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
        ours: `${number(ratio)}× (${percent(none.drop1.median)} against ${percent(learned.drop1.median)}; means ${percent(none.drop1.mean)} and ${percent(learned.drop1.mean)})`,
        paper: '–',
        holds: ratio >= 1.4,
      },
      {
        figure: 'apps that never reach 95 %: learned, of those without embedding',
        gate: '≤ 1/2',
        ours: `${percent(learned.never, 0)} against ${percent(none.never, 0)}`,
        paper: '–',
        holds: learned.never <= none.never / 2,
      },
    ],
  })
}
