import { printable } from '@trimtab/core/text'
import type { Frame } from '../types.js'
import { type CallTree, sumUp, walk } from './call-tree.js'

/** `service: operation`, as every flame graph shows it. */
export const frameName = ({ service, operation }: Frame): string =>
  operation === '' ? service : `${service}: ${operation}`

/** Frames of one line; deeper stacks keep both ends, so that the text grows with the call paths and not as their square. */
const MAX_DEPTH = 128

/**
 * Folded stacks: `caller;callee ns`, a line for each call path that owns time on the critical path, the largest first.
 * What flamegraph.pl, inferno, speedscope and most others read. Values are whole nanoseconds and add up to the time that
 * was analysed. Line by line, for a window of requests can have many.
 */
export function* foldedStacks(tree: CallTree): Generator<string, void> {
  const names = tree.frames.map((frame) => frameName(frame).replaceAll(';', ':').replace(/\s+/g, ' ')).map(printable)
  const stack: string[] = []
  for (const { node, isEntry } of walk(tree, sumUp(tree.parent, tree.selfNs))) {
    if (!isEntry) {
      stack.pop()
      continue
    }
    stack.push(names[tree.frame[node]!]!)
    const selfNs = Math.round(tree.selfNs[node]!)
    if (selfNs > 0) yield `${shorten(stack).join(';')} ${selfNs}\n`
  }
}

function shorten(stack: readonly string[]): readonly string[] {
  if (stack.length <= MAX_DEPTH) return stack
  const half = MAX_DEPTH / 2
  return [...stack.slice(0, half), `(${stack.length - MAX_DEPTH} more)`, ...stack.slice(-half)]
}
