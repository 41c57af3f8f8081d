// What a whole run comes to, in words and numbers.
import { showTable } from '../run/controllers.js'
import { create, element } from '../shell/dom.js'
import type { Comparison } from './comparison.js'
import type { Outcome } from './lane.js'
import type { PowerComparison } from './power.js'
import { POLICIES } from './show.js'

const COLUMNS: readonly (readonly [head: string, inSeconds: (outcome: Outcome) => number])[] = [
  ['mean wait', ({ meanWait }) => meanWait],
  ['mean completion', ({ meanCompletion }) => meanCompletion],
  ['p99 completion', ({ p99Completion }) => p99Completion],
  ['longest wait', ({ longestWait }) => longestWait],
  ['shorter half', ({ shorter }) => shorter],
  ['longer half', ({ longer }) => longer],
]

export function showOutcome({ lanes, origin }: Comparison): void {
  const outcomes = lanes.map(({ outcome }) => outcome)
  const [fcfs, predicted, known] = outcomes as [Outcome, Outcome, Outcome]
  const sooner = ({ meanCompletion }: Outcome): string => {
    const percent = 100 * (1 - meanCompletion / fcfs.meanCompletion)
    return `${Math.abs(percent).toFixed(0)} % ${percent >= 0 ? 'sooner' : 'later'}`
  }
  const longest = fcfs.longestWait > 0 ? (predicted.longestWait / fcfs.longestWait).toFixed(1) : '1.0'
  element('headline').replaceChildren(
    create('b', `Shortest first, answers finish ${sooner(predicted)} on average`),
    ` over the whole run, ${sooner(known)} with lengths known; the longest wait is ${longest} times that of first come, first served. Simulated.`,
    ...(origin === undefined ? [] : [create('br'), create('small', origin)]),
  )
  element('verdict').hidden = false
  showTable({
    heads: COLUMNS.map(([head]) => head),
    rows: outcomes.map((outcome, i) => ({
      controller: POLICIES[i]!,
      cells: COLUMNS.map(([, inSeconds]) => secondsText(inSeconds(outcome))),
    })),
  })
}

const secondsText = (seconds: number): string => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`

export function showSaving({ fixedWatts, scaledWatts, fixedAttained, scaledAttained }: PowerComparison): void {
  const percent = (share01: number): string => `${(100 * share01).toFixed(1)} %`
  element('saving').replaceChildren(
    create('b', `${scaledWatts.toFixed(0)} W in place of ${fixedWatts.toFixed(0)} W`),
    `, ${(fixedWatts / scaledWatts).toFixed(2)} times less: ${percent(scaledAttained)} of requests within their SLO, ${percent(fixedAttained)} with clocks at their maximum. Four simulated V100s, two minutes.`,
  )
}
