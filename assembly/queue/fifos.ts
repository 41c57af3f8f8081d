// Order `class` (and `fifo`, its single class): a FIFO for each class of effective tokens, and a tournament of their heads.
//
// A slot is a place in the pool, CHUNK of them in a row; a FIFO is a list of chunks. Its head is a living entry or −1, its
// tail the slot behind the last. A cancelled entry keeps its slot, with −1 as its ticket, until the head comes by.
import { CHUNK, Queue } from './layout'
import { clearTournament, setNumber, winnerOf } from './tournament'

// @ts-ignore: decorator
@inline const LAST: i32 = CHUNK - 1

// @ts-ignore: decorator
@inline function wordAt(column: usize, index: i32): i32 {
  return load<i32>(column + (<usize>index << 2))
}

// @ts-ignore: decorator
@inline function putWord(column: usize, index: i32, value: i32): void {
  store<i32>(column + (<usize>index << 2), value)
}

// @ts-ignore: decorator
@inline function keyAt(queue: Queue, slot: i32): f64 {
  return load<f64>(queue.keys + (<usize>slot << 3))
}

// @ts-ignore: decorator
@inline function chunkOf(slot: i32): i32 {
  return slot / CHUNK
}

export function clearFifos(queue: Queue): void {
  memory.fill(queue.headOf, 0xff, <usize>queue.classes << 2)
  for (let i = 0; i < queue.chunks; i++) putWord(queue.nextChunk, i, i + 1)
  queue.freeChunk = 0
  clearTournament(queue.nodes, queue.leaves)
}

// @ts-ignore: decorator
@inline function takeChunk(queue: Queue): i32 {
  const chunk = queue.freeChunk
  queue.freeChunk = wordAt(queue.nextChunk, chunk)
  return chunk
}

// @ts-ignore: decorator
@inline function freeChunk(queue: Queue, chunk: i32): void {
  putWord(queue.nextChunk, chunk, queue.freeChunk)
  queue.freeChunk = chunk
}

/** Appends to the FIFO of the class and returns the slot. */
// @ts-ignore: decorator
@inline export function appendEntry(queue: Queue, fifo: i32, key: f64, ticket: i32): i32 {
  let slot = wordAt(queue.tailOf, fifo)
  const isFirst = wordAt(queue.headOf, fifo) < 0
  if (isFirst || (slot & LAST) == 0) {
    const chunk = takeChunk(queue)
    if (!isFirst) putWord(queue.nextChunk, chunkOf(slot - 1), chunk)
    putWord(queue.ownerOf, chunk, fifo)
    slot = chunk * CHUNK
  }
  store<f64>(queue.keys + (<usize>slot << 3), key)
  putWord(queue.tickets, slot, ticket)
  putWord(queue.tailOf, fifo, slot + 1)
  if (isFirst) {
    putWord(queue.headOf, fifo, slot)
    setNumber(queue.nodes, queue.leaves, fifo, key)
  }
  return slot
}

/** The FIFO's head leaves; the next living entry takes its place. */
// @ts-ignore: decorator
@inline function advance(queue: Queue, fifo: i32): void {
  const tail = wordAt(queue.tailOf, fifo)
  let slot = wordAt(queue.headOf, fifo)
  do {
    const chunk = chunkOf(slot)
    slot++
    if (slot == tail) {
      freeChunk(queue, chunk)
      putWord(queue.headOf, fifo, -1)
      setNumber(queue.nodes, queue.leaves, fifo, Infinity)
      return
    }
    if ((slot & LAST) == 0) {
      slot = wordAt(queue.nextChunk, chunk) * CHUNK
      freeChunk(queue, chunk)
    }
    if (wordAt(queue.tickets, slot) >= 0) break
    queue.dead--
  } while (true)
  putWord(queue.headOf, fifo, slot)
  setNumber(queue.nodes, queue.leaves, fifo, keyAt(queue, slot))
}

/** The ticket of the smallest key; not when nothing waits. */
// @ts-ignore: decorator
@inline export function firstEntry(queue: Queue): i32 {
  return wordAt(queue.tickets, wordAt(queue.headOf, winnerOf(queue.nodes)))
}

// @ts-ignore: decorator
@inline export function removeFirstEntry(queue: Queue): void {
  advance(queue, winnerOf(queue.nodes))
}

/** The entry was cancelled. */
export function dropEntry(queue: Queue, slot: i32): void {
  const fifo = wordAt(queue.ownerOf, chunkOf(slot))
  if (wordAt(queue.headOf, fifo) == slot) {
    advance(queue, fifo)
    return
  }
  putWord(queue.tickets, slot, -1)
  queue.dead++
}

/** Closes the gaps of all FIFOs. */
export function sweepFifos(queue: Queue): void {
  for (let fifo = 0; fifo < queue.classes; fifo++) {
    if (wordAt(queue.headOf, fifo) >= 0) sweepFifo(queue, fifo)
  }
  queue.dead = 0
}

// @ts-ignore: decorator
@inline function following(queue: Queue, slot: i32): i32 {
  const next = slot + 1
  return (next & LAST) == 0 ? wordAt(queue.nextChunk, chunkOf(slot)) * CHUNK : next
}

function sweepFifo(queue: Queue, fifo: i32): void {
  const tail = wordAt(queue.tailOf, fifo)
  let from = wordAt(queue.headOf, fifo) // lives, and so stays where it is
  let to = from
  while (from + 1 != tail) {
    from = following(queue, from)
    const ticket = wordAt(queue.tickets, from)
    if (ticket < 0) continue
    to = following(queue, to)
    store<f64>(queue.keys + (<usize>to << 3), keyAt(queue, from))
    putWord(queue.tickets, to, ticket)
    putWord(queue.place, ticket, to)
  }
  putWord(queue.tailOf, fifo, to + 1)
  const last = chunkOf(to), end = chunkOf(from)
  for (let chunk = last; chunk != end;) {
    chunk = wordAt(queue.nextChunk, last)
    putWord(queue.nextChunk, last, wordAt(queue.nextChunk, chunk))
    freeChunk(queue, chunk)
  }
}
