// Which spans of a request are shown, in which order, and how the critical path runs through them.
import { type CriticalPath, ERROR } from '@trimtab/trace'
import type { WaterfallRow, WaterfallRows, WaterfallView } from './report/types.js'

interface Choice {
  /** Most rows; the rest is folded into the row below its nearest shown caller. */
  readonly maxRows: number
  /** Of those, how many may go to spans that own time on the path, with their callers. */
  readonly maxOnPath: number
  /** Least part of the latency that a span must own, or (ten times as much) last, to be worth a row. */
  readonly least01: number
}

/** What fits on a screen or two. */
const COMPACT: Choice = { maxRows: 40, maxOnPath: 32, least01: 0.002 }
const FULL: Choice = { maxRows: 250, maxOnPath: 170, least01: 0 }
/** Pieces of the path shorter than this part of the latency join the piece before. */
const SHORTEST_PIECE01 = 1 / 2000
/** How far beyond the request the time axis may reach for what runs on in the background. */
const OVERHANG01 = 0.2

/** @param role  why this request is shown: `slowest`, `median`, … */
export function waterfallOf(path: CriticalPath, role: string): WaterfallView {
  const { trace, latencyNs } = path
  const head = { traceId: trace.traceId, role, latencyUs: latencyNs / 1e3, spans: trace.size }
  const full = rowsOf(path, trace.size <= FULL.maxRows ? undefined : chooseRows(path, FULL))
  if (full.rows.length <= COMPACT.maxRows) return { ...head, ...full }
  return { ...head, ...rowsOf(path, chooseRows(path, COMPACT)), full }
}

/** @param shown  [N] 1 for the spans that get a row; without it all do */
function rowsOf(path: CriticalPath, shown: Uint8Array | undefined): WaterfallRows {
  const { trace, root, latencyNs } = path
  const tree = childrenOf(trace.parent, trace.startNs)
  const folds = shown && foldsBelow(path, shown, tree.order)
  const originNs = trace.startNs[root]!
  const us = (ns: number) => (ns - originNs) / 1e3
  const rows: WaterfallRow[] = []
  const placeOf = new Int32Array(trace.size) // [N] index into rows
  const foldPlaceOf = new Map<number, number>()

  // Depth first, callees in order of their start; a fold comes after all other callees.
  const open: { readonly row: number; readonly depth: number; readonly isFold: boolean }[] = []
  const push = (caller: number, depth: number) => {
    if (folds?.has(caller)) open.push({ row: caller, depth, isFold: true })
    const callees = shown ? shownBelow(tree, shown, caller) : tree.list(caller)
    for (let i = callees.length - 1; i >= 0; i--) open.push({ row: callees[i]!, depth, isFold: false })
  }
  if (root === trace.root) push(-1, 0)
  else open.push({ row: root, depth: 0, isFold: false })
  while (open.length > 0) {
    const { row, depth, isFold } = open.pop()!
    if (isFold) {
      const { startNs, endNs, selfNs, spans } = folds!.get(row)!
      foldPlaceOf.set(row, rows.length)
      const plain = { service: '', operation: '', isError: false, isBackground: false }
      const times = { startUs: us(startNs), endUs: us(endNs), selfUs: selfNs / 1e3 }
      rows.push({ depth, kind: 'folded', ...plain, ...times, spans })
      continue
    }
    placeOf[row] = rows.length
    rows.push({
      depth,
      kind: 'span',
      service: trace.names.text(trace.service[row]!),
      operation: trace.names.text(trace.operation[row]!),
      startUs: us(trace.startNs[row]!),
      endUs: us(trace.endNs[row]!),
      selfUs: path.selfNs[row]! / 1e3,
      isError: (trace.flags[row]! & ERROR) !== 0,
      isBackground: path.background[row] === 1,
      spans: 1,
    })
    push(row, depth + 1)
  }

  const callerOf = shown && nearestShown(trace.parent, shown, tree.order)
  const place = (row: number) => (!shown || shown[row] === 1 ? placeOf[row]! : (foldPlaceOf.get(callerOf![row]!) ?? 0))
  const pieces = piecesOf(path, place, us)
  const latencyUs = latencyNs / 1e3
  const endsUs = Math.max(latencyUs, pieces.at(-1)?.[2] ?? 0)
  const ends = rows.map(({ endUs }) => endUs)
  const starts = rows.map(({ startUs }) => startUs)
  return {
    fromUs: Math.max(Math.min(0, ...starts), -OVERHANG01 * endsUs),
    toUs: Math.min(Math.max(endsUs, ...ends), endsUs * (1 + OVERHANG01)),
    rows,
    path: pieces,
  }
}

interface Children {
  /** Rows, callers before callees. */
  readonly order: Int32Array
  /** The callees of a row by start, longest first among equals; those without a caller for −1. */
  list(row: number): Int32Array
}

function childrenOf(parent: Int32Array, startNs: Float64Array): Children {
  const n = parent.length
  const from = new Int32Array(n + 2) // the first entry: roots
  for (const caller of parent) from[caller + 2]!++
  for (let i = 1; i < n + 2; i++) from[i]! += from[i - 1]!
  const next = from.slice()
  const all = new Int32Array(n)
  for (let row = 0; row < n; row++) all[next[parent[row]! + 1]!++] = row
  const list = (row: number) => all.subarray(from[row + 1]!, from[row + 2]!)
  for (let row = -1; row < n; row++) {
    const callees = list(row)
    if (callees.length > 1) callees.sort((a, b) => startNs[a]! - startNs[b]! || a - b)
  }
  const order = new Int32Array(n)
  let filled = 0
  for (const root of list(-1)) order[filled++] = root
  for (let i = 0; i < filled; i++) for (const callee of list(order[i]!)) order[filled++] = callee
  return { order, list }
}

/** [N] 1 for the spans that matter most: owners of the path, their callers, then whatever lasts longest. */
function chooseRows({ trace, root, selfNs, latencyNs }: CriticalPath, choice: Choice): Uint8Array {
  const { size, parent, startNs, endNs } = trace
  const shown = new Uint8Array(size)
  const rows = Array.from({ length: size }, (_, row) => row)
  const leastNs = latencyNs * choice.least01
  let count = 1
  shown[root] = 1
  const byOwn = rows.filter((row) => selfNs[row]! > leastNs).sort((a, b) => selfNs[b]! - selfNs[a]! || a - b)
  for (const owner of byOwn) {
    if (count >= choice.maxOnPath) break
    for (let row = owner; row >= 0 && shown[row] === 0 && count < choice.maxOnPath; row = parent[row]!) {
      shown[row] = 1
      count++
    }
  }
  const length = (row: number) => endNs[row]! - startNs[row]!
  const byLength = rows.filter((row) => length(row) >= 10 * leastNs).sort((a, b) => length(b) - length(a) || a - b)
  for (const row of byLength) {
    if (count >= choice.maxRows) break
    if (shown[row] === 1) continue
    shown[row] = 1
    count++
  }
  return shown
}

/** [N] the nearest shown caller, −1 when there is none. */
function nearestShown(parent: Int32Array, shown: Uint8Array, order: Int32Array): Int32Array {
  const nearest = new Int32Array(parent.length)
  for (const row of order) {
    const caller = parent[row]!
    nearest[row] = caller < 0 || shown[caller] === 1 ? caller : nearest[caller]!
  }
  return nearest
}

interface Fold {
  startNs: number
  endNs: number
  selfNs: number
  spans: number
}

/** What is hidden, by the nearest shown caller. */
function foldsBelow({ trace, selfNs }: CriticalPath, shown: Uint8Array, order: Int32Array): Map<number, Fold> {
  const nearest = nearestShown(trace.parent, shown, order)
  const folds = new Map<number, Fold>()
  for (const row of order) {
    if (shown[row] === 1) continue
    const caller = nearest[row]!
    const fold = folds.get(caller) ?? { startNs: Number.POSITIVE_INFINITY, endNs: 0, selfNs: 0, spans: 0 }
    fold.startNs = Math.min(fold.startNs, trace.startNs[row]!)
    fold.endNs = Math.max(fold.endNs, trace.endNs[row]!)
    fold.selfNs += selfNs[row]!
    fold.spans++
    folds.set(caller, fold)
  }
  return folds
}

/** The shown spans below `caller` with nothing shown in between, by start. */
function shownBelow(tree: Children, shown: Uint8Array, caller: number): number[] {
  const found: number[] = []
  const open = [...tree.list(caller)].reverse()
  while (open.length > 0) {
    const row = open.pop()!
    if (shown[row] === 1) found.push(row)
    else for (const callee of [...tree.list(row)].reverse()) open.push(callee)
  }
  return found
}

function piecesOf(
  path: CriticalPath,
  place: (row: number) => number,
  us: (ns: number) => number,
): [row: number, fromUs: number, toUs: number][] {
  const pieces: [number, number, number][] = []
  const shortest = (path.latencyNs / 1e3) * SHORTEST_PIECE01
  for (let i = 0; i < path.size; i++) {
    const row = place(path.row[i]!)
    const [from, to] = [us(path.startNs[i]!), us(path.endNs[i]!)]
    const last = pieces.at(-1)
    const joins = last !== undefined && from <= last[2] + 1e-3 && (last[0] === row || to - from < shortest)
    if (joins) last[2] = Math.max(last[2], to)
    else pieces.push([row, from, to])
  }
  return pieces
}
