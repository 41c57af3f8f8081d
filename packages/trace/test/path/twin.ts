// The critical path as one would explain it: objects, recursion, a look at every child at every step. Slow on purpose.
import type { PathOptions, Trace } from '../../src/index.js'

interface Node {
  readonly row: number
  readonly id: string
  readonly start: number
  readonly end: number
  readonly children: Node[]
  readonly parent: Node | undefined
  isBackground: boolean
  isOutside: boolean
  from: number
  to: number
}

export interface TwinSection {
  readonly id: string
  readonly start: number
  readonly end: number
}

/** (end, start, id): the last of several children is the last by these. */
const isLater = (a: Node, b: Node): boolean =>
  a.to !== b.to ? a.to > b.to : a.from !== b.from ? a.from > b.from : a.id > b.id

const lastOf = (nodes: readonly Node[]): Node | undefined =>
  nodes.reduce<Node | undefined>((last, node) => (last === undefined || isLater(node, last) ? node : last), undefined)

function treeOf(trace: Trace, row: number, parent?: Node): Node {
  const node: Node = {
    row,
    id: trace.spanId(row),
    start: trace.startNs[row]!,
    end: trace.endNs[row]!,
    children: [],
    parent,
    isBackground: false,
    isOutside: false,
    from: trace.startNs[row]!,
    to: trace.endNs[row]!,
  }
  trace.parent.forEach((above, child) => {
    if (above === row) node.children.push(treeOf(trace, child, node))
  })
  return node
}

function isBackground(trace: Trace, node: Node, options: PathOptions): boolean {
  const parent = node.parent!
  if (options.followsFrom !== 'blocking' && (trace.flags[node.row]! & 1) === 1) return true
  if (options.producerConsumer !== 'blocking' && trace.kind[parent.row] === 3 && trace.kind[node.row] === 4) return true
  return (options.lateChild === 'background' || options.mode === 'firm') && node.end > parent.end
}

function cut(trace: Trace, node: Node, options: PathOptions, hops: ReadonlySet<Node>): void {
  for (const child of node.children) {
    child.isBackground = node.isBackground
    child.isOutside = node.isOutside
    if (!node.isBackground && !node.isOutside) {
      if (hops.has(child)) {
        child.from = Math.max(child.start, node.from)
        child.to = Math.max(child.end, node.from)
      } else if (isBackground(trace, child, options)) child.isBackground = true
      else if (options.mode !== 'firm') cutToParent(child, node)
    }
    cut(trace, child, options, hops)
  }
}

function cutToParent(child: Node, parent: Node): void {
  const isEmpty = child.start === child.end
  const isBefore = isEmpty ? child.end < parent.from : child.end <= parent.from
  const isAfter = isEmpty ? child.start > parent.to : child.start >= parent.to
  child.isOutside = isBefore || isAfter
  child.from = Math.max(child.start, parent.from)
  child.to = Math.min(child.end, parent.to)
}

const latestBelow = (node: Node): number => Math.max(node.end, ...node.children.map(latestBelow))

/** The way to the span that ends last, without the root. */
function hopsOf(node: Node): Node[] {
  const latest = latestBelow(node)
  if (node.end === latest) return []
  const ways = node.children.filter((child) => latestBelow(child) === latest)
  const start = Math.max(...ways.map((way) => way.start))
  const way = ways.filter((child) => child.start === start).reduce((a, b) => (b.id > a.id ? b : a))
  return [way, ...hopsOf(way)]
}

/** Sections in time order. */
export function twinPath(trace: Trace, options: PathOptions): TwinSection[] {
  const tolerance = (options.overlapTolerance as number) * 1000
  const root = treeOf(trace, trace.root)
  const hops = options.mode === 'to-trace-end' ? hopsOf(root) : []
  cut(trace, root, options, new Set(hops))
  const sections: TwinSection[] = []
  const emit = (node: Node, start: number, end: number): void => {
    if (end > start) sections.push({ id: node.id, start, end })
  }
  const walk = (node: Node, until: number): void => {
    const isWaitedFor = (child: Node): boolean =>
      !child.isBackground &&
      !child.isOutside &&
      child.from < child.to &&
      child.to <= until + tolerance &&
      child.from < until
    const child = lastOf(node.children.filter(isWaitedFor))
    if (!child) {
      emit(node, node.from, until)
      return
    }
    emit(node, Math.min(child.to, until), until)
    walk(child, Math.min(child.to, until))
    walk(node, child.from)
  }
  // The last hop first, whole; before it began its parent ran, or it waited in a queue.
  let last = hops.at(-1) ?? root
  walk(last, last.to)
  while (last !== root) {
    const parent = last.parent!
    emit(last, parent.to, last.from)
    walk(parent, Math.min(parent.to, last.from))
    last = parent
  }
  return sections.toReversed()
}

/** Algorithm 3.1, line by line, over the children that return to their parents; ids in its order. */
export function twinFirm(trace: Trace, options: PathOptions): string[] {
  const root = treeOf(trace, trace.root)
  cut(trace, root, { ...options, mode: 'firm' }, new Set())
  const longestPath = (node: Node): string[] => {
    const childNodes = node.children.filter((child) => !child.isBackground)
    const path = [node.id]
    const lastReturned = lastOf(childNodes)
    if (!lastReturned) return path
    path.push(...longestPath(lastReturned))
    childNodes.sort((a, b) => a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1))
    for (const child of childNodes) {
      const happensBefore = child !== lastReturned && child.end <= lastReturned.start
      if (happensBefore) path.push(...longestPath(child))
    }
    return path
  }
  return longestPath(root)
}

export interface TwinSpan {
  readonly isBackground: boolean
  /** NaN where it has no part in what the root waits for. */
  readonly from: number
  readonly to: number
}

/** Background and windows of all spans, by id. */
export function twinSpans(trace: Trace, options: PathOptions): Map<string, TwinSpan> {
  const root = treeOf(trace, trace.root)
  cut(trace, root, options, new Set(options.mode === 'to-trace-end' ? hopsOf(root) : []))
  const nowhere = { isBackground: false, from: Number.NaN, to: Number.NaN }
  const spans = new Map<string, TwinSpan>(Array.from(trace.parent, (_, row) => [trace.spanId(row), nowhere]))
  const visit = ({ id, isBackground, isOutside, from, to, children }: Node): void => {
    spans.set(id, isBackground || isOutside ? { ...nowhere, isBackground } : { isBackground, from, to })
    children.forEach(visit)
  }
  visit(root)
  return spans
}
