// Handlers for the vectors of critical paths, clock skew and clamping (critical-path/README.md beside the vectors).
import { correctClockSkew, dragAndSlack, PathFinder, rowsOnPath, traceFromSpans } from '@trimtab/trace'
import { compare } from './compare.mjs'
import { toSpan } from './spans.mjs'
import { checkWhatIf } from './what-if.mjs'

const originUs = (trace) => Number(trace.originUnixNs) / 1000
const sameSet = (a, b) => a.toSorted().join() === b.toSorted().join()

/** Orders in which the same spans must give the same answer. */
function ordersOf(spans) {
  const third = Math.ceil(spans.length / 3)
  const byId = spans.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [spans.toReversed(), byId, byId.toReversed(), [...spans.slice(third), ...spans.slice(0, third)]]
}

/** The sections of a path as the vectors write them, latest first. */
function sectionsOf(path) {
  const origin = originUs(path.trace)
  return Array.from(path.row, (row, i) => ({
    spanId: path.trace.spanId(row),
    startUs: origin + path.startNs[i] / 1000,
    endUs: origin + path.endNs[i] / 1000,
  })).toReversed()
}

/** A map from ids to the numbers of a column, µs. */
const byId = (trace, column, rows) =>
  Object.fromEntries(Array.from(rows, (row) => [trace.spanId(row), column[row] / 1000]))

function find(core, spans, options) {
  const finder = new PathFinder(core, options)
  const path = finder.find(traceFromSpans(spans))
  finder.dispose()
  return path
}

function checkTiling(path, at) {
  const wrong = []
  let cursor = path.trace.startNs[path.root]
  for (let i = 0; i < path.size; i++) {
    if (path.startNs[i] !== cursor || !(path.endNs[i] > cursor)) {
      wrong.push({
        at: `${at}[${i}]`,
        expected: `from ${cursor} ns on`,
        got: `${path.startNs[i]} … ${path.endNs[i]} ns`,
      })
    }
    cursor = path.endNs[i]
  }
  const end = path.trace.startNs[path.root] + path.latencyNs
  return cursor === end ? wrong : [...wrong, { at, expected: `up to ${end} ns`, got: `up to ${cursor} ns` }]
}

const MODES = ['blocking', 'to-trace-end', 'firm']

/** Tiling in every mode that tiles, and the same answer for every order of the spans. */
function checkProperties(core, spans, root) {
  return MODES.flatMap((mode) => {
    const path = find(core, spans, { mode, root })
    const sections = sectionsOf(path)
    return [
      ...(mode === 'firm' ? [] : checkTiling(path, `tiling (${mode})`)),
      ...ordersOf(spans).flatMap((order, i) =>
        compare(sectionsOf(find(core, order, { mode, root })), sections, undefined, `order ${i} (${mode})`),
      ),
    ]
  })
}

/** On-path self time of each span on the path, µs, by a key. */
function selfTimes(path, keyOf) {
  const times = {}
  for (const row of rowsOnPath(path)) {
    const key = keyOf(path.trace, row)
    times[key] = (times[key] ?? 0) + path.selfNs[row] / 1000
  }
  return times
}

const operationOf = ({ names, service, operation }, row) =>
  `[${names.text(service[row])}] ${names.text(operation[row])}`

/** What the peer asserts about the same spans. */
function checkPeer(vector, core, spans, path) {
  const { trace } = path
  const wrong = []
  const expect = (at, got, expected) => {
    if (expected !== undefined && expected !== null) wrong.push(...compare(got, expected, undefined, at))
  }
  expect('expected', sectionsOf(path), vector.expected)
  if (vector.expectedNodes) {
    const followed = find(core, spans, { mode: vector.mode ?? 'blocking', root: vector.root })
    const walk = Array.from(rowsOnPath(followed))
    // Some peers list spans as the walk meets them, latest first; others from start to end.
    const forwards = walk.toSorted((a, b) => trace.startNs[a] - trace.startNs[b] || walk.indexOf(a) - walk.indexOf(b))
    const ids = (vector.expectedFrom?.includes('start to end') ? forwards : walk).map((row) => trace.spanId(row))
    expect('expectedNodes', ids, vector.expectedNodes)
  }
  const self = selfTimes(path, (_, row) => trace.spanId(row))
  const byOperation = selfTimes(path, operationOf)
  for (const [at, got, expected] of [
    ['expectedExclusiveUs', self, vector.expectedExclusiveUs],
    ['expectedExclusiveByOperation', byOperation, vector.expectedExclusiveByOperation],
  ]) {
    expect(at, got, expected)
    if (expected && !sameSet(Object.keys(expected), Object.keys(got))) {
      wrong.push({ at, expected: Object.keys(expected), got: Object.keys(got) })
    }
  }
  const { dragNs, exclusiveDragNs, slackNs } = dragAndSlack(path)
  expect('drag.inclusive', byId(trace, dragNs, rowsOnPath(path)), vector.drag?.inclusive)
  expect('drag.exclusive', byId(trace, exclusiveDragNs, rowsOnPath(path)), vector.drag?.exclusive)
  expect('slack', byId(trace, slackNs, trace.parent.keys()), vector.slack)
  return wrong
}

function checkCriticalPath(vector, _file, { traceCore: core }) {
  const spans = vector.spans.map(toSpan)
  const root = vector.root ?? undefined
  const path = find(core, spans, { root })
  const wrong = checkProperties(core, spans, root)
  if (vector.ourExpectation) {
    const { expected, diagnostics } = vector.ourExpectation
    if (expected) wrong.push(...compare(sectionsOf(path), expected, undefined, 'ourExpectation.expected'))
    const codes = [path.trace.repairs, path.repairs].flatMap((repairs) => repairs.list().map(({ code }) => code))
    for (const diagnostic of diagnostics ?? []) {
      if (!codes.includes(diagnostic.replaceAll('-', '_'))) {
        wrong.push({ at: 'ourExpectation.diagnostics', expected: diagnostic, got: codes })
      }
    }
    return wrong
  }
  if (vector.referenceSections) {
    wrong.push(...compare(sectionsOf(path), vector.referenceSections, undefined, 'referenceSections'))
  }
  if (vector.referenceAgreesWithPeer !== false) wrong.push(...checkPeer(vector, core, spans, path))
  if (vector.whatIf) wrong.push(...checkWhatIf(vector, core, spans))
  if (vector.firm?.path && root !== undefined) {
    const firm = find(core, spans, { mode: 'firm', root })
    const ids = Array.from(firm.row, (row) => firm.trace.spanId(row))
    wrong.push(...compare(ids, vector.firm.path, undefined, 'firm.path'))
  }
  return wrong
}

/** Warnings of the peer and what says the same here. */
const WARNINGS = {
  'missing-parent': 'missing_parent',
  'duplicate-span-id': 'duplicate_span',
  disabled: 'skew_unresolved',
  'max-delta-exceeded': 'skew_unresolved',
}

function checkClockSkew(vector) {
  const trace = traceFromSpans(vector.spans.map(toSpan))
  const corrected = correctClockSkew(trace, { maxDeltaUs: vector.maxDeltaUs ?? 0 })
  const origin = originUs(corrected)
  const places = new Map(
    Array.from(corrected.parent.keys(), (row) => [
      corrected.spanId(row),
      { startUs: origin + corrected.startNs[row] / 1000, endUs: origin + corrected.endNs[row] / 1000 },
    ]),
  )
  const got = vector.expected.map(({ spanId }) => ({ spanId, ...places.get(spanId) }))
  const wrong = compare(got, vector.expected)
  const code = WARNINGS[vector.expectedWarning?.split(':')[0]]
  if (code && corrected.repairs.count(code) === 0) {
    wrong.push({ at: 'expectedWarning', expected: code, got: corrected.repairs.list().map((repair) => repair.code) })
  }
  return wrong
}

function checkSanitize(vector, _file, { traceCore: core }) {
  const spans = vector.spans.map(toSpan)
  return [spans, ...ordersOf(spans)].flatMap((order, i) => {
    const { trace, windowStartNs, windowEndNs } = find(core, order, { root: vector.root ?? undefined })
    const origin = originUs(trace)
    const windows = Array.from(trace.parent.keys())
      .filter((row) => windowEndNs[row] >= windowStartNs[row])
      .map((row) => ({
        spanId: trace.spanId(row),
        startUs: origin + windowStartNs[row] / 1000,
        endUs: origin + windowEndNs[row] / 1000,
      }))
      .toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
    const expected = vector.expectedWindows.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1))
    return compare(windows, expected, undefined, `expectedWindows (order ${i})`)
  })
}

export const handlers = {
  'trace/critical-path': checkCriticalPath,
  'trace/clock-skew': checkClockSkew,
  'trace/sanitize': checkSanitize,
}
