// What the peer says would be saved if the spans that failed had never happened.
import { PathFinder, traceFromSpans, whatIf } from '@trimtab/trace'
import { compare } from './compare.mjs'

/** The peer takes an overlap of this part of the parent for one after the other; fixtures put such siblings below the root. */
const PEER_TOLERANCE = 0.01

/** @param spans  as `Span` */
export function checkWhatIf({ whatIf: expected, root }, core, spans) {
  const trace = traceFromSpans(spans)
  const rootUs = spans.find(({ id }) => id === root)?.durationUs ?? 0
  const finder = new PathFinder(core, { root: root ?? undefined, overlapTolerance: PEER_TOLERANCE * rootUs })
  const path = finder.find(trace)
  finder.dispose()
  const answer = whatIf([path], { isError: true, isRemoved: true })
  // The peer's work: durations of all spans that are left of the trace, nested time counted again.
  const windows = Array.from(path.windowEndNs, (end, row) => (end - path.windowStartNs[row]) / 1000 || 0)
  const failed = windows.filter((_, row) => spans.find(({ id }) => id === trace.spanId(row)).isError)
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
  const got = { totalWork: sum(windows), timeSavedOnWork: sum(failed), timeSavedOnCP: answer.savedNs / 1000 }
  return compare(got, expected, undefined, 'whatIf')
}
