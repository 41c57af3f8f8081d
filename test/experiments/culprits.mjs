// Who did it? Real incidents of two systems, each judged by weights that were fitted on the other one (dissertation 3.2.3).
import {
  createTraceCore,
  EQUAL_WEIGHTS,
  EVIDENCE,
  fitCulpritModel,
  ownerName,
  scoreGuessing,
  scoreRankings,
} from '@trimtab/trace'
import { hasIncidents, readIncidents, SYSTEMS } from './nezha.mjs'

export const SCALES = { smoke: {}, gate: {}, paper: {} } // all the data there is takes seconds

const percent = (share) => `${(100 * share).toFixed(1)} %`

/** The culprits of an incident, worst first by a model's weights; equals by name. */
function culpritsBy({ weights }, { culprits }) {
  const scoreOf = ({ evidence }) => EVIDENCE.reduce((sum, name) => sum + weights[name] * evidence[name], 0)
  return culprits
    .map((culprit) => ({ culprit, score: scoreOf(culprit) }))
    .sort((a, b) => b.score - a.score || (a.culprit.service < b.culprit.service ? -1 : 1))
    .map(({ culprit }) => culprit)
}

const rankBy = (model, incident) => culpritsBy(model, incident).map(({ service }) => service)

/** method → how well it does on these incidents. */
function judge(incidents, model) {
  const by = (rank) => incidents.map((incident) => ({ ranking: rank(incident), culprit: incident.service }))
  return {
    'culprit ranking': scoreRankings(by((incident) => rankBy(model, incident))),
    'equal weights of the same evidence': scoreRankings(by((incident) => rankBy(EQUAL_WEIGHTS, incident))),
    'largest self time': scoreRankings(by(({ baselines }) => baselines.selfTime)),
    'largest growth of p99': scoreRankings(by(({ baselines }) => baselines.p99Growth)),
    'largest variance': scoreRankings(by(({ baselines }) => baselines.variance)),
    'critical components (Alg. 3.2, no reference)': scoreRankings(by(({ components }) => components())),
    guessing: scoreGuessing(by(({ baselines }) => baselines.selfTime)),
  }
}

const OTHERS = ['largest self time', 'largest growth of p99', 'largest variance', 'guessing']
const MEASURES = ['top1', 'top3', 'meanReciprocalRank']

function byFault(incidents, model) {
  const types = [...new Set(incidents.map(({ type }) => type))].sort()
  return types.map((type) => {
    const chosen = incidents.filter((incident) => incident.type === type)
    const scores = scoreRankings(chosen.map((one) => ({ ranking: rankBy(model, one), culprit: one.service })))
    return `| ${type} | ${scores.incidents} | ${percent(scores.top1)} | ${percent(scores.top3)} |`
  })
}

const COSTS_TIME = /^(network_delay|cpu_)/
const STANDS_OUT = Math.log(1 + 3) // as the command: three times what comparisons within the reference show by chance
const SURE = 2 // standard errors, of the mean or of the rank test

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/**
 * What the fix of the culprit named first gains, "as in the baseline", of the latency that an incident added; 0 where nothing
 * stands out. Of faults that cost time.
 */
function gainsOf(system, incidents, model) {
  return incidents
    .filter(({ type }) => COSTS_TIME.test(type))
    .map((incident) => {
      const [first] = culpritsBy(model, incident)
      const isNamed = first && Object.values(first.evidence).some((value) => value >= STANDS_OUT)
      const { deltaNs, z, rankZ } = incident.latency
      return {
        system,
        id: incident.id,
        fault: incident.type,
        culprit: incident.service,
        named: isNamed ? first.service : undefined,
        slowest: isNamed && first.slower[0] ? ownerName(first.slower[0].owner) : undefined,
        addedMs: deltaNs / 1e6,
        isSlower: deltaNs > 0 && Math.max(z, rankZ) > SURE,
        gain: isNamed && deltaNs > 0 ? incident.savedNs(first) / deltaNs : 0,
      }
    })
}

function gainTable(gains) {
  const line = ({ id, fault, culprit, named, slowest, addedMs, gain }, isShare) =>
    `| ${id} | ${fault} | ${culprit} | ${named ?? 'nothing'} | ${slowest ?? ''} | ${addedMs.toFixed(1)} | ${isShare ? percent(gain) : ''} |`
  const head = [
    '| incident | fault | true culprit | named first | most of it | added, ms a request | gained of it |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
  const [slower, others] = [true, false].map((isSlower) => gains.filter((one) => one.isSlower === isSlower))
  return [
    '## What the fix gains: what is named first, as in the baseline',
    '',
    'Faults that cost time (network delay, CPU). All that got slower of the service named first, its work and the ways to it and from it,',
    'replayed at the quantiles of the fault-free traces; gained: the saved part of the latency that the incident added (means, endpoints',
    `in the same proportions). Nothing named counts 0. Median of the ${slower.length} that got slower beyond chance (mean or rank test, ${SURE} standard`,
    `errors): **${percent(median(slower.map(({ gain }) => gain)))}**; ${Object.keys(SYSTEMS)
      .map((name) => {
        const own = slower.filter(({ system }) => system === name)
        return `${name} ${percent(median(own.map(({ gain }) => gain)))} of ${own.length}`
      })
      .join(', ')}.`,
    '',
    ...head,
    ...slower.map((one) => line(one, true)),
    '',
    `Without added latency beyond chance (${others.length}), where a part of it means nothing:`,
    '',
    ...head,
    ...others.map((one) => line(one, false)),
    '',
    'On Train-Ticket nothing is gained although the right service is named: its gateway writes the span of the filter and that of the call',
    'it makes as siblings, the one around the other. By the times alone they run side by side, and a request waits for the one that ends last.',
    '',
  ]
}

export async function run(_scale, progress) {
  if (!hasIncidents())
    return { markdown: '# Culprits\n\nNot measured: the data is absent.\n', json: {}, isShown: false }
  const core = await createTraceCore()
  const names = Object.keys(SYSTEMS)
  const incidents = {}
  for (const name of names) {
    progress(`reading ${name}`)
    incidents[name] = await readIncidents(name, core)
  }
  const models = Object.fromEntries(
    names.map((name) => [
      name,
      fitCulpritModel(
        core,
        incidents[name].map(({ example }) => example),
        { fittedOn: name },
      ),
    ]),
  )
  const otherOf = (name) => names.find((other) => other !== name)
  const scores = Object.fromEntries(names.map((name) => [name, judge(incidents[name], models[otherOf(name)])]))
  const isShown = names.every((name) =>
    OTHERS.every((other) =>
      MEASURES.every((measure) => scores[name]['culprit ranking'][measure] > scores[name][other][measure]),
    ),
  )
  progress('replaying fixes')
  const gains = names.flatMap((name) => gainsOf(name, incidents[name], models[otherOf(name)]))
  const sections = names.flatMap((name) => [
    `## ${name}: ${incidents[name].length} incidents, weights fitted on ${otherOf(name)}`,
    '',
    '| method | culprit first | in the first three | mean 1/rank |',
    '| --- | --- | --- | --- |',
    ...Object.entries(scores[name]).map(
      ([method, { top1, top3, meanReciprocalRank }]) =>
        `| ${method} | ${percent(top1)} | ${percent(top3)} | ${meanReciprocalRank.toFixed(3)} |`,
    ),
    '',
    `By kind of fault (culprit ranking):`,
    '',
    '| fault | incidents | first | in the first three |',
    '| --- | --- | --- | --- |',
    ...byFault(incidents[name], models[otherOf(name)]),
    '',
    `Weights used: ${EVIDENCE.map((kind) => `${kind} ${models[otherOf(name)].weights[kind].toFixed(2)}`).join(', ')}.`,
    '',
  ])
  const markdown = [
    '# Who did it? Real incidents, known culprits',
    '',
    'Faults injected into two real systems (Nezha, MIT), 24 traces of the minutes after each injection, compared with the fault-free',
    'traces of the same system (of the same day where there are any). Spans only: no logs, no metrics. Run by `npm run experiment -- culprits`;',
    'the same by hand: `trimtab trace culprits SPANS --labels FAULTS --save-model FILE` on one system, `--model FILE` on the other.',
    '',
    ...sections,
    ...gainTable(gains),
    '## What to make of it',
    '',
    '- Faults that cost time (network delay, CPU) are found on both systems. An injected `return` or `exception` mostly leaves no mark in',
    '  spans: on Train-Ticket twenty of 36 incidents are of that kind, and there the ranking is little better than a guess.',
    '- The form of the evidence (the way between two services counts against the callee, everything in units of what a healthy system shows',
    '  by chance) was chosen while looking at both systems; only the weights are free of the system that they are judged on.',
    '- Algorithm 3.2 judges a window by itself. With 24 traces p99 is the maximum, so its figures here say little about it.',
    '',
  ].join('\n')
  const json = {
    scores,
    gains,
    weights: Object.fromEntries(names.map((name) => [name, models[name].weights])),
    incidents: Object.fromEntries(
      names.map((name) => [
        name,
        incidents[name].map((incident) => ({
          id: incident.id,
          culprit: incident.service,
          fault: incident.type,
          rank: rankBy(models[otherOf(name)], incident).indexOf(incident.service) + 1 || null,
        })),
      ]),
    ),
  }
  return { markdown, json, isShown }
}
