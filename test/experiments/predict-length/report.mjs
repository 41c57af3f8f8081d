// The figures of the length predictors as tables.
import { percentile } from '@trimtab/core'
import { DESIGNS, RULES } from './designs.mjs'
import { longestModels, orderOfAll, ordersByModel, scoresOf } from './scores.mjs'

const BARS = { accuracy: 0.4, l1: 0.76, order: 0.77, orderByModel: 0.66 }
const FIGURES = ['accuracy', 'l1', 'order', 'orderByModel']
const HEADS = ['accuracy', 'L1', 'order', 'in the mean over models']
const BAR_CELLS = ['≥ 0.400', '≤ 0.760', '≥ 0.770', '≥ 0.660']
const FAMILIES = ['alpaca_eval', 'arena-hard', 'gpteacher']
const KINDS = ['other English', 'code', 'not English']
const SERVED = 'the served predictor and the class that it prints'

const three = (value) => value.toFixed(3)
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const isMet = (figure, value) => (figure === 'l1' ? value <= BARS.l1 : value >= BARS[figure])

function spread(values) {
  const mean = meanOf(values)
  const deviation = Math.sqrt(
    meanOf(values.map((value) => (value - mean) ** 2)) * (values.length / Math.max(1, values.length - 1)),
  )
  return { mean, deviation }
}

const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const describe = ({ share, epochs, bits }) =>
  [
    share < 1 ? `${100 * share} % of the prompts` : undefined,
    epochs === undefined ? undefined : `${epochs} passes`,
    bits === undefined ? undefined : `2^${bits} rows`,
  ]
    .filter((text) => text !== undefined)
    .join(', ') || 'defaults'

const named = (name) => DESIGNS[name] ?? SERVED

function foldFigures(judged, names) {
  const of = (fold, name, rule) => scoresOf(name === 'served' ? fold.served : fold.designs[name][rule])
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(
        Object.keys(RULES).map((rule) => {
          const scores = judged.map((fold) => of(fold, name, rule))
          return [rule, Object.fromEntries(FIGURES.map((figure) => [figure, spread(scores.map((one) => one[figure]))]))]
        }),
      ),
    ]),
  )
}

function validFigures(lists, samples) {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => {
      const scores = scoresOf(list)
      const figures = FIGURES.map((figure) => {
        const drawn = samples.map((sample) => sample[name][figure])
        const ahead = samples.map((sample) => sample[name][figure] - sample.served[figure])
        const interval = (values) => [percentile(values, 2.5), percentile(values, 97.5)]
        return [figure, { value: scores[figure], interval: interval(drawn), overServed: interval(ahead) }]
      })
      return [name, Object.fromEntries(figures)]
    }),
  )
}

function byFamily(lists) {
  const of = (list, family) => scoresOf(list.filter(({ example }) => example.family === family))
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      Object.fromEntries(FAMILIES.map((family) => [family, of(list, family)])),
    ]),
  )
}

/** Order within each model, and over pairs of all models with and without those that answer longest. */
function withinModels(lists, longest) {
  const names = Object.keys(lists)
  const rest = (list) => list.filter(({ example }) => !longest.includes(example.model))
  const models = Object.keys(ordersByModel(lists.served))
  const shown = ['served', 'narrow', 'wide', 'trees', 'neighbours']
  const orders = shown.map((name) => ordersByModel(lists[name]))
  return [
    '## Between models and within them',
    `Order on valid: in the mean over the models, and of any two answers by their expected tokens, which knowing the model’s mean alone gets right to some extent. Without: ${longest.join(' and ')}, which answer longest.`,
    table(
      ['design', 'in the mean over models', 'any two answers', 'in the mean, without', 'any two, without'],
      names.map((name) => [
        named(name),
        ...[lists[name], rest(lists[name])].flatMap((of) => [three(scoresOf(of).orderByModel), three(orderOfAll(of))]),
      ]),
    ),
    table(
      ['model', 'rows', ...shown.map(named)],
      models.map((model) => [
        model,
        lists.served.filter(({ example }) => example.model === model).length,
        ...orders.map((of) => three(of[model])),
      ]),
    ),
  ]
}

function byKind(lists) {
  const of = (list, kind) => list.filter(({ example }) => example.kind === kind)
  return [
    '## Code and other languages\n\nOrder on valid, pooled over the models; told apart by rules (`rows.mjs`).',
    table(
      ['design', ...KINDS],
      [
        ...Object.entries(lists).map(([name, list]) => [
          named(name),
          ...KINDS.map((kind) => three(scoresOf(of(list, kind)).order)),
        ]),
        ['rows', ...KINDS.map((kind) => of(lists.served, kind).length)],
        ['prompts', ...KINDS.map((kind) => new Set(of(lists.served, kind).map(({ example }) => example.id)).size)],
      ],
    ),
  ]
}

function learningOnline(online) {
  return [
    '## Learning online',
    'Valid rows in the order of their prompts’ hashes; each is predicted, then its length is told to those that learn. 149 prompts are asked of several models: where every row comes, most of those were seen before.',
    table(
      ['predictor', 'rows', '', 'order', 'any two answers'],
      online.map(({ weights, rows, count, isLearning, order, orderOfAll: any }) => [
        weights,
        `${rows} (${count})`,
        isLearning ? 'learning' : 'as it is',
        three(order),
        three(any),
      ]),
    ),
  ]
}

export function report({ scaleName, train, valid, judged, onValid, lists, samples, limits, online }) {
  const names = Object.keys(lists)
  const folds = foldFigures(judged, names)
  const onValidRows = validFigures(lists, samples)
  const families = byFamily(lists)
  const about = ({ mean, deviation }) => `${three(mean)} ± ${three(deviation)}`
  const within = ({ value, interval }) => `${three(value)} (${interval.map(three).join(' … ')})`
  const served = onValidRows.served
  const isShown = FIGURES.every((figure) => isMet(figure, served[figure].value))
  const missed = FIGURES.filter((figure) => !isMet(figure, served[figure].value))
  const held = missed.filter(
    (figure) => served[figure].interval[0] <= BARS[figure] && BARS[figure] <= served[figure].interval[1],
  )
  const title = Object.fromEntries(FIGURES.map((figure, i) => [figure, i < 3 ? HEADS[i] : `order ${HEADS[i]}`]))
  const list = (figures) => figures.map((figure) => title[figure]).join(', ') || 'none'
  const byMode = (name) => {
    if (name === 'served') return ''
    const { accuracy, l1 } = scoresOf(onValid.designs[name].mode)
    return `${three(accuracy)}, ${three(l1)}`
  }
  const inOrder = (name, family) => three(families[name][family].order)
  const variantRows = limits.variants.map(({ variant, scores }) => [
    describe(variant),
    ...FIGURES.map((figure) => about(spread(scores.map((one) => one[figure])))),
  ])
  const markdown = `${[
    '# Length of answers',
    `Classes by the percentiles 25, 50, 75, 99 of each model in the rows that were learnt from (dissertation 6.3.2). Accuracy: share of right classes; L1: mean distance of classes; order: of two answers of one model the share put in the right order, ties as halves; pooled over the models, where the one of most rows decides, and in the mean over the models. \`../shared/data/output-length\`: train ${train.length} rows, valid ${valid.length}, no prompt in both. Scores become classes by the 400 learnt rows of about that score, which a fit without their prompts gave (${Object.keys(RULES).join(', ')} of their classes); the served predictor prints the median of its own probabilities. Penalties were chosen on learnt rows; nothing was chosen on valid.`,
    `**On valid the served predictor misses: ${list(missed)}.** Of those bars the 95 % interval holds: ${list(held)}.`,
    `## Designs on folds of train\n\nMean and standard deviation over ${judged.length} of 5 folds by prompt; classes by the median.`,
    table(
      ['design', ...HEADS],
      [
        ...names.map((name) => [named(name), ...FIGURES.map((figure) => about(folds[name].median[figure]))]),
        ['bar', ...BAR_CELLS],
      ],
    ),
    `## Designs on valid\n\n95 % intervals over ${samples.length} bootstrap samples of its prompts. That over served: the mean over models less the served predictor’s, in the same samples.`,
    table(
      ['design', ...HEADS, 'that over served', 'by the mode: accuracy, L1'],
      [
        ...names.map((name) => [
          named(name),
          ...FIGURES.map((figure) => within(onValidRows[name][figure])),
          onValidRows[name].orderByModel.overServed.map(three).join(' … '),
          byMode(name),
        ]),
        ['bar', ...BAR_CELLS, '', ''],
        ['μ-Serve, BERT-base, LMSYS chats (table 6.2)', '0.429', '0.759', '', '', '', ''],
        ['SSJF’s published predictions for vicuna, 85,482 chats', '0.598', '', '0.777', '', '', ''],
      ],
    ),
    '## Which class to print\n\nAccuracy and L1 on folds of train: the likeliest class is right more often, the median is nearer.',
    table(
      ['design', ...Object.keys(RULES).map((rule) => `${rule}: accuracy, L1`)],
      names
        .filter((name) => !['served', 'model', 'length'].includes(name))
        .map((name) => [
          named(name),
          ...Object.keys(RULES).map((rule) => {
            const { accuracy, l1 } = folds[name][rule]
            return `${three(accuracy.mean)}, ${three(l1.mean)}`
          }),
        ]),
    ),
    ...withinModels(lists, longestModels(train)),
    ...byKind(lists),
    ...learningOnline(online),
    '## By source\n\nOrder on valid.',
    table(
      ['design', ...FAMILIES],
      [
        ...names.map((name) => [named(name), ...FAMILIES.map((family) => inOrder(name, family))]),
        [
          'mean of the other models’ answers to the prompt',
          three(limits.others.alpaca_eval),
          three(limits.others['arena-hard']),
          '– (one model)',
        ],
        ['rows', ...FAMILIES.map((family) => `${families.served[family].rows}`)],
        ['pairs', ...FAMILIES.map((family) => `${families.served[family].pairs}`)],
      ],
    ),
    'The served predictor’s accuracy and L1 on valid: ' +
      `${FAMILIES.map((family) => `${family} ${three(families.served[family].accuracy)}, ${three(families.served[family].l1)}`).join('; ')}.`,
    `Of the pairs, ${((100 * families.served.gpteacher.pairs) / scoresOf(lists.served).pairs).toFixed(0)} % are gpteacher’s: one model with short answers.`,
    '## More rows, more passes, a larger table',
    'The served predictor on the folds, 4 passes and 2^17 rows of n-grams where nothing else is said.',
    table(['learnt with', ...HEADS], variantRows),
    `Command: \`npm run experiment -- predict-length --scale ${scaleName}\``,
  ].join('\n\n')}\n`
  const json = {
    ...{ scale: scaleName, bars: BARS, rows: { train: train.length, valid: valid.length } },
    ...{ penalties: onValid.penalties, folds, valid: onValidRows, families, limits, online },
    byModel: Object.fromEntries(names.map((name) => [name, ordersByModel(lists[name])])),
  }
  return { markdown, json, isShown }
}
