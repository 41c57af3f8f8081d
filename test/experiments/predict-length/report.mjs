// The figures of the length predictors as tables.
import { percentile } from '@trimtab/core'
import { scoreLengths } from '@trimtab/serve'
import { DESIGNS, RULES } from './designs.mjs'

const BARS = { accuracy: 0.4, l1: 0.76, order: 0.77 }
const FIGURES = ['accuracy', 'l1', 'order']
const FAMILIES = ['alpaca_eval', 'arena-hard', 'gpteacher']
const SERVED = 'the served network and the class that it prints'

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
  const of = (fold, name, rule) => scoreLengths(name === 'served' ? fold.served : fold.designs[name][rule])
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
      const scores = scoreLengths(list)
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
  const of = (list, family) => scoreLengths(list.filter(({ example }) => example.family === family))
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      Object.fromEntries(FAMILIES.map((family) => [family, of(list, family)])),
    ]),
  )
}

export function report({ scaleName, train, valid, judged, onValid, lists, samples, limits }) {
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
  const title = { accuracy: 'accuracy', l1: 'L1', order: 'order' }
  const list = (figures) => figures.map((figure) => title[figure]).join(', ') || 'none'
  const byMode = (name) => {
    if (name === 'served') return ''
    const { accuracy, l1 } = scoreLengths(onValid.designs[name].mode)
    return `${three(accuracy)}, ${three(l1)}`
  }
  const inOrder = (name, family) => three(families[name][family].order)
  const variantRows = limits.variants.map(({ variant, scores }) => [
    describe(variant),
    ...FIGURES.map((figure) => about(spread(scores.map((one) => one[figure])))),
  ])
  const markdown = `${[
    '# Length of answers',
    `Classes by the percentiles 25, 50, 75, 99 of each model in the rows that were learnt from (dissertation 6.3.2). Accuracy: share of right classes; L1: mean distance of classes; order: of two answers of one model the share put in the right order, ties as halves. \`../shared/data/output-length\`: train ${train.length} rows, valid ${valid.length}, no prompt in both. Scores become classes by the 400 learnt rows of about that score, which a fit without their prompts gave (${Object.keys(RULES).join(', ')} of their classes); the served network prints the median of its own probabilities. Penalties were chosen on learnt rows; nothing was chosen on valid.`,
    `**On valid the served network misses: ${list(missed)}.** Of those bars the 95 % interval holds: ${list(held)}.`,
    `## Designs on folds of train\n\nMean and standard deviation over ${judged.length} of 5 folds by prompt; classes by the median.`,
    table(
      ['design', 'accuracy', 'L1', 'order'],
      [
        ...names.map((name) => [named(name), ...FIGURES.map((figure) => about(folds[name].median[figure]))]),
        ['bar', '≥ 0.400', '≤ 0.760', '≥ 0.770'],
      ],
    ),
    `## Designs on valid\n\n95 % intervals over ${samples.length} bootstrap samples of its prompts. Last: order over that of the served network in the same samples.`,
    table(
      ['design', 'accuracy', 'L1', 'order', 'order over served', 'by the mode: accuracy, L1'],
      [
        ...names.map((name) => [
          named(name),
          ...FIGURES.map((figure) => within(onValidRows[name][figure])),
          onValidRows[name].order.overServed.map(three).join(' … '),
          byMode(name),
        ]),
        ['bar', '≥ 0.400', '≤ 0.760', '≥ 0.770', '', ''],
        ['μ-Serve, BERT-base, LMSYS chats (table 6.2)', '0.429', '0.759', '', '', ''],
        ['SSJF’s published predictions for vicuna, 85,482 chats', '0.598', '', '0.777', '', ''],
      ],
    ),
    '## Which class to print\n\nAccuracy and L1 on folds of train: the likeliest class is right more often, the median is nearer.',
    table(
      ['design', ...Object.keys(RULES).map((rule) => `${rule}: accuracy, L1`)],
      names
        .filter((name) => name !== 'served' && name !== 'length')
        .map((name) => [
          named(name),
          ...Object.keys(RULES).map((rule) => {
            const { accuracy, l1 } = folds[name][rule]
            return `${three(accuracy.mean)}, ${three(l1.mean)}`
          }),
        ]),
    ),
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
    'The served network’s accuracy and L1 on valid: ' +
      `${FAMILIES.map((family) => `${family} ${three(families.served[family].accuracy)}, ${three(families.served[family].l1)}`).join('; ')}.`,
    `Of the pairs, ${((100 * families.served.gpteacher.pairs) / scoreLengths(lists.served).pairs).toFixed(0)} % are gpteacher’s: one model with short answers.`,
    '## More rows, more passes, a larger table',
    'The served network on the folds, 4 passes and 2^16 rows of n-grams where nothing else is said.',
    table(['learnt with', 'accuracy', 'L1', 'order'], variantRows),
    `Command: \`npm run experiment -- predict-length --scale ${scaleName}\``,
  ].join('\n\n')}\n`
  const json = {
    ...{ scale: scaleName, bars: BARS, rows: { train: train.length, valid: valid.length } },
    ...{ penalties: onValid.penalties, folds, valid: onValidRows, families, limits },
  }
  return { markdown, json, isShown }
}
