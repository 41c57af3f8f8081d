// Order `class` (and `fifo`, its single class): a FIFO for each class of effective tokens, and a tournament of their heads.
//
// fifo [16 B]: +0 tail i32, the slot behind the last, or NONE  +4 head i32, always a living entry  +8 lead f64: key − age in its class
// slot [16 B]: +0 age f64  +8 ticket i32, −1 when cancelled: the slot is kept until the head comes by
// CHUNK slots of the pool in a row are a chunk, and a FIFO is a list of chunks.
import { CHUNK, Queue } from './layout'
import { championOf, change, clearTournament, join, leave } from './tournament'

/** The tail of a FIFO in which nothing waits: no slot has it behind itself. */
// @ts-ignore: decorator
@inline const NONE: i32 = 0

// @ts-ignore: decorator
@inline function fifoAt(queue: Queue, fifo: i32): usize {
  return queue.fifos + (<usize>fifo << 4)
}

// @ts-ignore: decorator
@inline function tailOf(at: usize): i32 {
  return load<i32>(at)
}

// @ts-ignore: decorator
@inline function setTail(at: usize, slot: i32): void {
  store<i32>(at, slot)
}

// @ts-ignore: decorator
@inline function headOf(at: usize): i32 {
  return load<i32>(at, 4)
}

// @ts-ignore: decorator
@inline function setHead(at: usize, slot: i32): void {
  store<i32>(at, slot, 4)
}

// @ts-ignore: decorator
@inline function slotAt(queue: Queue, slot: i32): usize {
  return queue.slots + (<usize>slot << 4)
}

// @ts-ignore: decorator
@inline function ticketIn(at: usize): i32 {
  return load<i32>(at, 8)
}

// @ts-ignore: decorator
@inline function startsChunk(slot: i32): bool {
  return (slot & (CHUNK - 1)) == 0
}

// @ts-ignore: decorator
@inline function chunkOf(slot: i32): i32 {
  return <i32>(<u32>slot / <u32>CHUNK)
}

// @ts-ignore: decorator
@inline function nextOf(queue: Queue, chunk: i32): i32 {
  return load<i32>(queue.nextChunk + (<usize>chunk << 2))
}

// @ts-ignore: decorator
@inline function setNext(queue: Queue, chunk: i32, next: i32): void {
  store<i32>(queue.nextChunk + (<usize>chunk << 2), next)
}

// @ts-ignore: decorator
@inline function ownerAt(queue: Queue, chunk: i32): usize {
  return queue.ownerOf + (<usize>chunk << 2)
}

export function clearFifos(queue: Queue): void {
  for (let fifo = 0; fifo < queue.classes; fifo++) setTail(fifoAt(queue, fifo), NONE)
  for (let chunk = 0; chunk < queue.chunks; chunk++) setNext(queue, chunk, chunk + 1)
  queue.freeChunk = 0
  clearTournament(queue.nodes, queue.leaves)
}

/** What the requests of a class count for, but for their age. */
// @ts-ignore: decorator
@inline function leadAt(at: usize): f64 {
  return load<f64>(at, 8)
}

// @ts-ignore: decorator
@inline export function setLead(queue: Queue, fifo: i32, lead: f64): void {
  store<f64>(fifoAt(queue, fifo), lead, 8)
}

/** The leads are others: all heads play again. */
export function playAnew(queue: Queue): void {
  clearTournament(queue.nodes, queue.leaves)
  for (let fifo = 0; fifo < queue.classes; fifo++) {
    const at = fifoAt(queue, fifo)
    if (tailOf(at) != NONE) join(queue.nodes, queue.leaves, fifo, leadAt(at) + load<f64>(slotAt(queue, headOf(at))))
  }
}

/** Appends to the FIFO of a class and returns the slot. */
// @ts-ignore: decorator
@inline export function appendEntry(queue: Queue, fifo: i32, age: f64, ticket: i32): i32 {
  const at = fifoAt(queue, fifo)
  let slot = tailOf(at)
  if (startsChunk(slot)) slot = extendFifo(queue, fifo, age)
  setTail(at, slot + 1)
  const entry = slotAt(queue, slot)
  store<f64>(entry, age)
  store<i32>(entry, ticket, 8)
  return slot
}

/** The FIFO gets another chunk; an entry that is its first joins the tournament. */
function extendFifo(queue: Queue, fifo: i32, age: f64): i32 {
  const at = fifoAt(queue, fifo)
  const tail = tailOf(at)
  const chunk = queue.freeChunk
  const slot = chunk * CHUNK
  queue.freeChunk = nextOf(queue, chunk)
  store<i32>(ownerAt(queue, chunk), fifo)
  if (tail == NONE) {
    setHead(at, slot)
    join(queue.nodes, queue.leaves, fifo, leadAt(at) + age)
  } else {
    setNext(queue, chunkOf(tail - 1), chunk)
  }
  return slot
}

function freeChunk(queue: Queue, chunk: i32): void {
  setNext(queue, chunk, queue.freeChunk)
  queue.freeChunk = chunk
}

// @ts-ignore: decorator
@inline function following(queue: Queue, slot: i32): i32 {
  const next = slot + 1
  return startsChunk(next) ? nextOf(queue, chunkOf(slot)) * CHUNK : next
}

/** The FIFO's head leaves; the next living entry takes its place. */
// @ts-ignore: decorator
@inline function advance(queue: Queue, fifo: i32): void {
  const at = fifoAt(queue, fifo)
  const tail = tailOf(at)
  let slot = headOf(at)
  let entry: usize
  do {
    if (slot + 1 == tail) {
      freeChunk(queue, chunkOf(slot))
      setTail(at, NONE)
      leave(queue.nodes, queue.leaves, fifo)
      return
    }
    const next = following(queue, slot)
    if (startsChunk(next)) freeChunk(queue, chunkOf(slot))
    slot = next
    entry = slotAt(queue, slot)
    if (ticketIn(entry) >= 0) break
    queue.dead--
  } while (true)
  setHead(at, slot)
  change(queue.nodes, queue.leaves, fifo, leadAt(at) + load<f64>(entry))
}

/** The ticket of the smallest key; not when nothing waits. */
// @ts-ignore: decorator
@inline export function firstEntry(queue: Queue): i32 {
  return ticketIn(slotAt(queue, headOf(fifoAt(queue, championOf(queue.nodes)))))
}

// @ts-ignore: decorator
@inline export function removeFirstEntry(queue: Queue): void {
  advance(queue, championOf(queue.nodes))
}

/** The entry was cancelled. */
export function dropEntry(queue: Queue, slot: i32): void {
  const fifo = load<i32>(ownerAt(queue, chunkOf(slot)))
  if (headOf(fifoAt(queue, fifo)) == slot) {
    advance(queue, fifo)
    return
  }
  store<i32>(slotAt(queue, slot), -1, 8)
  queue.dead++
}

/** Closes the gaps of all FIFOs. */
export function sweepFifos(queue: Queue): void {
  for (let fifo = 0; fifo < queue.classes; fifo++) {
    if (tailOf(fifoAt(queue, fifo)) != NONE) sweepFifo(queue, fifoAt(queue, fifo))
  }
  queue.dead = 0
}

function sweepFifo(queue: Queue, at: usize): void {
  const tail = tailOf(at)
  let from = headOf(at) // lives, and so stays where it is
  let to = from
  while (from + 1 != tail) {
    from = following(queue, from)
    const entry = slotAt(queue, from)
    const ticket = ticketIn(entry)
    if (ticket < 0) continue
    to = following(queue, to)
    const target = slotAt(queue, to)
    store<f64>(target, load<f64>(entry))
    store<i32>(target, ticket, 8)
    store<i32>(queue.place + (<usize>ticket << 2), to)
  }
  setTail(at, to + 1)
  const last = chunkOf(to), end = chunkOf(from)
  for (let chunk = last; chunk != end;) {
    chunk = nextOf(queue, last)
    setNext(queue, last, nextOf(queue, chunk))
    freeChunk(queue, chunk)
  }
}
