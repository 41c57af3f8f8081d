// What every walk does: go down to a child, and sort the children of a span when it is entered.
import * as abi from '../abi'
import { byteAt, numberAt, Path, putWord, wordAt } from './layout'
import { sortSiblings } from './siblings'
import { BACKGROUND, OUTSIDE } from './tree'

// @ts-ignore: decorator
@inline export function push(path: Path, span: i32): void {
  const depth = ++path.depth
  putWord(path.stack, depth, span)
  putWord(path.next, depth, -1)
  path.cameBack = 0
}

// @ts-ignore: decorator
@inline export function top(path: Path): i32 {
  return wordAt(path.stack, path.depth)
}

/** Fills `children` with those of `span` that can own a part of the path, sorted; returns where they end. */
export function sortChildren(path: Path, span: i32, major: usize, minor: usize): i32 {
  const from = wordAt(path.first, span)
  const to = wordAt(path.first, span + 1)
  const isFirm = (path.options & abi.PATH_FIRM) != 0
  let kept = from
  for (let child = from; child < to; child++) {
    if (byteAt(path.state, child) & (BACKGROUND | OUTSIDE)) continue
    if (isFirm || numberAt(path.from, child) < numberAt(path.to, child)) putWord(path.children, kept++, child)
  }
  sortSiblings(path.children, from, kept, path.scratch, major, minor, spareRoom(path))
  return kept
}

/**
 * Room for more than a number for each child of a span that is being entered: every span gets at most two sections, so those
 * of the spans not yet entered are free. A tiling is written from the back of the column, whole spans from its front.
 */
// @ts-ignore: decorator
@inline function spareRoom(path: Path): usize {
  return path.options & abi.PATH_FIRM ? path.sectionStart + (<usize>path.sections << 3) : path.sectionStart
}

// @ts-ignore: decorator
@inline export function haveSameWindow(path: Path, a: i32, b: i32): bool {
  return numberAt(path.to, a) == numberAt(path.to, b) && numberAt(path.from, a) == numberAt(path.from, b)
}
