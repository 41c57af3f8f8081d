// μ-Serve's 6.4.3: how well the length of an answer is predicted from its prompt, by the served predictor and by designs that have
// little in common with it. All choices are made on folds of train; valid is only read.
import { existsSync } from 'node:fs'
import { Random } from '@trimtab/core'
import { createServeCore, predictRows } from '@trimtab/serve'
import { fitPredictor, judge, orderOf } from './predict-length/designs.mjs'
import { onlineScores } from './predict-length/online.mjs'
import { report } from './predict-length/report.mjs'
import { FOLDER, partOf, ranksOf, readRows } from './predict-length/rows.mjs'
import { scoresOf } from './predict-length/scores.mjs'

/** parts: folds of train that are judged, of five; inner: folds of each fit; samples: of the bootstrap. */
export const SCALES = {
  smoke: { parts: 1, inner: 2, samples: 20, seed: 1 },
  gate: { parts: 5, inner: 2, samples: 400, seed: 1 },
  paper: { parts: 5, inner: 4, samples: 2000, seed: 1 },
}
const FOLDS = 5
const VARIANTS = [{}, { share: 0.25 }, { share: 0.5 }, { epochs: 2 }, { epochs: 8 }, { bits: 15 }, { bits: 19 }]

/** Scores of every list of predictions, on prompts drawn again and again with replacement. */
function bootstrap(core, lists, { samples, seed }) {
  const random = new Random(core, seed)
  const first = Object.values(lists)[0]
  const byPrompt = new Map()
  for (const [i, { example }] of first.entries()) byPrompt.get(example.id)?.push(i) ?? byPrompt.set(example.id, [i])
  const prompts = [...byPrompt.values()]
  const drawn = Array.from({ length: samples }, () => {
    const rows = prompts.flatMap(() => prompts[random.integer(prompts.length)])
    return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, scoresOf(rows.map((i) => list[i]))]))
  })
  random.dispose()
  return drawn
}

/** How well one model's answers are ordered by those of the other models to the same prompts: a yardstick of what prompts say. */
function othersAnswers(rows, family) {
  const of = rows.filter((row) => row.family === family)
  const ranks = ranksOf(of)
  const sums = new Map()
  for (const [i, { id }] of of.entries()) {
    const [sum = 0, count = 0] = sums.get(id) ?? []
    sums.set(id, [sum + ranks[i], count + 1])
  }
  const mean = of.map(({ id }, i) => (sums.get(id)[0] - ranks[i]) / (sums.get(id)[1] - 1))
  const kept = [...of.keys()].filter((i) => Number.isFinite(mean[i]))
  return orderOf(
    kept.map((i) => of[i]),
    kept.map((i) => mean[i]),
  )
}

/** What the predictor gets on the folds when it learns from a share of the other prompts, with other passes or table sizes. */
function variants(core, folds) {
  return VARIANTS.map(({ share = 1, ...options }) => ({
    variant: { share, ...options },
    scores: folds.map(({ rows, asked }) => {
      const predictor = fitPredictor(
        core,
        rows.filter((row) => partOf(row, 100, 3) < 100 * share),
        options,
      )
      const scores = scoresOf(predictRows(predictor, asked))
      predictor.dispose()
      return scores
    }),
  }))
}

export async function run(scaleName, progress) {
  if (!existsSync(`${FOLDER}train.jsonl.gz`))
    return { markdown: '# Length of answers\n\n**Not judged: ../shared/data is absent.**\n', json: {}, isShown: false }
  const scale = SCALES[scaleName]
  const core = await createServeCore()
  const [train, valid] = ['train.jsonl.gz', 'valid.jsonl.gz'].map(readRows)
  const folds = Array.from({ length: scale.parts }, (_, part) => ({
    rows: train.filter((row) => partOf(row, FOLDS) !== part),
    asked: train.filter((row) => partOf(row, FOLDS) === part),
  }))
  const judged = folds.map(({ rows, asked }, i) =>
    judge(core, rows, asked, scale.inner, (what) => progress(`fold ${i + 1}: ${what}`)),
  )
  const onValid = judge(core, train, valid, scale.inner, (what) => progress(`valid: ${what}`))
  progress('bootstrap')
  const lists = {
    served: onValid.served,
    ...Object.fromEntries(Object.entries(onValid.designs).map(([name, { median }]) => [name, median])),
  }
  const samples = bootstrap(core, lists, scale)
  progress('limits')
  const limits = {
    others: Object.fromEntries(['alpaca_eval', 'arena-hard'].map((family) => [family, othersAnswers(valid, family)])),
    variants: variants(core, folds),
  }
  progress('learning online')
  const online = onlineScores(core, train, valid)
  return report({ scaleName, train, valid, judged, onValid, lists, samples, limits, online })
}
