// docs/results/mitigation-live.md and mitigation-live.json.
import { cpus } from 'node:os'
import { mean, rounded } from '../headroom/report.mjs'
import { ARMS } from './arms.mjs'
import { locate } from './localisation.mjs'

const percent = (part, digits = 1) => (100 * part).toFixed(digits)
const MOST_FLAGGED = 0.05 // seconds in which the load itself was late: beyond, figures are no verdict

const sum = (values) => values.reduce((total, value) => total + value, 0)
const standardError = (values) => {
  const average = mean(values)
  return Math.sqrt(sum(values.map((value) => (value - average) ** 2)) / (values.length - 1) / values.length)
}
const withError = (values, digits) =>
  `${mean(values).toFixed(digits)}${values.length > 1 ? ` ± ${standardError(values).toFixed(digits)}` : ''}`

/** Anomalies of a round that broke an SLO where nobody acted. */
export function breakingOf(blocks) {
  const idle = new Map(blocks.filter(({ arm }) => arm === 'none').map(({ round, anomalies }) => [round, anomalies]))
  return (round, i) => (idle.get(round)?.[i]?.brokenSeconds ?? 0) > 0
}

/** Late requests of an arm less those of another, round by round, in points. */
export function paired(blocks, arm, other) {
  const lates = (of) => new Map(blocks.filter((block) => block.arm === of).map(({ round, late }) => [round, late]))
  const others = lates(other)
  return [...lates(arm)].map(([round, late]) => 100 * (late - others.get(round)))
}

const countOf = (ticks, list, name) => sum(ticks.map((tick) => tick[list][name] ?? 0))

function armRow(arm, blocks, isBreaking) {
  const own = blocks.filter((block) => block.arm === arm)
  const of = (name) => own.map((block) => block[name])
  const after = (name) =>
    own.flatMap(({ round, anomalies }) => anomalies.filter((_, i) => isBreaking(round, i)).map((one) => one[name]))
  const ticks = own.flatMap((block) => block.ticks)
  const replaced = countOf(ticks, 'outcomes', 'replace, whole') / own.length
  const cells = [
    ARMS[arm].label,
    withError(
      of('late').map((part) => 100 * part),
      2,
    ),
    percent(mean(of('violated'))),
    percent(mean(of('failed')), 2),
    ...(after('lastSecond').length > 0
      ? [withError(after('brokenSeconds'), 1), withError(after('lastSecond'), 1)]
      : ['–', '–']),
    mean(ticks.map(({ cpu }) => cpu)).toFixed(2),
    replaced.toFixed(1),
  ]
  return `| ${cells.join(' | ')} |`
}

function kindRow(kind, blocks, isBreaking) {
  const found = blocks
    .flatMap((block) => locate(block).map((one, i) => ({ ...one, isBreaking: isBreaking(block.round, i) })))
    .filter((one) => one.kind === kind && one.isBreaking)
  const named = found.filter(({ isNamed }) => isNamed)
  const tally = new Map()
  for (const { resource = 'none' } of named) tally.set(resource, 1 + (tally.get(resource) ?? 0))
  const part = (is) => (named.length > 0 ? `${named.filter(is).length} of ${named.length}` : '–')
  const cells = [
    ...[kind, found.length, `${named.length}`],
    ...[part(({ isService }) => isService), part(({ isPlace }) => isPlace), part(({ isResource }) => isResource)],
    [...tally].map(([resource, count]) => `${resource} ${count}`).join(', ') || '–',
    named.length > 0 ? mean(named.map(({ afterSeconds }) => afterSeconds)).toFixed(1) : '–',
  ]
  return `| ${cells.join(' | ')} |`
}

function effectRow(kind, blocks) {
  const cells = Object.keys(ARMS).map((arm) => {
    const seconds = blocks
      .filter((block) => block.arm === arm)
      .flatMap(({ struck, anomalies }) => anomalies.filter((_, i) => struck[i].kind === kind))
      .map(({ brokenSeconds }) => brokenSeconds)
    return seconds.length > 0 ? withError(seconds, 1) : '–'
  })
  return `| ${kind} | ${cells.join(' | ')} |`
}

/** What the injector's sensors counted while a kind was there, in all blocks, by unit. */
function dose(kind, blocks) {
  const totals = {}
  for (const { seconds } of blocks.flatMap(({ truth }) => truth).filter((one) => one.kind === kind))
    for (const { measured } of seconds)
      for (const [name, value] of Object.entries(measured)) totals[name] = (totals[name] ?? 0) + value
  return Object.entries(totals)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`)
    .join(', ')
}

export function report({ scaleName, scale, machine, blocks }) {
  const { kinds, durationSeconds, gapSeconds, rounds } = scale
  const arms = Object.keys(ARMS)
  const isBreaking = breakingOf(blocks)
  const differences = arms.flatMap((arm) => {
    const points = arm === 'firm' ? [] : paired(blocks, 'firm', arm)
    return points.length > 0 ? [`${withError(points, 2)} against ${ARMS[arm].label}`] : []
  })
  const breaking = blocks
    .filter(({ arm }) => arm === 'none')
    .flatMap(({ round, struck }) => struck.filter((_, i) => isBreaking(round, i)))
  const harmless = kinds.filter((kind) => !breaking.some((one) => one.kind === kind))
  const flagged = mean(blocks.map((block) => block.flagged))
  const isBusy = flagged > MOST_FLAGGED
  const calm = mean(blocks.map(({ calmViolated }) => calmViolated))
  const seconds = blocks.length > 0 ? blocks[0].ticks.at(-1)?.atSecond : 0
  const slos = Object.entries(machine.slosMs).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
  const markdown = `# Mitigation on real processes

\`npm run experiment -- mitigation-live --scale ${scaleName}\`, ${cpus().length} CPUs (${cpus()[0]?.model ?? 'unknown'}). The ten services of \`examples/shop\`
are Node processes traced by OpenTelemetry's SDK, held by ${machine.limiter} (${machine.holds.join(', ')}; the network by the proxies between them); an
open-loop load of a process of its own sends 10 requests of each type a second, the same to every arm. In each of ${rounds} rounds every arm has a block of
${seconds?.toFixed(0)} s: ${kinds.length} anomalies one after the other, ${durationSeconds} s long with ${gapSeconds} s between them, the same for every arm of a round. SLO: twice the p99 of the
traces of a healthy run (${slos.join(', ')}). The loop and the policies are those of the simulator, windows of 2 s. Figures are of real time and differ
from run to run.

| | late, % | violated s, % | failed, % | violated s of an anomaly | last violated s | CPU granted | replaced a block |
| --- | --- | --- | --- | --- | --- | --- | --- |
${arms.map((arm) => armRow(arm, blocks, isBreaking)).join('\n')}

Means over blocks ± their standard error. Of an anomaly: of the ${breaking.length} that broke an SLO where nobody acted, in the ${durationSeconds + gapSeconds} s from its start.
Late requests of FIRM less those of others, points: ${differences.join('; ') || '–'}. Between anomalies ${percent(calm)} % of seconds broke an SLO all the same; in ${percent(flagged)} % of
seconds the load itself went out more than 15 ms late${isBusy ? ': **the machine was too busy, and these figures are no verdict**' : ''}.

## Who is named, against the injector's truth

In all arms, of the anomalies that broke an SLO where nobody acted: the first window that names anybody. Place: an edge for the network, else the service
itself. Resource: the limit that is reached, else the network where an edge is named, else what is most used.

| injected | broke an SLO | somebody named | the service | the place | the resource | resources named | after, s |
| --- | --- | --- | --- | --- | --- | --- | --- |
${kinds.map((kind) => kindRow(kind, blocks, isBreaking)).join('\n')}

## What helps against what

Violated seconds of an anomaly, whether or not it broke an SLO where nobody acted.

| injected | ${arms.map((arm) => ARMS[arm].label.split(':')[0]).join(' | ')} |
| --- | ${arms.map(() => '---').join(' | ')} |
${kinds.map((kind) => effectRow(kind, blocks)).join('\n')}

What the injector's own sensors counted, all blocks: ${kinds.map((kind) => `${kind} ${dose(kind, blocks) || 'nothing'}`).join('; ')}.

## What cannot be told apart

- Delay and bandwidth of a network: both are an edge that got slower. The link's own sensor tells them apart only once it is full.
- Queue in front of a service and its network: whoever waits for CPU accepts late, and spans count that as the way to it. So a full limit is asked first.
- More load and less CPU: both are a CPU limit that is reached.
- Cache and memory bandwidth: nobody counts them here (no resctrl), so that they look like CPU, or like nothing.${harmless.length > 0 ? `\n- ${harmless.join(', ')}: broke no SLO here, whatever was injected.` : ''}
- The front door's own queue: no span is open yet while requests wait there; nobody is injected there.
`
  const json = { scale: scaleName, machine, blocks: blocks.map((block) => ({ ...block, located: locate(block) })) }
  return { markdown, json: JSON.parse(JSON.stringify(json, rounded)), isShown: scaleName === 'smoke' || !isBusy }
}
