// What the experiment found, in words, tables, curves and JSON.
import { ANOMALY_KINDS, PRESETS } from '@trimtab/tasks/microservices'
import { meanCurve, rocSvg } from './curves.mjs'
import { FALSE_POSITIVE_RATE, METHODS, SVM_METHODS } from './judge.mjs'

const BEST = SVM_METHODS[0]
const PAPER = SVM_METHODS.at(-1)
const MUST = { accuracy: 0.93, truePositiveRate: 0.97 } // 3.3.2

const percent = (share) => (100 * share).toFixed(1)

export function report({ scaleName, scale, collections, repetitions }) {
  const figures = summarise(repetitions)
  const counts = countsOf(collections)
  const isShown =
    figures.several[BEST].accuracy.mean >= MUST.accuracy &&
    ['several', 'single'].every((setting) => figures[setting][BEST].truePositiveRate.mean >= MUST.truePositiveRate)
  const curves = (settings, methods) =>
    settings.flatMap((setting) =>
      methods.map((method) => ({
        name: settings.length > 1 ? setting : method,
        curve: meanCurve(repetitions.map((results) => results[setting][method].curve)),
      })),
    )
  const svg = rocSvg([
    { title: 'Several anomalies at once', right: 1, bottom: 0, lines: curves(['several'], METHODS) },
    { title: `One anomaly, by kind: ${PAPER}`, right: 0.2, bottom: 0, lines: curves(ANOMALY_KINDS, [PAPER]) },
  ])
  return {
    isShown: isShown || scaleName === 'smoke',
    svg,
    json: { scale: scaleName, ...scale, counts, figures },
    markdown: markdownOf({ scaleName, scale, counts, figures }),
  }
}

/** setting → method → figure → { mean, least, most } over repetitions. */
function summarise(repetitions) {
  const rounded = (value) => +value.toFixed(5)
  const spread = (values) => ({
    mean: rounded(values.reduce((sum, value) => sum + value, 0) / values.length),
    least: rounded(Math.min(...values)),
    most: rounded(Math.max(...values)),
  })
  const mapped = (record, map) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]))
  return mapped(repetitions[0], (setting, methods) =>
    mapped(methods, (method, { figures }) =>
      mapped(figures, (figure) => spread(repetitions.map((results) => results[setting][method].figures[figure]))),
    ),
  )
}

/** How many of everything, by part and scope. */
function countsOf(collections) {
  const parts = ['training', 'heldOut', 'several', 'single'].map((part) => {
    const chosen = collections.filter((one) => one.part === part)
    const sum = (of) => chosen.reduce((total, one) => total + of(one), 0)
    const scopes = ['path', 'sampled', 'window'].map((scope) => {
      const views = chosen.flatMap((one) => one.views.filter((view) => view.scope === scope))
      const components = views.flatMap((view) => view.components)
      const responsible = components.filter(({ isResponsible }) => isResponsible).length
      const injected = components.filter(({ isInjected }) => isInjected).length
      return [
        scope,
        {
          ...{ views: views.length, pairs: components.length, responsible, injected },
          alwaysHealthy: 1 - responsible / components.length,
          neverInjected: 1 - injected / components.length,
          responsibleOffPath: views.reduce((total, { unjudged }) => total + unjudged.length, 0),
        },
      ]
    })
    return [
      part,
      {
        graphs: chosen.length,
        windows: sum(({ disturbedWindows }) => disturbedWindows),
        paths: sum(({ disturbedPaths }) => disturbedPaths),
        nobodyResponsible: sum(({ nobodyResponsible }) => nobodyResponsible),
        ...Object.fromEntries(scopes),
      },
    ]
  })
  return Object.fromEntries(parts)
}

const withSpread = ({ mean, least, most }) =>
  least === most ? percent(mean) : `${percent(mean)} (${percent(least)}–${percent(most)})`

const COLUMNS = [
  ['accuracy, %', 'accuracy'],
  ['balanced, %', 'balancedAccuracy'],
  ['found at its border, %', 'truePositives'],
  ['false alarms, %', 'falsePositives'],
  [`found at FPR ≤ ${FALSE_POSITIVE_RATE}, %`, 'truePositiveRate'],
  ['area under ROC, %', 'area'],
  ['most suspicious is right, %', 'topRight'],
]

function table(first, rows) {
  const head = [first, ...COLUMNS.map(([title]) => title)]
  const lines = rows.map(([name, figures]) => [name, ...COLUMNS.map(([, figure]) => withSpread(figures[figure]))])
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const methodsTable = (methods) =>
  table(
    'method',
    METHODS.map((method) => [method, methods[method]]),
  )

function markdownOf({ scaleName, scale, counts, figures }) {
  const { several, single } = counts
  const best = figures.several[BEST]
  const kindsTable = (method) =>
    table(
      'kind',
      ANOMALY_KINDS.map((kind) => [kind, figures[kind][method]]),
    )
  const plainBest = Math.max(...METHODS.map((method) => figures.severalInjected[method].accuracy.mean))
  const wished = ({ wishedTruePositiveRate, wishedFalsePositiveRate }) =>
    `${withSpread(wishedTruePositiveRate)} % found at ${withSpread(wishedFalsePositiveRate)} % false alarms`
  return `# Which component broke the SLO?

Critical component localisation as in the dissertation's 3.3.2 (FIRM, Fig. 3.5), on simulated applications.
\`npm run experiment -- anomalies --scale ${scaleName}\` writes this page, its curves and \`anomalies.json\`; the same scale gives the same bytes.
A cell is the mean of ${scale.seeds} independent repetitions (lowest–highest), each with graphs, campaigns, requests and classifiers of its own.

| must show | paper | here (${BEST}) | with RI and CI only, as published |
| --- | ---: | ---: | ---: |
| accuracy, several anomalies at once | 93 % | ${withSpread(best.accuracy)} % | ${withSpread(figures.several[PAPER].accuracy)} % |
| … of which never accusing anybody gets | not given | ${percent(several.path.alwaysHealthy)} % | ${percent(several.path.alwaysHealthy)} % |
| found at a false-positive rate ≤ 0.14, one anomaly | near 100 % (0.12–0.16) | ${withSpread(figures.single[BEST].truePositiveRate)} % | ${withSpread(figures.single[PAPER].truePositiveRate)} % |
| found at a false-positive rate ≤ 0.14, several | not given | ${withSpread(best.truePositiveRate)} % | ${withSpread(figures.several[PAPER].truePositiveRate)} % |

![ROC curves](anomalies.svg)

## What was done

- **Applications**: event-by-event simulations (\`packages/tasks/src/microservices\`). Training: ${counts.training.graphs} made-up graphs of 15–41 services; thresholds for a wished false-positive rate: ${counts.heldOut.graphs} more. Judged: ${several.graphs} applications of the sizes of FIRM's four benchmarks (36, 38, 15, 41 services), never trained on, with services drawn anew in each repetition.
- **Several anomalies**: in every window of 10 s one of each of the seven kinds, on a replica at random, its intensity uniform in 0…1: ${several.windows} windows. **One anomaly**: its intensity uniform from where it starts to break an SLO to where four of five requests fail, windows to recover in between: ${single.windows} windows.
- **SLO**: of each type of requests, p99 of a window ≤ 1.5 × the p99 of a run without faults. Broken in ${several.path.views} of ${several.paths} (window, type of requests) with several anomalies, ${single.path.views} of ${single.paths} with one.
- **What is judged**: as Algorithm 3.2 has it, every replica on the critical paths of a type of requests whose SLO is broken in a window: ${several.path.pairs} replicas, ${several.path.responsible} of them responsible (several), ${single.path.pairs} and ${single.path.responsible} (one). Replicas that are responsible without being on a path (${several.path.responsibleOffPath} and ${single.path.responsibleOffPath}) cannot be found this way and are not counted.
- **Truth**: who is *responsible*, by what would have been with the same requests and the same work: without the anomaly the SLO holds, or with it alone the SLO breaks, and it moves the p99 by a tenth of the SLO. In ${several.nobodyResponsible} of ${several.path.views} broken paths nobody is (several small causes). FIRM's own label, *injected*, is judged below: it calls a disk stressor on a service without disk I/O a culprit.
- **Methods**: the incremental SVM (random features of an RBF kernel, hinge loss) on RI and CI as published, on what else a window tells, and with a fault-free reference; the classifiers as \`@trimtab/trace\` ships them, taught once on other made-up graphs, with a border for few false alarms. Rules: largest time added on the path, largest growth of own time (both need the reference), RI, CI, chance. An SVM's border is its own; a rule's is the one with the fewest mistakes on the training windows.

## Several anomalies at once

${methodsTable(figures.several)}

At the border that promised 14 % false alarms on the held-out graphs, ${BEST}: ${wished(best)}.

By application (Fig. 3.5b; ${BEST}):

${table(
  'application',
  PRESETS.map((name) => [name, figures[name][BEST]]),
)}

## One anomaly

${methodsTable(figures.single)}

By kind (Fig. 3.5a; ${BEST}):

${kindsTable(BEST)}

By kind, on RI and CI as published:

${kindsTable(PAPER)}

## Where it gets harder

One trace in ten kept, everything else the same; what ships does not judge replicas of which it saw too few requests, which counts as not accused (${several.sampled.pairs} replicas, never accusing anybody gets ${percent(several.sampled.alwaysHealthy)} %):

${methodsTable(figures.sampled)}

All requests of a window in one profile, no matter which SLO broke (${several.window.pairs} replicas, never accusing anybody gets ${percent(several.window.alwaysHealthy)} %):

${methodsTable(figures.window)}

## FIRM's plain label

The same windows with *injected* for truth, in training and judging. Several anomalies (never accusing anybody gets ${percent(several.path.neverInjected)} %):

${methodsTable(figures.severalInjected)}

One anomaly, where every injection breaks something (${percent(single.path.neverInjected)} %):

${methodsTable(figures.singleInjected)}

## How to read this

- Most replicas on a path are healthy, so accuracy flatters: compare with what never accusing anybody gets, and with the balanced accuracy.
- CI alone does not tell culprits apart: a service that is slow all through the window has the same p99/p50 as before. It is RI and how much time is added that do; and a network delay adds much the same to every request, which RI does not see either.
- A single growth or added-time rule is nearly as good as the SVM when a fault-free reference is at hand; the SVM's gain is at its border (fewer mistakes) and without a reference.
- With several anomalies most injections break nothing, so nothing in the latencies tells them: on the plain label the best accuracy is ${percent(plainBest)} %.
- The simulator lacks what makes real systems harder: threads blocked by slow callees, retries, shared hosts, lost or skewed spans. Real faults: \`npm run experiment -- culprits\`.
`
}
