// Learning while serving: every row is predicted, then its length is told. Prompts that come again, asked of another model, have
// been answered before; so rows are judged with each prompt once, and beside it with each as often as it comes.
import { LengthPredictor } from '@trimtab/serve'
import { defaultLengthWeights } from '@trimtab/serve/weights'
import { fitPredictor } from './designs.mjs'
import { partOf } from './rows.mjs'
import { orderOfAll, scoresOf } from './scores.mjs'

/** By the prompts' hashes; of each prompt one row, by its hash too. */
function onceEach(rows) {
  const byPrompt = new Map()
  for (const row of rows) byPrompt.get(row.id)?.push(row) ?? byPrompt.set(row.id, [row])
  return [...byPrompt.values()].map((of) => of[partOf(of[0], of.length, 2)])
}

/** The mean of what each model answered so far, of all models for one not met. */
function runningMeans() {
  const sums = new Map()
  const add = (name, tokens) => {
    const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 }
    sums.set(name, { sum: sum + tokens, count: count + 1 })
  }
  return {
    predict({ model }) {
      const { sum, count } = sums.get(`of ${model}`) ?? sums.get('all') ?? { sum: 0, count: 1 }
      return { score: 0, class: 0, tokens: sum / count }
    },
    observe({ model }, tokens) {
      add(`of ${model}`, tokens)
      add('all', tokens)
    },
    dispose() {},
  }
}

export function onlineScores(core, train, valid) {
  const inOrder = (rows) => rows.toSorted((a, b) => (a.id.slice(3) < b.id.slice(3) ? -1 : 1))
  const lists = { 'each prompt once': inOrder(onceEach(valid)), 'every row': inOrder(valid) }
  const starts = {
    'mean of the model so far': runningMeans,
    'shipped weights': () => LengthPredictor.load(core, defaultLengthWeights()),
    'trained on train': () => fitPredictor(core, train),
  }
  const found = []
  for (const [weights, start] of Object.entries(starts)) {
    for (const [rows, list] of Object.entries(lists)) {
      for (const isLearning of [false, true]) {
        const estimator = start()
        const predicted = list.map((example) => {
          const { score, class: printed, tokens } = estimator.predict(example)
          if (isLearning) estimator.observe(example, example.outputTokens)
          return { example, trueClass: 0, class: printed, score, tokens }
        })
        estimator.dispose()
        const { order } = scoresOf(predicted)
        found.push({ weights, rows, count: list.length, isLearning, order, orderOfAll: orderOfAll(predicted) })
      }
    }
  }
  return found
}
