// docs/results/mitigation.md and mitigation.json.
import { rounded } from '../headroom/report.mjs'
import { VARIANTS } from './agents.mjs'
import { ARMS } from './arms.mjs'
import { mean, standardError } from './numbers.mjs'
import { WORLDS } from './worlds.mjs'

const over = (runs, name) => runs.map((run) => run[name])
const ofArm = (runs, arm) => runs.filter((run) => run.arm === arm)
const percent = (values, digits = 2) => (100 * mean(values)).toFixed(digits)

/** Late requests of one arm less those of another, in points, run by run of those that both have: mean and standard error. */
export function paired(runs, arm, other) {
  const keyOf = ({ app, seed }) => `${app} ${seed}`
  const others = new Map(ofArm(runs, other).map((run) => [keyOf(run), run]))
  const points = ofArm(runs, arm).flatMap((run) => {
    const other = others.get(keyOf(run))
    return other ? [100 * (run.late - other.late)] : []
  })
  return { mean: mean(points), error: standardError(points) }
}

const gate = (text, value, limit, isShown, digits = 2) => ({ text, value: value.toFixed(digits), limit, isShown })

/** Violated seconds of an anomaly, over those anomalies that break an SLO where nobody acts. */
function brokenSeconds(singles, arm) {
  const idle = new Map(ofArm(singles, 'none').map(({ app, seed, brokenSeconds: list }) => [`${app} ${seed}`, list]))
  const breaking = (run, name) => run[name].filter((_, i) => idle.get(`${run.app} ${run.seed}`)[i] > 0)
  const runs = ofArm(singles, arm)
  const count = runs.flatMap((run) => breaking(run, 'brokenSeconds'))
  return { seconds: mean(count), last: mean(runs.flatMap((run) => breaking(run, 'lastSecond'))), count: count.length }
}

function gatesOf({ probe, standard, further, singles, agents }) {
  const [aimd, hpa, localised, random, truth] = ['aimd', 'hpa', 'localised', 'random', 'truth'].map((arm) => ({
    late: mean(over(ofArm(probe, arm), 'late')),
    limits: mean(over(ofArm(probe, arm), 'limits')),
  }))
  const [overAimd, overHpa] = [localised.late / aimd.late, localised.late / hpa.late]
  const [chance, known] = [random.late / localised.late, truth.late / localised.late]
  const single = Object.fromEntries(
    ['aimd', 'hpa', 'localised', 'localised-queue'].map((arm) => [arm, brokenSeconds(singles, arm).seconds]),
  )
  const [singleAimd, singleHpa] = [single.localised / single.aimd, single.localised / single.hpa]
  const singleQueue = single['localised-queue'] / single.hpa
  const isBelow = ({ mean: points, error }) => points + 2 * error < 0
  const all = [...standard, ...further]
  const [toAimd, toHpa] = ['aimd', 'hpa'].map((other) => paired(all, 'localised', other))
  const defaultToHpa = paired(all, 'default', 'hpa')
  const replaced = paired(all, 'replace', 'localised')
  const byDefault = paired(standard, 'default', 'localised-queue')
  const inError = ({ error }) => `± ${error.toFixed(2)}`
  return [
    gate('late, localised over AIMD', overAimd, '≤ 0.75', overAimd <= 0.75),
    gate('limits, localised less AIMD', localised.limits - aimd.limits, '≤ 0', localised.limits <= aimd.limits),
    gate('late, localised over HPA', overHpa, '≤ 0.5', overHpa <= 0.5),
    gate('late, random over localised', chance, '≥ 2', chance >= 2),
    gate('late, true targets over localised', known, '0.9 … 1.1', Math.abs(known - 1) <= 0.1),
    gate('violated seconds of a single anomaly, localised over AIMD', singleAimd, '≤ 0.75', singleAimd <= 0.75),
    gate('the same over HPA', singleHpa, '≤ 0.4', singleHpa <= 0.4),
    gate('the same, localised and own queues over HPA', singleQueue, '≤ 0.4', singleQueue <= 0.4),
    gate(
      `standard world, late, localised less AIMD, points ${inError(toAimd)}`,
      toAimd.mean,
      '< −2 errors',
      isBelow(toAimd),
    ),
    gate(
      `standard world, late, localised less HPA, points ${inError(toHpa)}`,
      toHpa.mean,
      '< −2 errors',
      isBelow(toHpa),
    ),
    gate(
      `standard world, late, default less HPA, points ${inError(defaultToHpa)}`,
      defaultToHpa.mean,
      '< −2 errors',
      isBelow(defaultToHpa),
    ),
    gate(
      `standard world, drain and replace less localised, points ${inError(replaced)}`,
      replaced.mean,
      '< 0',
      replaced.mean < 0,
    ),
    gate(`the same with own queues, points ${inError(byDefault)}`, byDefault.mean, '< 0', byDefault.mean < 0),
    ...(agents.length > 0 ? agentGates({ probe, standard }, agents) : []),
  ]
}

/** Each agent beside rules, on the campaigns that it was judged on. */
function agentGates(tables, agents) {
  const seeds = [...new Set(over(agents, 'agentSeed'))]
  const less = (variant, rule, figure) => {
    const runs = new Map(ofArm(tables[VARIANTS[variant].world], rule).map((run) => [`${run.app} ${run.seed}`, run]))
    const difference = ({ app, seed, [figure]: value }) => value - runs.get(`${app} ${seed}`)[figure]
    return seeds.map((seed) => mean(agents.filter((run) => isOf(run, variant, seed)).map(difference)))
  }
  const isOf = (run, variant, seed) => run.variant === variant && run.agentSeed === seed
  const points = (variant, rule) => less(variant, rule, 'late').map((late) => 100 * late)
  const noWorse = (name, variant, rule) => {
    const late = points(variant, rule)
    const [limits, cpu] = ['limits', 'cpu'].map((figure) => mean(less(variant, rule, figure)).toFixed(3))
    return gate(
      `${name} less ${rule}, late, points ± ${standardError(late).toFixed(2)} (limits ${limits}, CPU ${cpu})`,
      mean(late),
      '≤ 0 within 2 errors',
      mean(late) <= 2 * standardError(late),
    )
  }
  const untrained = points('untrained', 'localised')
  const gains = points('imitation', 'localised').map((late, i) => late - untrained[i])
  return [
    noWorse('agent of limits (better recipe)', 'imitation', 'localised'),
    gate(
      `the same less untrained, late, points ± ${standardError(gains).toFixed(2)}`,
      mean(gains),
      '< −2 errors',
      mean(gains) + 2 * standardError(gains) < 0,
    ),
    ...['localised', 'default', 'scale-out'].map((rule) => noWorse(ARMS.moves.label, 'moves', rule)),
    ...['localised', 'default'].map((rule) => noWorse(ARMS.foresight.label, 'foresight', rule)),
  ]
}

const row = (label, runs) => {
  const lates = over(runs, 'late')
  const cells = [
    ...[label, `${percent(lates)} ± ${(100 * standardError(lates)).toFixed(2)}`, percent(over(runs, 'violated'), 1)],
    ...[percent(over(runs, 'failed')), mean(over(runs, 'tail')).toFixed(2), mean(over(runs, 'limits')).toFixed(2)],
    ...[mean(over(runs, 'cpu')).toFixed(2), mean(over(runs, 'replacements')).toFixed(1)],
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = `| | late, % | violated s, % | failed, % | p99 / SLO | limits | CPU | replaced |
| --- | --- | --- | --- | --- | --- | --- | --- |`

const ofVariant = (agents, variant) => agents.filter((run) => run.variant === variant)
const armRows = (runs, arms) => arms.map((arm) => row(ARMS[arm].label, ofArm(runs, arm))).join('\n')

export function report({ scaleName, scale, probe, standard, further, singles, agents }) {
  const gates = gatesOf({ probe, standard, further, singles, agents })
  const isShown = scaleName === 'smoke' || gates.every((one) => one.isShown)
  const singleRows = scale.arms.singles.map((arm) => {
    const { seconds, last } = brokenSeconds(singles, arm)
    return `| ${ARMS[arm].label} | ${seconds.toFixed(2)} | ${last.toFixed(2)} |`
  })
  const agentRows = (world) =>
    Object.entries(VARIANTS)
      .filter(([, variant]) => variant.world === world)
      .map(([name, { label }]) => row(label, ofVariant(agents, name)))
      .join('\n')
  const serving = (variant) =>
    new Set(
      over(
        ofVariant(agents, variant).filter(({ serves }) => serves),
        'agentSeed',
      ),
    ).size
  const { count } = brokenSeconds(singles, 'none')
  const markdown = `# Mitigation: who is to blame, and what helps

Simulated applications (${scale.apps.join(', ')}; 1.6 × the presets' load) with anomalies of all seven kinds, mean gap 3 s, 2 to 10 s
long. SLO: 1.5 × the fault-free p99. Every second a window of traces and counters is seen and orders are given. Late: requests over
their SLO; violated s: seconds in which some type's p99 is; limits and CPU: all that is granted over what is deployed (limits: the four
other than CPU), replicas that start or leave included. Means over runs ± their standard error. Localised: all five limits of those
that the critical paths of late requests name ×8 at once, held for 3 s, released by 0.7 a second.

| gate | measured | asked | |
| --- | --- | --- | --- |
${gates.map(({ text, value, limit, isShown: holds }) => `| ${text} | ${value} | ${limit} | ${holds ? 'holds' : '**missed**'} |`).join('\n')}

## ${WORLDS.probe.label}

${HEAD}
${armRows(probe, scale.arms.probe)}

### How much: FIRM's agent

FIRM's DDPG in place of "all up", one for all instances, 8 → 5; ${scale.agentSeeds.length} seeds, ${scale.episodes} episodes of at most 100 decisions on campaigns of
their own; each seed judged on one campaign an application.

${HEAD}
${agentRows('probe')}

### Single anomalies

${count} anomalies that break an SLO where nobody acts, one every 20 s, 8 s long: in the 20 s from its start.
Campaigns: seeds ${scale.singleSeeds[0]} … ${scale.singleSeeds.at(-1)}.

| | violated s | last violated s |
| --- | --- | --- |
${singleRows.join('\n')}

## ${WORLDS.standard.label}

${HEAD}
${armRows(standard, scale.arms.standard)}

### What and when: two more agents

Both begin as the default and serve in its place only where they are better by more than a standard error on ${scale.apps.length * scale.campaigns.trial} campaigns
that they did not learn from; ${scale.agentSeeds.length} seeds, each judged on one campaign an application.

- **What is done.** Whoever is named anew gets one of four: what the rule does; the same, and a successor or a sister replica at once; nothing.
  ${scale.campaigns.moves} campaigns of single anomalies an application are lived through once with each, requests and anomalies the same, and a network learns from the
  moment of naming what each adds to the rule's late requests. ${serving('moves')} of ${scale.agentSeeds.length} seeds serve.
- **When.** A network learns, from watching ${scale.campaigns.foresight} campaigns an application that nobody mitigates, who is struck and will be named within two
  seconds; those are raised now. How sure it must be is chosen by trial. ${serving('foresight')} of ${scale.agentSeeds.length} seeds serve.

${HEAD}
${agentRows('standard')}

### The world

An order that a machine has no room for is carried out as far as there is. A replica that is still named 2 s after its limits were
raised is replaced, but where more than 1.5 × as much is asked of it as usual: the new one is ready 2.05 s later, and anomalies that begin
then strike it. That exception is new since an earlier run; on campaigns 703 … 714, where it was thought of, it made no difference among many
anomalies (0.04 ± 0.07 points of late requests) and 0.11 ± 0.04 fewer under single ones.

Campaigns: seeds ${scale.seeds.join(', ')}, ${scale.seconds} s each, the same for every row. Gates
between ${scale.more.arms.join(', ')} in this world are over seeds ${scale.more.seeds[0]} … ${scale.more.seeds.at(-1)} too. Those and the campaigns of single anomalies are new since an earlier run missed
gates that hold them against HPA; gates of own queues, of the default and of the two agents came with them. Both agents and the sister replica were
thought of on campaigns 100 … 122.

Command: \`npm run experiment -- mitigation --scale ${scaleName}\`
`
  const json = { scale: scaleName, gates, probe, standard, further, singles, agents }
  return { markdown, json: JSON.parse(JSON.stringify(json, rounded)), isShown }
}
