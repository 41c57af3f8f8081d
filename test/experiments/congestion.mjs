// Must show 2: congestion control on networks never seen, with PPO, whose rollout is an episode of each pair.
import { bestOf, median } from './meta/protocol.mjs'
import { FRESH_SEEDS, medianDrop1, medianEpisodes, number, percent, report, strongestControl } from './meta/report.mjs'
import { runStudy } from './meta/study.mjs'

const BASE = {
  name: 'congestion',
  task: 'congestion-control',
  methods: [
    ...['transfer', 'transferExploring', 'transferExploringNow', 'none', 'noneNow'],
    ...['learnedPolicy', 'learned', 'parameters'],
  ],
  hasRule: true,
}

export const SCALES = {
  smoke: { ...BASE, seeds: [0], pool: 4, apps: 2, rounds: 4, cap: 3, sources: 1, sourceEpisodes: 4 },
  gate: { ...BASE, seeds: FRESH_SEEDS, pool: 32, apps: 8, rounds: 50, cap: 12, sources: 4, sourceEpisodes: 200 },
  paper: {
    ...BASE,
    seeds: [0, 1, 2, 3, 4], // all there are: 625 networks
    ...{ pool: 100, apps: 25, rounds: 150, cap: 40, sources: 10, sourceEpisodes: 300 },
  },
}

export async function run(scaleName, progress) {
  const study = SCALES[scaleName]
  return reportOf(scaleName, study, await runStudy(study, progress))
}

export function reportOf(scaleName, study, result) {
  const { figures } = result
  const { learned } = figures
  const ratio = (a, b) => number(a / b)
  const drops = (a, b) =>
    `${ratio(a.drop1.median, b.drop1.median)}× (${percent(a.drop1.median)} against ${percent(b.drop1.median)}; means ${percent(a.drop1.mean)} and ${percent(b.drop1.mean)}; ${a.title})`
  const episodes = (a, b) =>
    `${ratio(a.episodes.median, Math.max(b.episodes.median, 1))}× (${number(a.episodes.median)} against ${number(b.episodes.median)}; means ${number(a.episodes.mean)} and ${number(b.episodes.mean)}; never ${percent(a.never, 0)} and ${percent(b.never, 0)}, who count ${study.cap}; ${a.title})`
  const ruled = median(result.apps.map(({ curves, constant, rule }) => rule / bestOf(Object.values(curves), constant)))
  return report({
    title: 'Congestion control: networks never seen',
    lead:
      'Aurora’s task over networks of every bandwidth, delay, queue and loss (5.6.2, A.6), each weighed by what it offers, on PPO. ' +
      'An action changes the rate by a share and ten intervals are in the state: a policy can find its way on a network that it does not know.',
    ...{ scaleName, study, result },
    gates: [
      {
        figure: 'reward drop after one episode: best of TL over learned',
        gate: 'reported',
        ours: drops(strongestControl(figures, 'transfer', medianDrop1), learned),
        paper: '28 → 5.6 %',
      },
      {
        figure: 'reward drop after one episode: without embedding over learned',
        gate: 'reported',
        ours: drops(strongestControl(figures, 'none', medianDrop1), learned),
        paper: 'no such control',
      },
      {
        figure: 'episodes to 95 %: best of TL over learned, its random episode counted',
        gate: 'reported',
        ours: episodes(strongestControl(figures, 'transfer', medianEpisodes), learned),
        paper: '2.4×',
      },
    ],
    notes: [
      `A rule in the manner of TCP Vegas, which learns nothing, earns ${percent(ruled)} of R\\* in the median; R\\* does not count it.`,
      'Sources of transfer were trained by rollouts of five episodes; by single ones, in steps of 1e-3, two of the four of seed 0 stayed below 0, after 100 episodes and after 300. ' +
        'Learned ones, the true parameters and the controls that do not say otherwise learn from their second episode on: their drop after one is the one at 0 where there is no embedding to learn. The true parameters are no upper bound here; why was not looked into.',
      'PPO learns from its own actions only: random episodes are contexts and no more, and an episode that it acted in is learned from when it is over. ' +
        'The encoder learns from the value loss alone, and a value names no action: what does not change the value under the policy of the day stays out of the embedding.',
    ],
  })
}
