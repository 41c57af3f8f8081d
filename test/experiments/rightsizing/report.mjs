// What the experiment found, in words, tables and JSON.
import { FILES, FUNCTION_LABELS, MORE, SHOTS } from './plan.mjs'

const PAPER = { without: [0.985, 0.889, 0.798], with: [0.649, 0.424, 0.497] } // Table 5.5, CloudBandit, testing

export function report({ scaleName, scale, results }) {
  const figures = summarise(results)
  const gates = gatesOf(figures)
  return {
    isShown: scaleName === 'smoke' || (gates.every(({ holds }) => holds) && 'CloudBandit' in figures),
    json: { scale: scaleName, ...scale, figures, gates },
    markdown: markdownOf({ scaleName, scale, figures, gates }),
  }
}

/** table → predictor → labels → { mape, deviation over repeats }. */
function summarise(results) {
  const lists = {}
  for (const { table, predictor, errors } of results) {
    for (const { labels, mape } of errors) {
      lists[table] ??= {}
      lists[table][predictor] ??= {}
      lists[table][predictor][labels] ??= []
      lists[table][predictor][labels].push(mape)
    }
  }
  const mapped = (record, map) => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
  return mapped(lists, (predictors) => mapped(predictors, (byLabels) => mapped(byLabels, spreadOf)))
}

function spreadOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0
  return { mape: +mean.toFixed(5), deviation: +deviation.toFixed(5), repeats: values.length }
}

/** Share by which `b` is lower than `a`. */
const lower = (a, b) => 1 - b.mape / a.mape

function gatesOf(figures) {
  const gates = []
  const atMost = (what, value, bound) =>
    gates.push({ what, value: +value.toFixed(4), bound: `≤ ${bound}`, holds: value <= bound })
  const atLeast = (what, value, bound) =>
    gates.push({ what, value: +value.toFixed(4), bound: `≥ ${bound}`, holds: value >= bound })
  const cloud = figures.CloudBandit
  if (cloud) {
    for (const [labels, bound] of [
      [1, 0.34],
      [2, 0.29],
      [3, 0.26],
      [9, 0.21],
    ])
      atMost(`CloudBandit, default predictor, ${labelled(labels)}`, cloud.best[labels].mape, bound)
    for (const [labels, bound] of [
      [1, 0.33],
      [2, 0.29],
      [3, 0.27],
    ])
      atMost(`CloudBandit, network, ${labelled(labels)}`, cloud.network[labels].mape, bound)
    const gain = lower(cloud.network[1], cloud['embedding 1'][1 + MORE])
    atLeast(`CloudBandit, network with the embedding of ${MORE} more labels lower by, 1 label`, gain, 0.15)
    if (cloud.paper)
      atLeast(
        `CloudBandit, paper preset with the embedding lower by, 1 label`,
        lower(cloud.paper[1], cloud['paper embedding'][1 + MORE]),
        0.4,
      )
  }
  for (const [table, bound] of [
    ['functions', 0.55],
    ['functions with counters', 0.15],
  ])
    atLeast(
      `${table}, network with the embedding of 3 more labels lower by`,
      lower(figures[table].network[1], figures[table]['embedding 1'][4]),
      bound,
    )
  for (const table of Object.keys(FILES).filter((one) => one !== 'CloudBandit' && one in figures))
    for (const labels of SHOTS)
      atMost(
        `${table}, default predictor above copying, ${labelled(labels)}`,
        figures[table].best[labels].mape - figures[table].copy[labels].mape,
        0.01,
      )
  return gates
}

const NAMES = {
  best: 'default (best of the pool)',
  network: 'network, all labels in its input',
}
const cell = (one) => (one ? `${one.mape.toFixed(3)} ± ${one.deviation.toFixed(3)}` : '–')
const labelled = (count) => `${count} label${count > 1 ? 's' : ''}`
const percent = (share) => `${share >= 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(0)} %`

function table(predictors, labels, names = Object.keys(predictors)) {
  return [
    `| predictor | ${labels.map(labelled).join(' | ')} |`,
    `| --- |${labels.map(() => ' --- |').join('')}`,
    ...names.map(
      (name) => `| ${NAMES[name] ?? name} | ${labels.map((count) => cell(predictors[name]?.[count])).join(' | ')} |`,
    ),
  ].join('\n')
}

function markdownOf({ scaleName, scale, figures, gates }) {
  const parts = [
    `# Runtimes of unseen workloads (rightsizing)`,
    `Scale \`${scaleName}\`: ${scale.repeats} repeats (networks ${scale.networkRepeats}, the papers’ network ${scale.paperRepeats}) of 5-fold cross-validation grouped by workload, 8 choices of the measured configurations a workload (generated functions: half of the multisets to learn from, the other half judged, 4 choices). Error: mean absolute percentage error as a share, mean over workloads; ± is the standard deviation over repeats. Labels are measured configurations of the unseen workload. \`npm run experiment -- rightsizing --scale ${scaleName}\``,
  ]
  if (figures.CloudBandit) parts.push(...cloudParts(figures.CloudBandit))
  else parts.push('**CloudBandit was not judged: ../shared/data is absent.**')
  parts.push(...functionParts(figures, scale))
  const files = Object.keys(FILES).filter((name) => name !== 'CloudBandit' && name in figures)
  if (files.length > 0)
    parts.push(
      '## Sizeless, replicated',
      'Memory hardly changes the CPU share on that platform, and repeats of the apps differ by half: there is little to learn, and the default must notice.',
      ...files.flatMap((name) => [`**${name}** (\`${FILES[name]}\`)`, table(figures[name], SHOTS)]),
    )
  parts.push(
    '## Gates',
    [
      '| what | measured | bound | |',
      '| --- | --- | --- | --- |',
      ...gates.map(
        ({ what, value, bound, holds }) =>
          `| ${what} | ${value.toFixed(3)} | ${bound} | ${holds ? 'holds' : '**missed**'} |`,
      ),
    ].join('\n'),
  )
  return `${parts.join('\n\n')}\n`
}

function cloudParts(cloud) {
  const all = [...SHOTS, ...SHOTS.map((k) => k + MORE)]
  const statistical = Object.keys(cloud).filter((name) => !/^(embedding|paper|network)/.test(name))
  const rows = SHOTS.map((k) => {
    const [without, same, more] = [cloud.network[k], cloud[`embedding ${k}`][k], cloud[`embedding ${k}`][k + MORE]]
    const equal = cloud.network[k + MORE]
    return `| ${k} | ${cell(without)} | ${cell(same)} (${percent(lower(without, same))}) | ${cell(more)} (**${percent(lower(without, more))}**) | ${cell(equal)} | ${cell(cloud.best[k + MORE])} |`
  })
  const parts = [
    '## CloudBandit: 22 workloads × 82 configurations of three clouds',
    'Equal labels for everybody in a column:',
    table(cloud, all, [...statistical, 'network']),
    `What the embedding adds to a network that has k labels in its input, at the same labels and with ${MORE} more. The last two columns have those labels too, without any embedding.`,
    [
      `| k | network | + embedding of the same k | + embedding of k + ${MORE} | network, k + ${MORE} in its input | default, k + ${MORE} |`,
      '| --- | --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n'),
  ]
  if (cloud.paper) parts.push('## The papers’ network', paperPart(cloud))
  return parts
}

function paperPart(cloud) {
  const readings = [
    ['0.01·Σw² beside the error, to the letter', 'paper'],
    ['weight_decay 0.01 of torch', 'paper torch'],
    ['Keras, error in percent', 'paper keras'],
  ]
  const rows = readings
    .filter(([, name]) => name in cloud)
    .map(([what, name]) => {
      const [without, more] = [cloud[name][1], cloud[`${name} embedding`][1 + MORE]]
      return `| ${what} | ${cell(without)} | ${cell(more)} | **${percent(lower(without, more))}** |`
    })
  const papers = SHOTS.map(
    (k, i) =>
      `${PAPER.without[i]} → ${PAPER.with[i]} (${percent(1 - PAPER.with[i] / PAPER.without[i])}) with ${k} shot${k > 1 ? 's' : ''}`,
  )
  return [
    `Four layers of 256, raw seconds, MAPE, 200 epochs, L2 0.01 on the network, none on the encoder; one label in the input, ${MORE} more in the embedding:`,
    '',
    '| L2 read as | without | with the embedding | |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    `The papers (Table 5.5, another split, 30 workloads): ${papers.join(', ')}. Read so, the penalty keeps the network from its labels and not the encoder. The sound network above has ${cell(cloud.network[1])} with one label and no embedding.`,
  ].join('\n')
}

function functionParts(figures, { functions }) {
  const rows = ['functions', 'functions with counters'].map((name) => {
    const { network, 'embedding 1': embedding } = figures[name]
    return `| ${name} | ${cell(network[1])} | ${cell(embedding[1])} (${percent(lower(network[1], embedding[1]))}) | ${cell(embedding[4])} (**${percent(lower(network[1], embedding[4]))}**) | ${cell(network[4])} |`
  })
  return [
    '## Generated functions on something like AWS Lambda',
    `${functions} rolls of 1–4 of 16 segments at six memory sizes, 3 % noise, with seven counters or durations only. Functions of the same segments are never on both sides. Papers (Sizeless’ own AWS data): 0.360 → 0.046.`,
    [
      '| table | network, 1 label | + embedding of the same label | + embedding of 3 more | network, 4 in its input |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n'),
    'With counters one run already tells how much of a function waits and how much computes. What is left near the end is noise: 3 % in the sample and in the runtime to predict are an error of about 0.034, whoever predicts.',
    'Equal labels, durations only (statistical predictors read no counters):',
    table(
      figures.functions,
      FUNCTION_LABELS,
      Object.keys(figures.functions).filter((name) => name !== 'embedding 1'),
    ),
  ]
}
