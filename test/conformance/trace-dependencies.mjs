// Handlers for the vectors of dependencies between calls, over one trace or many (critical-path/README.md beside them).
import { PathFinder, traceFromSpans, Workflow } from '@trimtab/trace'
import { compare } from './compare.mjs'
import { toSpan } from './spans.mjs'

/** The peer forgives an overlap of this part of the parent, unless the vector says otherwise. */
const PEER_TOLERANCE = 0.01

const frameText = ({ service, operation }) => `[${service}] ${operation}`
const pathText = (frames) => frames.map(frameText).join('->')

/** The traces of a vector: `traces` holds them, or the spans of one. */
function workflowOf(traces, overlapTolerance, core) {
  const workflow = new Workflow()
  for (const spans of traces) {
    const trace = traceFromSpans(spans.map(toSpan))
    const durationUs = (trace.endNs[trace.root] - trace.startNs[trace.root]) / 1000
    const finder = new PathFinder(core, { overlapTolerance: overlapTolerance * durationUs })
    workflow.add(finder.find(trace))
    finder.dispose()
  }
  return workflow
}

/** What the peer's sets say, out of our counts: one counter-example is enough for it. */
function peerSets(workflow) {
  const before = new Map()
  const waited = new Map()
  const aside = new Map()
  const addTo = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value])
  const parents = new Map()
  for (const { frames, parents: times, outlived } of workflow.edges()) {
    const child = pathText(frames)
    parents.set(child, times)
    addTo(outlived > 0 ? aside : waited, pathText(frames.slice(0, -1)), child)
  }
  for (const { parent, first, second, ordered, violated } of workflow.pairs()) {
    const from = pathText([...parent, first])
    const to = pathText([...parent, second])
    // A call path before itself: the peer counts a parent that called it only once as a counter-example.
    const isContradicted = from === to ? ordered < parents.get(to) : violated > 0
    if (!isContradicted) addTo(before, to, from)
  }
  return { before, waited, aside }
}

function checkDependencies(vector, _file, { traceCore: core }) {
  const traces = Array.isArray(vector.traces[0]) ? vector.traces : [vector.traces]
  const expectedBefore = { ...vector.expectedHappensBefore, ...vector.oursHappensBefore }
  return [traces, traces.toReversed()].flatMap((order, i) => {
    const { before, waited, aside } = peerSets(workflowOf(order, vector.overlapTolerance ?? PEER_TOLERANCE, core))
    const wrong = []
    const expectSets = (at, got, expected) => {
      for (const [node, members] of Object.entries(expected ?? {})) {
        wrong.push(
          ...compare((got.get(node) ?? []).toSorted(), members.toSorted(), undefined, `${at}.${node} (order ${i})`),
        )
      }
    }
    expectSets('expectedHappensBefore', before, expectedBefore)
    expectSets('asyncChildren', aside, vector.asyncChildren)
    // The peer leaves a child that ends with its parent in neither set; here it is waited for.
    const inNeither = new Map(
      Array.from(waited, ([node, children]) => [node, children.filter((child) => !endsWithParent(traces, child))]),
    )
    expectSets('waitsFor', inNeither, vector.waitsFor)
    return wrong
  })
}

/** Whether the last frame of a call path ends exactly with its parent wherever it occurs. */
function endsWithParent(traces, path) {
  const calls = traces.flatMap((spans) => {
    const byId = new Map(spans.map((span) => [span.id, span]))
    const textOf = (span) => (span ? `${textOf(byId.get(span.parentId))}->${frameText(span)}` : '')
    const ends = ({ startUs, durationUs }) => startUs + durationUs
    return spans
      .filter((span) => textOf(span) === `->${path}`)
      .map((span) => ends(span) === ends(byId.get(span.parentId)))
  })
  return calls.every(Boolean)
}

export const handlers = { 'trace/dependencies': checkDependencies }
