// What the fix of the culprit named first gains, of the latency that an incident added.
import { ownerName } from '@trimtab/trace'

const COSTS_TIME = /^(network_delay|cpu_)/
const STANDS_OUT = 3 // as the command: times what comparisons within the reference show by chance
const SURE = 2 // standard errors, of the mean or of the rank test

const percent = (share) => `${(100 * share).toFixed(1)} %`
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Of faults that cost time: what "as in the baseline" gains, 0 where nothing stands out. */
export function gainsOf(system, incidents) {
  return incidents
    .filter(({ type }) => COSTS_TIME.test(type))
    .map((incident) => {
      const [first] = incident.culprits
      const isNamed = Object.values(first.evidence).some((value) => value >= STANDS_OUT)
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

export function gainTable(gains) {
  const line = ({ id, fault, culprit, named, slowest, addedMs, gain }, isShare) =>
    `| ${id} | ${fault} | ${culprit} | ${named ?? 'nothing'} | ${slowest ?? ''} | ${addedMs.toFixed(1)} | ${isShare ? percent(gain) : ''} |`
  const head = [
    '| incident | fault | true culprit | named first | most of it | added, ms a request | gained of it |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
  const [slower, others] = [true, false].map((isSlower) => gains.filter((one) => one.isSlower === isSlower))
  const systems = [...new Set(gains.map(({ system }) => system))]
  return [
    '## What the fix gains: what is named first, as in the baseline',
    '',
    'Faults that cost time (network delay, CPU). All that got slower of the service named first, its work and the ways to it and from it,',
    'replayed at the quantiles of the fault-free traces; gained: the saved part of the latency that the incident added (means, endpoints',
    `in the same proportions). Nothing named counts 0. Median of the ${slower.length} that got slower beyond chance (mean or rank test, ${SURE} standard`,
    `errors): **${percent(median(slower.map(({ gain }) => gain)))}**; ${systems
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
