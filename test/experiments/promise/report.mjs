// What the cells come to: gates, tables, JSON.
import {
  ERROR_BUDGET_PERCENT,
  figuresOf,
  isPromised,
  PROMISE_CONTROLLERS,
  PROMISE_LOADS,
  perturbationFigures,
  perturbationGates,
  promiseGates,
  summarise,
} from '@trimtab/studies'
import { DEFAULT_PRICES, RULE_FAMILIES } from '@trimtab/tasks/autoscaling'
import { isPerturbed } from './plan.mjs'

const CANDIDATE = 'trimtab'
const LAW_NOTE =
  'As in [the promise](promise.md), but pods run at full speed until their quota is gone, as those measured did ([latency-law](latency-law.md)).'
const LABELS = new Map([
  ...RULE_FAMILIES.map(({ name, label }) => [name, `${label} (tuned)`]),
  ...PROMISE_CONTROLLERS.map(({ name, label }) => [name, label]),
])

export function report({ scaleName, scale, cells, perturbed, absent }) {
  const base = cells.filter((cell) => isPerturbed(scale, { ...cell, appSeed: cell.app }))
  const perturbations = base.length > 0 ? perturbationFigures(base, perturbed, CANDIDATE) : []
  const gates = [...promiseGates(cells), ...perturbationGates(perturbations)]
  const isColumn = scale.elsewhere.length === 0 // of one kind of cells: gates of the others are for the whole promise
  return {
    isShown: scaleName === 'smoke' || gates.every(({ isMet, cells }) => isMet === true || (isColumn && cells === 0)),
    json: rounded({
      ...{ scale: scaleName, ...scale, absent, prices: DEFAULT_PRICES, budgetPercent: ERROR_BUDGET_PERCENT },
      ...{ gates, perturbations, columns: COLUMNS, cells: cells.map(cellRow) },
    }),
    markdown: markdownOf({ scaleName, scale, cells, absent, gates, perturbations }),
  }
}

/** What the numbers of a controller in a cell of the JSON are, in order. */
const COLUMNS = [
  ...['dollars', 'dollars deviation', 'violations', 'worst hour', 'cores', 'GiB'],
  ...['learning dollars', 'learning violations'],
]

const cellRow = ({ controllers, ...cell }) => ({
  ...cell,
  controllers: Object.fromEntries(
    controllers.map((c) => [
      c.controller,
      [
        ...[c.dollars.mean, c.dollars.deviation, c.violations.mean, c.worstHour, c.cores, c.memoryGiB],
        ...[c.learningDollars, c.learningViolations],
      ]
        .map((value) => +value.toPrecision(4))
        .join(' '),
    ]),
  ),
})

const rounded = (value) => {
  if (typeof value === 'number') return Math.round(value * 1e5) / 1e5
  if (Array.isArray(value)) return value.map(rounded)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)]))
}

const verdict = ({ isMet }) => (isMet === undefined ? '**NOT JUDGED**' : isMet ? 'met' : '**MISSED**')
const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits).replace('-', '−') : '–')
const percent = (share) => (Number.isFinite(share) ? `${fixed(100 * share, 0)} %` : '–')

const table = (head, rows) => [
  `| ${head.join(' | ')} |`,
  `| ${head.map(() => '---').join(' | ')} |`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
]

const HEAD = [
  ...['controller', '$ / hour', '± seeds', 'of HPA+VPA', 'of the strongest rule', 'worst cell'],
  ...[
    'share of the oracle’s saving',
    'violations %',
    'while learning %',
    'worst hour %',
    'cores',
    'GiB',
    'strongest in',
  ],
]

/** Every controller over some cells. */
function controllersTable(cells, seeds) {
  const rows = summarise(cells).map((s) => [
    LABELS.get(s.controller) ?? s.controller,
    fixed(s.dollars, 4),
    seeds > 1 ? fixed(s.seedSpread, 4) : '–',
    fixed(s.onCommon, 3),
    fixed(s.onStrongest, 3),
    fixed(s.worstOnStrongest, 3),
    percent(s.shareOfSaving),
    fixed(s.violations, 2),
    fixed(s.learningViolations, 2),
    fixed(s.worstHour, 1),
    fixed(s.cores, 2),
    fixed(s.memoryGiB, 2),
    s.strongestIn > 0 ? `${s.strongestIn} of ${cells.length}` : '',
  ])
  return table(HEAD, rows)
}

/** The candidate by something of the cell: a load, an SLO. */
function candidateTable(title, cells, keyOf, nameOf = (key) => key) {
  const keys = [...new Set(cells.map(keyOf))]
  const rows = keys.map((key) => {
    const own = cells.filter((cell) => keyOf(cell) === key)
    const summaries = summarise(own)
    const ours = summaries.find(({ controller }) => controller === CANDIDATE)
    const violationsOf = (cell) => figuresOf(cell, cell.strongest).violations.mean
    const rule = own.reduce((sum, cell) => sum + violationsOf(cell), 0) / own.length
    return [
      nameOf(key),
      own.length,
      fixed(ours?.onCommon, 3),
      fixed(ours?.onStrongest, 3),
      fixed(ours?.worstOnStrongest, 3),
      percent(ours?.shareOfSaving),
      `${fixed(ours?.violations, 2)} (${fixed(rule, 2)})`,
      fixed(ours?.learningViolations, 2),
      byRuleOf(own),
      own.some(({ isWithinSeen }) => isWithinSeen) ? '' : 'beyond what was seen',
    ]
  })
  const head = ['cells', 'of HPA+VPA', 'of the strongest rule', 'worst cell', 'share of the oracle’s saving']
  return table(
    [
      title,
      ...head,
      'violations % (the strongest rule’s)',
      'while learning %',
      'steps by the rule % (while learning)',
      '',
    ],
    rows,
  )
}

/** Steps in which the rule served, judged and while learning. */
function byRuleOf(cells) {
  const shares = cells.map((cell) => figuresOf(cell, CANDIDATE)?.byRule).filter((share) => share !== undefined)
  const mean = (of) => shares.reduce((sum, share) => sum + of(share), 0) / shares.length
  return shares.length > 0
    ? `${fixed(
        mean(([judged]) => judged),
        1,
      )} (${fixed(
        mean(([, learning]) => learning),
        1,
      )})`
    : '–'
}

/** A line for each gate; those that judge the same numbers in another way share one. */
function worstCells(gates) {
  const lines = new Map()
  for (const { text, worst } of gates) {
    const cells = worst.join('; ')
    if (cells !== '' && !lines.has(cells)) lines.set(cells, `- ${text}: ${cells}`)
  }
  return [...lines.values()]
}

const section = (title, cells, seeds) =>
  cells.length === 0 ? [] : [`## ${title}`, '', ...controllersTable(cells, seeds)]

function markdownOf({ scaleName, scale, cells, absent, gates, perturbations }) {
  const { firstApp, apps, seeds, days, law } = scale
  const name = law ? `promise-${law}` : 'promise'
  const inPlace = cells.filter(({ resize }) => resize === 'in-place')
  const loadName = (name) => `${name}: ${PROMISE_LOADS.find((load) => load.name === name).label}`
  return `${[
    law ? `# The promise under the law \`${law}\`` : '# The promise',
    '',
    ...(law ? [LAW_NOTE, ''] : []),
    `An SLO kept within an error budget (${ERROR_BUDGET_PERCENT} % of steps) for the least dollars ($${DEFAULT_PRICES.perCore} per vCPU-hour, $${DEFAULT_PRICES.perGiB} per GiB-hour), in simulation.`,
    `Applications ${firstApp} to ${firstApp + apps - 1}, at most ${days} days of each load, ${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, steps of 15 s.`,
    'Every rule is tuned for the same objective by the same search on the first 70 % of the load; everybody then lives through that part and is judged',
    'on the last 30 %, time going on, nothing reset. The strongest rule of a cell is the cheapest within the budget on the first part, and the',
    'strongest of those that do not learn stands beside the learner. A cell is application × load × SLO × what the cluster can resize, mean of seeds;',
    'violations are true ones. Resizes in place are in force within their step; with restarts a rolling update takes a start-up and is paid for twice; "none" keeps the first size for ever.',
    `\`npm run experiment -- ${name} --scale ${scaleName}\` writes this file again, to the byte.`,
    '',
    ...absent.flatMap(({ load, file }) => [`**NOT JUDGED: the load ${load}, \`${file}\` is absent.**`, '']),
    '## Gates',
    '',
    ...table(
      ['gate', 'wanted', 'here', 'judged on', ''],
      gates.map((gate) => [gate.text, gate.wanted, gate.ours, gate.cells, verdict(gate)]),
    ),
    'The cells that did worst:',
    '',
    ...worstCells(gates),
    '',
    ...section('Pods that resize in place: where dollars are promised', cells.filter(isPromised), seeds),
    ...section('Pods that resize in place: all cells', inPlace, seeds),
    ...candidateTable('load', inPlace, ({ load }) => load, loadName),
    ...candidateTable(
      'SLO',
      inPlace,
      ({ sloFactor }) => sloFactor,
      (factor) => `${factor}×`,
    ),
    ...candidateTable('application', inPlace, ({ app }) => app),
    ...section(
      'Pods that restart to resize',
      cells.filter(({ resize }) => resize === 'restart'),
      seeds,
    ),
    ...section(
      'Pods that keep their size',
      cells.filter(({ resize }) => resize === 'none'),
      seeds,
    ),
    ...(perturbations.length > 0 ? perturbationsPart(perturbations, scale) : []),
    '## Bounds',
    '',
    'The oracle knows the simulator’s laws and the rates to come, not the requests that will be drawn, and plans with pods that resize in place; its margin is chosen on the',
    'first part, like the rules’ settings. "Best static" is the cheapest fixed allocation within the budget on the first part. Neither is within anybody’s reach.',
  ].join('\n')}\n`
}

function perturbationsPart(perturbations, { perturbed }) {
  const { apps, loads } = perturbed
  return [
    '## Perturbations',
    '',
    `${apps} ${apps === 1 ? 'application' : 'applications'} × ${loads.join(', ')}, SLO 2×, in place; a rule episode is 25 minutes. ± is what another seed moves a figure by in one cell (root mean square).`,
    '',
    ...table(
      ['perturbation', 'of the strongest rule', 'violations %', 'while learning %', 'cell that moved most'],
      perturbations.map((p) => [
        p.name,
        `${fixed(p.cost.mean, 3)} ± ${fixed(p.cost.spread, 3)}`,
        `${fixed(p.violations.mean, 2)} ± ${fixed(p.violations.spread, 2)}`,
        fixed(p.learningViolations, 2),
        p.mostMoved,
      ]),
    ),
  ]
}
