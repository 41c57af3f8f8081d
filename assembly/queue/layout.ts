// The block of one ready queue: who lies where. `ready-queue.ts` is what it does, `fifos.ts` and `heap.ts` are its two orders.
//
// C: capacity, D: most entries that were cancelled and not yet swept, k: classes, L: leaves of the tournament (a power of
// two ≥ k), T: tenants. A ticket is a number below C. Every part is 64-byte aligned.
//   head: Queue
//   place i32[C]        where the ticket's entry is: its slot (FIFOs), or which push it was, the low 31 bits (heap); −2 − (the next
//                       free ticket) when it is free
//   io f64[IO] i32[IO] i32[IO]   columns of a batch: tokens, then arrivals; tenants; tickets
//   FIFOs: slot [C + D + 2k chunks, 16 B] | next, owner of each chunk i32[chunks] | fifo [k, 16 B] | tournament i64[2L]
//   heap:  entry [3 + C + D, 16 B] | where keys may change: effective tokens, age f64[C]
//   fairness: outstanding f64[T] | tokens f64[C] | tenant i32[C]
import * as abi from '../abi'
import { beginPlan, place, placeRows, planned } from '../memory/plan'

/** Slots of a FIFO come from a pool by chunks of so many. */
// @ts-ignore: decorator
@inline export const CHUNK: i32 = 32
/** Entries of a batch. */
// @ts-ignore: decorator
@inline export const IO: i32 = 1024

// @ts-ignore: decorator
@unmanaged export class Queue {
  capacity: i32 = 0
  order: i32 = 0
  /** Entries that wait, and those cancelled but still in the structure; more than `mostDead` are swept. */
  size: i32 = 0
  dead: i32 = 0
  mostDead: i32 = 0
  freeTicket: i32 = 0
  slope: f64 = 0
  fairness: f64 = 0
  /** Whether scale and cap may change. */
  canAge: bool = false
  /** Ageing: key = scale · min(effective tokens, cap) + slope · arrival. */
  scale: f64 = 0
  cap: f64 = 0

  classes: i32 = 0
  leaves: i32 = 0
  /** The class of x is bits(x) >> shift − base: octaves cut in equal parts. */
  shift: i32 = 0
  base: i32 = 0
  chunks: i32 = 0
  freeChunk: i32 = 0

  /** Entries of the heap, dead ones too, and the number of the last push. */
  entries: i32 = 0
  pushes: u32 = 0
  tenants: i32 = 0

  place: usize = 0
  io: usize = 0
  slots: usize = 0
  nextChunk: usize = 0
  ownerOf: usize = 0
  fifos: usize = 0
  nodes: usize = 0
  heap: usize = 0
  effective: usize = 0
  age: usize = 0
  outstanding: usize = 0
  tokens: usize = 0
  tenant: usize = 0
}

/** The class index of a number ≥ 0 before the first class is taken off. */
// @ts-ignore: decorator
@inline export function bandOf(tokens: f64, shift: i32): i32 {
  return <i32>(reinterpret<i64>(tokens) >> <i64>shift)
}

/** With fairness a request's own tokens were capped when it entered: what its tenant has outstanding counts in full. */
// @ts-ignore: decorator
@inline export function capOf(queue: Queue): f64 {
  return queue.fairness > 0 ? Infinity : queue.cap
}

function align64(): void {
  place(Math.ceil(planned() / 64) * 64 - planned())
}

/** `rows` of `rowBytes` each. */
function part(rows: f64, rowBytes: f64): usize {
  align64()
  return placeRows(rows, rowBytes)
}

/** Plans everything behind the head, which is at `at`, and returns where it ends. */
export function layOut(queue: Queue, at: usize): f64 {
  const capacity = queue.capacity, entries = capacity + queue.mostDead
  beginPlan(at)
  place(offsetof<Queue>())
  queue.place = part(capacity, 4)
  queue.io = part(IO, 24)
  if (queue.order == abi.QUEUE_EXACT) {
    queue.heap = part(entries + 4, 16)
    if (queue.canAge) {
      queue.effective = part(capacity, 8)
      queue.age = part(capacity, 8)
    }
  } else {
    const classes = queue.classes
    const chunks = (entries + CHUNK - 1) / CHUNK + 2 * classes
    queue.slots = part(chunks, CHUNK << 4)
    queue.nextChunk = part(chunks, 4)
    queue.ownerOf = part(chunks, 4)
    queue.fifos = part(classes, 16)
    queue.nodes = part(queue.leaves, 16)
    queue.chunks = chunks
  }
  if (queue.fairness > 0) {
    queue.outstanding = part(queue.tenants, 8)
    queue.tokens = part(capacity, 8)
    queue.tenant = part(capacity, 4)
  }
  align64()
  return planned()
}

export function shapeOf(
  queue: Queue, order: i32, capacity: i32, parts: i32, lowest: f64, highest: f64, slope: f64, fairness: f64, tenants: i32,
  canAge: bool,
): void {
  queue.order = order
  queue.capacity = capacity
  queue.canAge = canAge
  queue.mostDead = (capacity >> 2) + 64
  queue.slope = slope
  queue.fairness = fairness
  queue.scale = 1
  queue.cap = Infinity
  queue.tenants = tenants
  queue.shift = 52 - parts
  queue.base = bandOf(lowest, queue.shift)
  queue.classes = order == abi.QUEUE_CLASS ? bandOf(highest, queue.shift) - queue.base + 1 : 1
  queue.leaves = queue.classes > 2 ? 1 << (32 - clz(queue.classes - 1)) : 2
}

const SCRATCH = memory.data(256, 16) // room in which a head can be planned before it exists

/** Bytes of a queue. */
export function queue_bytes(
  order: i32, capacity: i32, parts: i32, lowest: f64, highest: f64, fairness: f64, tenants: i32, canAge: i32,
): f64 {
  const queue = changetype<Queue>(SCRATCH)
  shapeOf(queue, order, capacity, parts, lowest, highest, 0, fairness, tenants, canAge != 0)
  return layOut(queue, 64) // from 64 on: room to align a block that is only 16-byte aligned
}
