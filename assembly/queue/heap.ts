// Order `exact`: a heap with four children a node, the four in one cache line. Equal keys keep the order of arrival.
//
// entry [16 B]: +0 key f64  +8 push u32 (which push it was)  +12 ticket i32. The root is entry 3, the children of i are
// 4i − 8 … 4i − 5. A cancelled entry stays until it is the root: its ticket is then free, or of another push.
import { capOf, Queue } from './layout'

// @ts-ignore: decorator
@inline const ROOT: usize = 3

// @ts-ignore: decorator
@inline function entryAt(queue: Queue, index: usize): usize {
  return queue.heap + (index << 4)
}

/** Behind the last entry. */
// @ts-ignore: decorator
@inline function endOf(queue: Queue): usize {
  return ROOT + <usize>queue.entries
}

// @ts-ignore: decorator
@inline function isBefore(key: f64, push: u32, otherKey: f64, otherPush: u32): bool {
  return key < otherKey || (key == otherKey && <i32>(push - otherPush) < 0) // pushes wrap around
}

// @ts-ignore: decorator
@inline function copyEntry(to: usize, from: usize): void {
  store<f64>(to, load<f64>(from))
  store<u64>(to, load<u64>(from, 8), 8)
}

// @ts-ignore: decorator
@inline function siftUp(queue: Queue, hole: usize, key: f64, push: u32, ticket: i32): void {
  let index = hole
  while (index > ROOT) {
    const parent = (index >> 2) + 2
    const above = entryAt(queue, parent)
    if (!isBefore(key, push, load<f64>(above), load<u32>(above, 8))) break
    copyEntry(entryAt(queue, index), above)
    index = parent
  }
  const entry = entryAt(queue, index)
  store<f64>(entry, key)
  store<u32>(entry, push, 8)
  store<i32>(entry, ticket, 12)
}

// @ts-ignore: decorator
@inline function keyOf(queue: Queue, effective: f64, age: f64): f64 {
  return queue.scale * min(effective, capOf(queue)) + age
}

/** The place of a ticket that waits. */
// @ts-ignore: decorator
@inline function placeOf(push: u32): i32 {
  return <i32>(push & <u32>i32.MAX_VALUE)
}

/** Adds an entry and returns the place of its ticket. */
export function pushHeap(queue: Queue, effective: f64, age: f64, ticket: i32): i32 {
  const push = ++queue.pushes
  if (queue.canAge) {
    store<f64>(queue.effective + (<usize>ticket << 3), effective)
    store<f64>(queue.age + (<usize>ticket << 3), age)
  }
  siftUp(queue, endOf(queue), keyOf(queue, effective, age), push, ticket)
  queue.entries++
  return placeOf(push)
}

// @ts-ignore: decorator
@inline export function firstOfHeap(queue: Queue): i32 {
  return load<i32>(entryAt(queue, ROOT), 12)
}

/** Takes the root away, and the cancelled entries that come up behind it. */
export function popHeap(queue: Queue): void {
  dropRoot(queue)
  clearRoot(queue)
}

/** The hole sinks to a leaf, always to the first of four, and is filled by the last entry, which mostly stays there. */
function dropRoot(queue: Queue): void {
  queue.entries--
  const end = endOf(queue) // where the last entry is
  let hole = ROOT
  for (let child: usize = 4 * hole - 8; child < end; child = 4 * hole - 8) {
    const last = min<usize>(child + 4, end)
    let best = child
    let at = entryAt(queue, child)
    let key = load<f64>(at)
    let push = load<u32>(at, 8)
    for (let rival = child + 1; rival < last; rival++) {
      at += 16
      const rivalKey = load<f64>(at)
      const rivalPush = load<u32>(at, 8)
      if (!isBefore(rivalKey, rivalPush, key, push)) continue
      best = rival
      key = rivalKey
      push = rivalPush
    }
    copyEntry(entryAt(queue, hole), entryAt(queue, best))
    hole = best
  }
  const moved = entryAt(queue, end)
  if (hole < end) siftUp(queue, hole, load<f64>(moved), load<u32>(moved, 8), load<i32>(moved, 12))
}

// @ts-ignore: decorator
@inline function lives(queue: Queue, entry: usize): bool {
  return load<i32>(queue.place + (<usize>load<i32>(entry, 12) << 2)) == placeOf(load<u32>(entry, 8))
}

function clearRoot(queue: Queue): void {
  while (queue.dead > 0 && queue.entries > 0 && !lives(queue, entryAt(queue, ROOT))) {
    dropRoot(queue)
    queue.dead--
  }
}

/** An entry's ticket was freed. */
export function dropFromHeap(queue: Queue): void {
  queue.dead++
  clearRoot(queue)
}

/** Takes all cancelled entries out and builds the heap anew, by the keys of now where they may change. */
export function sweepHeap(queue: Queue): void {
  const end = endOf(queue)
  queue.entries = 0
  for (let index = ROOT; index < end; index++) {
    const entry = entryAt(queue, index)
    if (!lives(queue, entry)) continue
    const ticket = load<i32>(entry, 12)
    const at = <usize>ticket << 3
    const key = queue.canAge ? keyOf(queue, load<f64>(queue.effective + at), load<f64>(queue.age + at)) : load<f64>(entry)
    siftUp(queue, endOf(queue), key, load<u32>(entry, 8), ticket)
    queue.entries++
  }
  queue.dead = 0
}
