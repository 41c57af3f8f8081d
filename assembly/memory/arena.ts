// One arena per object: planned by its owner, allocated once, released as a whole. A first-fit free list in address
// order, so that neighbours merge and a service that creates and disposes agents for years stays flat.
//
// block: +0 size u32 (payload, multiple of 16)  +4 next usize (free blocks)  +8 mark u32  +12 unused  +16 payload …

import { LARGEST_BLOCK } from '../abi'

// @ts-ignore: decorator
@inline const HEADER: usize = 16
// @ts-ignore: decorator
@inline const MARK: u32 = 0x74726d74 // "trmt": an allocated block
// @ts-ignore: decorator
@inline const MIN_SPLIT: usize = 48 // a smaller rest is not worth a block of its own

let firstFree: usize = 0
let top: usize = 0 // first byte that was never handed out
let used: usize = 0 // payload bytes now allocated

/** 16-byte aligned, zeroed; 0 when the memory cannot grow that far. */
export function memory_allocate(bytes: usize): usize {
  if (bytes > <usize>LARGEST_BLOCK) return 0
  const size = max<usize>((bytes + 15) & ~15, 16)
  let previous: usize = 0, before: usize = 0
  for (let block = firstFree; block != 0; block = load<usize>(block, 4)) {
    if (<usize>load<u32>(block) >= size) return take(block, previous, size)
    before = previous
    previous = block
  }
  return extend(size, previous, before)
}

function take(block: usize, previous: usize, size: usize): usize {
  const available = <usize>load<u32>(block)
  let next = load<usize>(block, 4)
  if (available - size >= MIN_SPLIT) {
    const rest = block + HEADER + size
    store<u32>(rest, <u32>(available - size - HEADER))
    store<usize>(rest, next, 4)
    store<u32>(rest, 0, 8)
    store<u32>(block, <u32>size)
    next = rest
  }
  link(previous, next)
  return claim(block)
}

/** A block at the end of the memory, which begins with the free one there. @param last  free block, `before` the one before it; 0: none */
function extend(size: usize, last: usize, before: usize): usize {
  if (top == 0) top = (__heap_base + 15) & ~15
  const isAtEnd = last != 0 && last + HEADER + <usize>load<u32>(last) == top
  const block = isAtEnd ? last : top
  const end = block + HEADER + size
  if (end < block) return 0
  const have = <usize>memory.size() << 16
  if (end > have && memory.grow(<i32>((end - have + 0xffff) >> 16)) < 0) return 0
  if (isAtEnd) link(before, 0)
  top = end
  store<u32>(block, <u32>size)
  return claim(block)
}

function claim(block: usize): usize {
  const size = <usize>load<u32>(block)
  store<u32>(block, MARK, 8)
  used += size
  memory.fill(block + HEADER, 0, size)
  return block + HEADER
}

/** Gives a block back. Returns 0, or -1 when `pointer` is not an allocated block (nothing changes then). */
export function memory_release(pointer: usize): i32 {
  const block = pointer - HEADER
  if (pointer < HEADER || pointer >= top || load<u32>(block, 8) != MARK) return -1
  store<u32>(block, 0, 8)
  used -= <usize>load<u32>(block)
  let previous: usize = 0
  let next = firstFree
  while (next != 0 && next < block) {
    previous = next
    next = load<usize>(next, 4)
  }
  store<usize>(block, next, 4)
  link(previous, block)
  if (next != 0) merge(block, next)
  if (previous != 0) merge(previous, block)
  return 0
}

function link(previous: usize, block: usize): void {
  if (previous == 0) firstFree = block
  else store<usize>(previous, block, 4)
}

function merge(left: usize, right: usize): void {
  if (left + HEADER + <usize>load<u32>(left) != right) return
  store<u32>(left, load<u32>(left) + <u32>HEADER + load<u32>(right))
  store<usize>(left, load<usize>(right, 4), 4)
}

/** Payload bytes now allocated. */
export function memory_used(): usize {
  return used
}
