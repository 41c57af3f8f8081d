import { type CallTree, sumUp } from '@trimtab/trace'
import type { FlameView } from './report/types.js'

/** More boxes than this nobody sees, and a page gets slow. */
const MAX_BOXES = 3000
/** Narrower than this a box cannot be seen even when its surroundings are zoomed into. */
const NARROWEST01 = 1e-4

/** A call tree as the page draws it: the widest call paths, whole numbers of nanoseconds turned into µs. */
export function flameOf(tree: CallTree, requests: number): FlameView {
  const whole = sumUp(tree.parent, tree.selfNs)
  let totalNs = 0
  for (const ns of tree.selfNs) totalNs += ns
  const sizes = Float64Array.from(whole).sort()
  const narrowest = Math.max(totalNs * NARROWEST01, sizes[Math.max(0, sizes.length - MAX_BOXES)] ?? 0)
  const place = new Int32Array(tree.size).fill(-1) // [C]
  const nodes: number[] = []
  for (let node = 0; node < tree.size && nodes.length < MAX_BOXES; node++) {
    const caller = tree.parent[node]!
    // A caller is at least as wide as what it calls, so nothing hangs in the air.
    if (whole[node]! < narrowest || (caller >= 0 && place[caller]! < 0)) continue
    place[node] = nodes.length
    nodes.push(node)
  }
  const us = (values: Float64Array) => nodes.map((node) => values[node]! / 1e3)
  return {
    requests,
    totalUs: totalNs / 1e3,
    frames: tree.frames,
    parent: nodes.map((node) => (tree.parent[node]! < 0 ? -1 : place[tree.parent[node]!]!)),
    frame: nodes.map((node) => tree.frame[node]!),
    selfUs: us(tree.selfNs),
    wholeUs: us(whole),
    calls: nodes.map((node) => tree.calls[node]!),
    omitted: tree.size - nodes.length,
  }
}
