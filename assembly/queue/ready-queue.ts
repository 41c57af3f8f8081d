// A queue of requests by the key (scale · min(effective tokens, cap) + slope · arrival): ageing without re-sorting. Scale and cap
// are of the whole queue, 1 and ∞ unless told. Effective tokens are the tokens expected and, for fairness, a share of those
// that the tenant already has outstanding.
import * as abi from '../abi'
import { appendEntry, clearFifos, dropEntry, firstEntry, playAnew, removeFirstEntry, setLead, sweepFifos } from './fifos'
import { dropFromHeap, firstOfHeap, popHeap, pushHeap, sweepHeap } from './heap'
import { bandOf, capOf, IO, layOut, Queue, shapeOf } from './layout'
import { clearTenants, enterTenant, leaveTenant, outstandingOf } from './tenants'

/**
 * @param parts  an octave of tokens is cut into 2^parts classes, from that of `lowest` to that of `highest`
 * @param canAge  1: `queue_age` may be called
 */
export function queue_create(
  block: usize, order: i32, capacity: i32, parts: i32, lowest: f64, highest: f64, slope: f64, fairness: f64, tenants: i32,
  canAge: i32,
): void {
  const queue = changetype<Queue>(block)
  shapeOf(queue, order, capacity, parts, lowest, highest, slope, fairness, tenants, canAge != 0)
  layOut(queue, block)
  setLeads(queue)
  queue_clear(block)
}

/**
 * All requests of a class count as having the tokens of its middle; the first class begins at 0, the last has no end and counts
 * as its beginning.
 */
function setLeads(queue: Queue): void {
  if (queue.order != abi.QUEUE_CLASS) return
  const shift = <i64>queue.shift, cap = capOf(queue)
  for (let i = 0; i < queue.classes; i++) {
    const from = i == 0 ? 0.0 : reinterpret<f64>(<i64>(queue.base + i) << shift)
    const to = i == queue.classes - 1 ? from : reinterpret<f64>(<i64>(queue.base + i + 1) << shift)
    setLead(queue, i, queue.scale * min((from + to) / 2, cap))
  }
}

/**
 * From now on, and for all that wait, a token counts `scale` times, and those above `cap` not at all. O(classes) or, for the
 * heap, O(entries). OK or NOT_FINITE.
 */
export function queue_age(block: usize, scale: f64, cap: f64): i32 {
  if (!(scale >= 0 && scale < Infinity && cap >= 0)) return abi.NOT_FINITE
  const queue = changetype<Queue>(block)
  queue.scale = scale
  queue.cap = cap
  setLeads(queue)
  if (queue.order == abi.QUEUE_EXACT) sweepHeap(queue)
  else if (queue.order == abi.QUEUE_CLASS) playAnew(queue)
  return abi.OK
}

/** Everything leaves; tenants have nothing outstanding. */
export function queue_clear(block: usize): void {
  const queue = changetype<Queue>(block)
  for (let ticket = 0; ticket < queue.capacity; ticket++) {
    const next = ticket + 1 < queue.capacity ? ticket + 1 : -1
    store<i32>(queue.place + (<usize>ticket << 2), -2 - next)
  }
  queue.freeTicket = 0
  queue.size = 0
  queue.dead = 0
  queue.entries = 0
  if (queue.order != abi.QUEUE_EXACT) clearFifos(queue)
  if (queue.fairness > 0) clearTenants(queue)
}

// @ts-ignore: decorator
@inline function placeOf(queue: Queue, ticket: i32): usize {
  return queue.place + (<usize>ticket << 2)
}

// @ts-ignore: decorator
@inline function classOf(queue: Queue, tokens: f64): i32 {
  return min(max(bandOf(tokens, queue.shift) - queue.base, 0), queue.classes - 1)
}

/**
 * A ticket ≥ 0, or NOT_FINITE (tokens are negative, or a number or the key is not finite), OUT_OF_RANGE (no such tenant) or
 * FULL; nothing changes then. Tenants count only where there is fairness.
 */
export function queue_push(block: usize, tokens: f64, arrival: f64, tenant: i32): i32 {
  const queue = changetype<Queue>(block)
  const isFair = queue.fairness > 0
  let effective = tokens
  if (isFair) {
    if (<u32>tenant >= <u32>queue.tenants) return abi.OUT_OF_RANGE
    effective = min(tokens, queue.cap) + queue.fairness * load<f64>(outstandingOf(queue, tenant))
  }
  const age = queue.slope * arrival
  if (!(tokens >= 0 && tokens < Infinity && effective < Infinity && abs(age) < Infinity)) return abi.NOT_FINITE // 0 · ∞ is NaN
  if (queue.size == queue.capacity) return abi.FULL

  const ticket = queue.freeTicket
  queue.freeTicket = -2 - load<i32>(placeOf(queue, ticket))
  queue.size++
  if (queue.order == abi.QUEUE_EXACT) {
    store<i32>(placeOf(queue, ticket), pushHeap(queue, effective, age, ticket))
  } else {
    const fifo = queue.classes > 1 ? classOf(queue, effective) : 0
    store<i32>(placeOf(queue, ticket), appendEntry(queue, fifo, age, ticket))
  }
  if (isFair) enterTenant(queue, ticket, tenant, tokens)
  return ticket
}

/** The ticket of the smallest key, or EMPTY. */
export function queue_peek(block: usize): i32 {
  const queue = changetype<Queue>(block)
  if (queue.size == 0) return abi.EMPTY
  return queue.order == abi.QUEUE_EXACT ? firstOfHeap(queue) : firstEntry(queue)
}

/** The same; it leaves. */
export function queue_pop(block: usize): i32 {
  const queue = changetype<Queue>(block)
  if (queue.size == 0) return abi.EMPTY
  let ticket: i32
  if (queue.order == abi.QUEUE_EXACT) {
    ticket = firstOfHeap(queue)
    freeTicket(queue, ticket)
    popHeap(queue)
  } else {
    ticket = firstEntry(queue)
    freeTicket(queue, ticket)
    removeFirstEntry(queue)
  }
  return ticket
}

// @ts-ignore: decorator
@inline function freeTicket(queue: Queue, ticket: i32): void {
  store<i32>(placeOf(queue, ticket), -2 - queue.freeTicket)
  queue.freeTicket = ticket
  queue.size--
}

/** Whether the ticket waits. */
export function queue_has(block: usize, ticket: i32): bool {
  const queue = changetype<Queue>(block)
  return <u32>ticket < <u32>queue.capacity && load<i32>(placeOf(queue, ticket)) >= 0
}

/** A waiting ticket leaves: O(1), amortised. Returns whether it waited. */
export function queue_cancel(block: usize, ticket: i32): bool {
  if (!queue_has(block, ticket)) return false
  const queue = changetype<Queue>(block)
  const slot = load<i32>(placeOf(queue, ticket))
  if (queue.fairness > 0) leaveTenant(queue, ticket)
  freeTicket(queue, ticket)
  if (queue.order == abi.QUEUE_EXACT) dropFromHeap(queue)
  else dropEntry(queue, slot)
  if (queue.dead > queue.mostDead) {
    if (queue.order == abi.QUEUE_EXACT) sweepHeap(queue)
    else sweepFifos(queue)
  }
  return true
}

/** Requests that wait. */
export function queue_size(block: usize): i32 {
  return changetype<Queue>(block).size
}

/** Where the columns of a batch are; see layout.ts. */
export function queue_io(block: usize): usize {
  return changetype<Queue>(block).io
}

/** Pushes the first n of the columns; returns how many entered before one was refused. Their tickets are in the columns. */
export function queue_push_many(block: usize, n: i32): i32 {
  const io = changetype<Queue>(block).io
  const tenants = io + <usize>IO * 16, tickets = tenants + <usize>IO * 4
  for (let i = 0; i < n; i++) {
    const at = <usize>i
    const ticket = queue_push(
      block, load<f64>(io + (at << 3)), load<f64>(io + <usize>IO * 8 + (at << 3)), load<i32>(tenants + (at << 2)),
    )
    if (ticket < 0) return i
    store<i32>(tickets + (at << 2), ticket)
  }
  return n
}

/** Pops up to n tickets into the column; returns how many. */
export function queue_pop_many(block: usize, n: i32): i32 {
  const tickets = changetype<Queue>(block).io + <usize>IO * 20
  for (let i = 0; i < n; i++) {
    const ticket = queue_pop(block)
    if (ticket < 0) return i
    store<i32>(tickets + (<usize>i << 2), ticket)
  }
  return n
}
