// What the experiment found, in words, tables and JSON.
import { baselinePart } from './baseline-part.mjs'
import { concurrencyPart } from './concurrency-part.mjs'
import { SERVER } from './inputs.mjs'
import { fixed, groupsOf, percent, table } from './markdown.mjs'

const POLICIES = {
  class: 'class index, the papers’ letter',
  'ssjf-unaged': '**shortest expected first, no ageing**',
  ssjf: '**shortest expected first, default ageing**',
  oracle: 'true lengths, no ageing',
}
const BATCHINGS = { none: 'none', dynamic: 'dynamic, 4', continuous: 'continuous, 4' }
/** Mean JCT against FCFS, over arrival rates (6.4.3) and in the three ways of batching (B.3). */
const PAPER_BATCHING = {
  none: ['−34.5 %', '−43.7 %'],
  dynamic: ['−39.6 %', '−58.2 %'],
  continuous: ['−33.2 %', '−43.0 %'],
}
const PAPER_ROUNDS = { 1: '−38.9 %', 5: '−33.1 %' }
const GATED = ['none', 'dynamic']
const PATTERNS = ['Poisson', 'Azure conversation', 'Azure code']

export function report({ scaleName, scale, figures }) {
  const gates = gatesOf(figures)
  return {
    isShown: scaleName === 'smoke' || gates.every(({ holds }) => holds),
    json: rounded({ scale: scaleName, ...scale, server: SERVER, figures, gates }),
    markdown: markdownOf({ scaleName, scale, figures, gates }),
  }
}

/** Five digits that count: the files are compared to the byte, and read. */
const rounded = (value) =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'number' ? Number(one.toPrecision(5)) : one)))

function gatesOf({ mixed }) {
  const find = (arrivals, batching, policy) =>
    mixed.find((one) => one.arrivals === arrivals && one.batching === batching && one.policy === policy)
  return PATTERNS.flatMap((arrivals) =>
    GATED.flatMap((batching) => {
      const [aged, unaged] = [find(arrivals, batching, 'ssjf'), find(arrivals, batching, 'ssjf-unaged')]
      const what = `${arrivals}, batching ${BATCHINGS[batching]}`
      const gate = (name, value, bound) => ({ what: `${what}: ${name}`, value, bound, holds: value <= bound })
      return [
        gate('mean JCT without ageing', unaged.meanJctOverFcfs.mean - 1, -0.4),
        gate('mean JCT with the default ageing', aged.meanJctOverFcfs.mean - 1, -0.3),
        gate('longest wait with the default ageing, × FCFS’s, worst run', aged.maxWaitOverFcfs.worst, 3),
      ]
    }),
  )
}

const changeOf = ({ mean, deviation }) => `${percent(mean)} ± ${fixed(100 * deviation)}`
const seconds = ({ mean }) => fixed(mean, mean < 10 ? 2 : 1)
const times = ({ mean, worst }) => `${fixed(mean, 2)}× (worst ${fixed(worst, 2)}×)`

function markdownOf({ scaleName, scale, figures, gates }) {
  return `${[
    '# Serving: the shortest expected answer first',
    `Scale \`${scaleName}\`: ${scale.seeds} runs of ${scale.count} requests each, in which every policy serves the same requests at the same moments; ± is the standard deviation over runs. \`npm run experiment -- serving --scale ${scaleName}\``,
    `**Real**: prompts, models and lengths (\`../shared/data/output-length\`), arrival times of two Azure services, the predictor. **Simulated**: the server, ${SERVER.secondsPerRequest} s a request and ${SERVER.secondsPerToken} s a token, one of them, every model in one queue. ρ is the rate of arrivals beside what first come, first served can do under the same batching when somebody always waits. JCT: from arrival to the last token. Default ageing: \`bypass ${figures.bypass}\` (\`WorkAgeing\`).`,
    `The predictor was trained on \`train.jsonl.gz\` and is asked for rows of \`valid.jsonl.gz\`, whose prompts it has not seen; unless told otherwise it learns nothing meanwhile. Of pairs of valid rows of one model it puts ${fixed(figures.pairwiseOrder, 3)} in the right order, ${fixed(figures.orderByModel, 3)} in the mean over the models.`,
    '## Mixed models, ρ = 0.9',
    ...PATTERNS.map((arrivals) => mixedPart(arrivals, figures.mixed)),
    '## Where the gain comes from',
    baselinePart(figures.baselines),
    '## Gates',
    gatePart(gates),
    '## Continuous batching beside the paper',
    paperPart(figures.mixed),
    '## Where many run together',
    concurrencyPart(figures.concurrency),
    '## One model alone',
    singlePart(figures.singles),
    '## How much may come',
    limitPart(figures.limits),
    overloadPart(figures.overload),
    '## Lengths and moments of recorded services',
    recordedPart(figures.recorded),
    '## A predictor that learns while it serves',
    onlinePart(figures.online),
    '## Conversations',
    roundsPart(figures.rounds),
    '## How the default ageing was chosen',
    choicePart(figures.choice),
  ].join('\n\n')}\n`
}

function mixedPart(arrivals, mixed) {
  const rows = ['none', 'dynamic'].flatMap((batching) => {
    const of = (policy) =>
      mixed.find((one) => one.arrivals === arrivals && one.batching === batching && one.policy === policy)
    const base = of('fcfs')
    return [
      [
        BATCHINGS[batching],
        'first come, first served',
        seconds(base.meanJctSeconds),
        '',
        seconds(base.p99JctSeconds),
        seconds(base.maxWaitSeconds),
        '',
      ],
      ...Object.entries(POLICIES).map(([policy, name]) => {
        const one = of(policy)
        return [
          '',
          name,
          seconds(one.meanJctSeconds),
          changeOf(one.meanJctOverFcfs),
          seconds(one.p99JctSeconds),
          seconds(one.maxWaitSeconds),
          times(one.maxWaitOverFcfs),
        ]
      }),
    ]
  })
  const title = arrivals === 'Poisson' ? 'Poisson arrivals' : `Arrival times of ${arrivals}, rescaled`
  return `${title}:\n\n${table(['batching', 'policy', 'mean JCT s', 'against FCFS', 'p99 s', 'longest wait s', 'against FCFS'], rows)}`
}

const gatePart = (gates) =>
  table(
    ['what', 'measured', 'bound', ''],
    gates.map(({ what, value, bound, holds }) => {
      const show = (number) => (bound < 0 ? `${fixed(100 * number)} %` : `${fixed(number, 2)}×`)
      return [what, show(value), `≤ ${show(bound)}`, holds ? 'holds' : '**missed**']
    }),
  )

function paperPart(mixed) {
  const rows = Object.keys(BATCHINGS).map((batching) => {
    const of = (policy) =>
      mixed.find((one) => one.arrivals === 'Poisson' && one.batching === batching && one.policy === policy)
        .meanJctOverFcfs
    const [ours, oracle] = PAPER_BATCHING[batching]
    return [
      BATCHINGS[batching],
      changeOf(of('ssjf')),
      changeOf(of('ssjf-unaged')),
      changeOf(of('oracle')),
      ours,
      oracle,
    ]
  })
  return [
    'Mean JCT against FCFS, Poisson arrivals. The paper’s figures (B.3) are means over arrival rates on its own server and LMSYS requests; without a load they say how much to expect, not what to reach. Its main figures (6.4.3): −41.3 %, oracle −49.8 %.',
    '',
    table(['batching', 'default ageing', 'no ageing', 'oracle', 'paper', 'paper’s oracle'], rows),
  ].join('\n')
}

function singlePart(singles) {
  const rows = groupsOf(singles, 'model').map((model) => {
    const of = (policy) => singles.find((one) => one.model === model && one.policy === policy)
    return [
      model,
      of('fcfs').rows,
      seconds(of('fcfs').meanJctSeconds),
      ...['ssjf', 'ssjf-unaged', 'oracle'].map((policy) => changeOf(of(policy).meanJctOverFcfs)),
      times(of('ssjf').maxWaitOverFcfs),
    ]
  })
  return [
    'No batching, Poisson, ρ = 0.9. Within one model the lengths differ less, and which of them is short is harder to tell:',
    '',
    table(
      ['model', 'rows', 'FCFS: mean JCT s', 'default ageing', 'no ageing', 'oracle', 'longest wait, default ageing'],
      rows,
    ),
  ].join('\n')
}

function limitPart(limits) {
  const rows = groupsOf(limits, 'batching').flatMap((batching) =>
    groupsOf(limits, 'sloScale').flatMap((sloScale) =>
      groupsOf(limits, 'target').map((target) => {
        const of = (policy) =>
          limits.find(
            (one) =>
              one.batching === batching && one.sloScale === sloScale && one.target === target && one.policy === policy,
          ).load
        const base = of('fcfs').mean
        const cell = (policy) => `${fixed(of(policy).mean, 2)} (${fixed(of(policy).mean / base, 2)}×)`
        return [
          BATCHINGS[batching],
          sloScale,
          `${100 * target} %`,
          fixed(base, 2),
          cell('ssjf'),
          cell('ssjf-unaged'),
          cell('oracle'),
        ]
      }),
    ),
  )
  return [
    'The highest load ρ at which so many requests are done within a multiple (6.4.1: SLO scale) of what each takes alone. Poisson arrivals; in brackets against FCFS. The paper: throughput 2.5× (oracle 3.6×), by batching 3.6×, 3.0×, 2.8×; it does not say at which SLO.',
    '',
    table(['batching', 'SLO scale', 'share in SLO', 'FCFS', 'default ageing', 'no ageing', 'oracle'], rows),
  ].join('\n')
}

function overloadPart(overload) {
  const rows = groupsOf(overload, 'batching').flatMap((batching) =>
    groupsOf(overload, 'load').map((load) => {
      const of = (policy) => {
        const { mean, deviation } = overload.find(
          (one) => one.batching === batching && one.load === load && one.policy === policy,
        ).overFcfs
        return `${fixed(mean, 2)}× ± ${fixed(deviation, 2)}`
      }
      return [BATCHINGS[batching], load, of('ssjf'), of('ssjf-unaged'), of('oracle')]
    }),
  )
  return [
    'More comes than can be served: requests done by the moment at which the last one comes, against FCFS. This is where a gain in throughput of the paper’s size can come from: the long ones are left for later.',
    '',
    table(['batching', 'ρ', 'default ageing', 'no ageing', 'oracle'], rows),
  ].join('\n')
}

function recordedPart(recorded) {
  const rows = groupsOf(recorded, 'log').flatMap((log) =>
    Object.keys(BATCHINGS).map((batching) => {
      const of = (policy) =>
        recorded.find((one) => one.log === log && one.batching === batching && one.policy === policy)
      return [
        log,
        BATCHINGS[batching],
        seconds(of('fcfs').meanJctSeconds),
        ...['ssjf', 'ssjf-unaged', 'oracle'].map((policy) => changeOf(of(policy).meanJctOverFcfs)),
        times(of('ssjf').maxWaitOverFcfs),
      ]
    }),
  )
  const order = groupsOf(recorded, 'log').map(
    (log) => `${log} ${fixed(recorded.find((one) => one.log === log).pairwiseOrder, 3)}`,
  )
  return [
    `These logs hold no prompts, so nothing can be predicted: their estimates err, in rank, as the predictor was measured to err within each model on the valid rows (pairs in the right order: ${order.join(', ')}), and the oracle knows the lengths. Requests come in the log’s order at the log’s moments, rescaled to ρ = 0.9.`,
    '',
    table(
      [
        'log',
        'batching',
        'FCFS: mean JCT s',
        'measured error, default ageing',
        'no ageing',
        'oracle',
        'longest wait, default ageing',
      ],
      rows,
    ),
  ].join('\n')
}

function onlinePart(online) {
  const rows = groupsOf(online, 'weights').flatMap((weights) =>
    groupsOf(online, 'how').map((how) => {
      const of = (policy) => online.find((one) => one.weights === weights && one.how === how && one.policy === policy)
      return [
        weights,
        how,
        of('ssjf').count,
        changeOf(of('ssjf').meanJctOverFcfs),
        changeOf(of('ssjf-unaged').meanJctOverFcfs),
      ]
    }),
  )
  return [
    'Every valid row once, Poisson, no batching; a length is told when FCFS is done with the request. Of the rows of `valid.jsonl.gz`, 12 models are of a tier whose rows no shipped weights may be trained on: a predictor of permissive rows has never met them. 149 of the prompts are asked of several models: part of what is learnt here is a prompt that comes again ([predict-length](predict-length.md) has each prompt once).',
    '',
    table(['weights trained on', '', 'requests', 'default ageing', 'no ageing'], rows),
  ].join('\n')
}

function roundsPart(rounds) {
  const rows = groupsOf(rounds, 'round').map((round) => {
    const of = (policy) => rounds.find((one) => one.round === round && one.policy === policy)
    return [
      round,
      fixed(of('ssjf').pairwiseOrder, 3),
      changeOf(of('ssjf').meanJctOverFcfs),
      changeOf(of('ssjf-unaged').meanJctOverFcfs),
      PAPER_ROUNDS[round] ?? '',
    ]
  })
  return [
    'In round r the predictor sees r − 1 other prompts to the same model and then the one that is answered, the last 512 tokens of all (B.4). No public conversations with lengths were at hand: these rounds have nothing to do with each other and lack the answers between them, and the predictor was trained on single prompts.',
    '',
    table(['round', 'pairs in the right order', 'default ageing', 'no ageing', 'paper'], rows),
  ].join('\n')
}

function choicePart(choice) {
  const patterns = groupsOf(choice, 'arrivals')
  const columns = patterns.flatMap((arrivals) => GATED.map((batching) => ({ arrivals, batching })))
  const rows = groupsOf(choice, 'bypass').map((bypass) => [
    bypass,
    ...columns.map(({ arrivals, batching }) => {
      const one = choice.find(
        (other) => other.bypass === bypass && other.arrivals === arrivals && other.batching === batching,
      )
      return `${percent(one.meanJctOverFcfs.mean)}, ${fixed(one.maxWaitOverFcfs.worst, 2)}×`
    }),
  ])
  return [
    'Mean JCT against FCFS and the longest wait of the worst run against FCFS’s, on other seeds and other rows: a fifth of the training prompts, held back from a predictor trained on the rest. The default is the largest bypass whose longest wait stays clear of 3× everywhere.',
    '',
    table(['bypass', ...columns.map(({ arrivals, batching }) => `${arrivals}, ${BATCHINGS[batching]}`)], rows),
  ].join('\n')
}
