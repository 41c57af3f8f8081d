// Discrete-event replay of requests through a ready queue and the servers behind it. Dissertation 6.3.3 and B.3.
//
// Requests are rows in the order of arrival. One of `tokens` t takes C + K t seconds alone; a batch of b takes slowdown[b] times
// as long for each token. Arrivals come before whatever servers do at the same moment; of servers, the lower index is first.
//   none        a server takes one request at a time
//   dynamic     a batch starts when it is full or its oldest request has waited for the timeout; all of it ends with its longest
//   continuous  a server runs iterations of K slowdown[b] seconds; a request takes ⌈t + C / K⌉ of them, and between two
//               iterations those that are done leave and others take their places. An arrival goes to the server with the fewest.
//
// N: requests, S: servers, B: most requests of a batch
//   head: Replay | WorkAgeing | arrival, tokens, estimate, start, finish f64[N] | slowdown f64[B + 1] | tenant, bypasses, rowOf i32[N]
//   started i32[N + 1]: a Fenwick tree over rows | server [S, 40 B] | member i32[S, B] | target f64[S, B]
import * as abi from '../abi'
import { enterWork, leaveWork, WorkAgeing } from './ageing'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { Queue } from './layout'
import { queue_age, queue_pop, queue_push } from './ready-queue'
import { queue_finish } from './tenants'

// @ts-ignore: decorator
@unmanaged class Replay {
  rows: i32 = 0
  servers: i32 = 0
  batch: i32 = 0
  batching: i32 = 0
  timeout: f64 = 0
  perRequest: f64 = 0
  perToken: f64 = 0
  queue: usize = 0

  /** Servers that wait to be woken, the one that waits for a batch to fill or −1, and arrivals that a server was woken for. */
  idle: i32 = 0
  forming: i32 = 0
  promised: i32 = 0
  /** Rows that were dispatched, and the first that was not. */
  dispatched: i32 = 0
  oldest: i32 = 0

  ageing: usize = 0
  arrival: usize = 0
  tokens: usize = 0
  estimate: usize = 0
  start: usize = 0
  finish: usize = 0
  slowdown: usize = 0
  tenant: usize = 0
  bypasses: usize = 0
  rowOf: usize = 0
  started: usize = 0
  serverList: usize = 0
  members: usize = 0
  targets: usize = 0
}

// @ts-ignore: decorator
@unmanaged class Server {
  /** When something happens to it next: +∞, never. */
  wake: f64 = 0
  /** The last boundary of iterations, how many there were up to it, and how many until `wake`. */
  boundary: f64 = 0
  iterations: f64 = 0
  steps: f64 = 0
  members: i32 = 0
  /** Arrivals it was woken for. */
  promised: i32 = 0
}

// @ts-ignore: decorator
@inline function serverAt(replay: Replay, index: i32): Server {
  return changetype<Server>(replay.serverList + <usize>index * offsetof<Server>())
}

// @ts-ignore: decorator
@inline function numberAt(column: usize, index: i32): f64 {
  return load<f64>(column + (<usize>index << 3))
}

// @ts-ignore: decorator
@inline function putNumber(column: usize, index: i32, value: f64): void {
  store<f64>(column + (<usize>index << 3), value)
}

// @ts-ignore: decorator
@inline function wordAt(column: usize, index: i32): i32 {
  return load<i32>(column + (<usize>index << 2))
}

// @ts-ignore: decorator
@inline function putWord(column: usize, index: i32, value: i32): void {
  store<i32>(column + (<usize>index << 2), value)
}

const SCRATCH = memory.data(256, 16)

function layOut(replay: Replay, at: usize): f64 {
  const rows = replay.rows, servers = replay.servers, batch = replay.batch
  beginPlan(at)
  place(offsetof<Replay>())
  replay.ageing = place(offsetof<WorkAgeing>())
  replay.arrival = placeRows(rows, 8)
  replay.tokens = placeRows(rows, 8)
  replay.estimate = placeRows(rows, 8)
  replay.start = placeRows(rows, 8)
  replay.finish = placeRows(rows, 8)
  replay.slowdown = placeRows(batch + 1, 8)
  replay.tenant = placeRows(rows, 4)
  replay.bypasses = placeRows(rows, 4)
  replay.rowOf = placeRows(rows, 4)
  replay.started = placeRows(rows + 1, 4)
  replay.serverList = placeRows(servers, offsetof<Server>())
  replay.members = placeRows(servers, <usize>batch << 2)
  replay.targets = placeRows(servers, <usize>batch << 3)
  return planned()
}

/** Bytes of a replay, zeroed by the caller. */
export function replay_bytes(rows: i32, servers: i32, batch: i32): f64 {
  const replay = changetype<Replay>(SCRATCH)
  replay.rows = rows
  replay.servers = servers
  replay.batch = batch
  return layOut(replay, 16) - 16.0
}

/** Makes a replay in `block`, `replay_bytes` long; the columns are the caller's to fill. */
export function replay_create(block: usize, rows: i32, servers: i32, batch: i32): void {
  const replay = changetype<Replay>(block)
  replay.rows = rows
  replay.servers = servers
  replay.batch = batch
  layOut(replay, block)
}

/** Where a column lies, `which` of REPLAY_…: tenant and bypasses i32 [N], slowdown f64 [B + 1], the others f64 [N]. */
export function replay_column(block: usize, which: i32): usize {
  const replay = changetype<Replay>(block)
  switch (which) {
    case abi.REPLAY_ARRIVAL: return replay.arrival
    case abi.REPLAY_TOKENS: return replay.tokens
    case abi.REPLAY_ESTIMATE: return replay.estimate
    case abi.REPLAY_START: return replay.start
    case abi.REPLAY_FINISH: return replay.finish
    case abi.REPLAY_SLOWDOWN: return replay.slowdown
    case abi.REPLAY_TENANT: return replay.tenant
    default: return replay.bypasses
  }
}

/**
 * Runs all rows; columns [N] in: arrival (in order), tokens, estimate, tenant, slowdown [B + 1]; out: start, finish, bypasses.
 *
 * @param queue       empty, with room for all rows; with ageing by work of slope 1
 * @param bypass      ageing by work; below 0 none
 * @returns OK, or what the queue said to the first row it refused
 */
export function replay_run(
  block: usize, queue: usize, batching: i32, timeout: f64, perRequest: f64, perToken: f64, bypass: f64, longFactor: f64,
): i32 {
  const replay = changetype<Replay>(block)
  replay.queue = queue
  replay.batching = batching
  replay.timeout = timeout
  replay.perRequest = perRequest
  replay.perToken = perToken
  replay.idle = replay.servers
  replay.forming = -1
  const ageing = ageingOf(replay)
  ageing.bypass = bypass
  ageing.longFactor = longFactor
  for (let i = 0; i < replay.servers; i++) serverAt(replay, i).wake = Infinity
  for (let row = 0; row < replay.rows; row++) putNumber(replay.start, row, NaN)

  let next = 0
  while (true) {
    const index = earliest(replay)
    const time = serverAt(replay, index).wake
    if (next < replay.rows && numberAt(replay.arrival, next) <= time) {
      const status = arrive(replay, next++)
      if (status < 0) return status
    } else if (time == Infinity) {
      return abi.OK
    } else if (batching == abi.REPLAY_CONTINUOUS) {
      iterate(replay, index, time)
    } else {
      serve(replay, index, time)
    }
  }
}

/** The server to which something happens first. */
function earliest(replay: Replay): i32 {
  let best = 0
  let time = serverAt(replay, 0).wake
  for (let i = 1; i < replay.servers; i++) {
    const wake = serverAt(replay, i).wake
    if (wake < time) {
      best = i
      time = wake
    }
  }
  return best
}

// @ts-ignore: decorator
@inline function ageingOf(replay: Replay): WorkAgeing {
  return changetype<WorkAgeing>(replay.ageing)
}

function arrive(replay: Replay, row: i32): i32 {
  const time = numberAt(replay.arrival, row)
  const ageing = ageingOf(replay)
  const estimate = numberAt(replay.estimate, row)
  let place = time
  if (ageing.bypass >= 0) {
    if (enterWork(ageing, estimate)) queue_age(replay.queue, ageing.scale, ageing.cap)
    place = ageing.arrived
  }
  const ticket = queue_push(replay.queue, estimate, place, wordAt(replay.tenant, row))
  if (ticket < 0) return ticket
  putWord(replay.rowOf, ticket, row)
  if (replay.batching == abi.REPLAY_CONTINUOUS) promise(replay, time)
  else if (replay.forming < 0) wakeIdle(replay, time)
  else if (waiting(replay) >= replay.batch) serverAt(replay, replay.forming).wake = time
  return abi.OK
}

/** Of a row that has come. */
// @ts-ignore: decorator
@inline function isWaiting(replay: Replay, row: i32): bool {
  return isNaN(numberAt(replay.start, row))
}

// @ts-ignore: decorator
@inline function waiting(replay: Replay): i32 {
  return changetype<Queue>(replay.queue).size
}

function wakeIdle(replay: Replay, time: f64): void {
  if (replay.idle == 0) return
  let index = 0
  while (serverAt(replay, index).wake != Infinity) index++
  serverAt(replay, index).wake = time
  replay.idle--
}

function rest(replay: Replay, server: Server): void {
  server.wake = Infinity
  replay.idle++
}

/** Dispatches the next request to a place of the server and returns its row. */
function dispatch(replay: Replay, index: i32, slot: i32, time: f64): i32 {
  const row = wordAt(replay.rowOf, queue_pop(replay.queue))
  const ageing = ageingOf(replay)
  if (ageing.bypass >= 0) leaveWork(ageing, numberAt(replay.estimate, row))
  putWord(replay.members, index * replay.batch + slot, row)
  putNumber(replay.start, row, time)
  return row
}

/** One request, or a batch that ends as a whole, starts; or the server waits for more, or for any. */
function serve(replay: Replay, index: i32, time: f64): void {
  const server = serverAt(replay, index)
  for (let i = 0; i < server.members; i++) leave(replay, index, i)
  server.members = 0
  if (replay.forming == index) replay.forming = -1
  const most = replay.batching == abi.REPLAY_DYNAMIC ? replay.batch : 1
  const ready = waiting(replay)
  if (ready == 0) {
    rest(replay, server)
    return
  }
  if (ready < most) {
    const deadline = numberAt(replay.arrival, oldestOf(replay)) + replay.timeout
    if (time < deadline) {
      if (replay.forming >= 0) {
        rest(replay, server)
      } else {
        replay.forming = index
        server.wake = deadline
      }
      return
    }
  }
  const count = min(ready, most)
  let longest = 0.0
  for (let i = 0; i < count; i++) longest = max(longest, numberAt(replay.tokens, dispatch(replay, index, i, time)))
  server.members = count
  server.wake = time + replay.perRequest + replay.perToken * longest * numberAt(replay.slowdown, count)
  for (let i = 0; i < count; i++) {
    putNumber(replay.finish, wordAt(replay.members, index * replay.batch + i), server.wake)
  }
  countBypasses(replay, index, 0, count)
  if (ready > count && replay.forming < 0) wakeIdle(replay, time)
}

/** A member's expected tokens are no longer outstanding. */
function leave(replay: Replay, index: i32, slot: i32): void {
  const row = wordAt(replay.members, index * replay.batch + slot)
  queue_finish(replay.queue, wordAt(replay.tenant, row), numberAt(replay.estimate, row))
}

function oldestOf(replay: Replay): i32 {
  while (!isWaiting(replay, replay.oldest)) replay.oldest++
  return replay.oldest
}

/** Seconds of an iteration of the server as it is. */
function iterationOf(replay: Replay, server: Server): f64 {
  return replay.perToken * numberAt(replay.slowdown, server.members)
}

/** The server with the fewest requests and a free place is woken at the end of its iteration. */
function promise(replay: Replay, time: f64): void {
  let fewest = replay.batch
  let chosen = -1
  for (let i = 0; i < replay.servers; i++) {
    const server = serverAt(replay, i)
    const load = server.members + server.promised
    if (load < fewest) {
      fewest = load
      chosen = i
    }
  }
  if (chosen < 0) return
  const server = serverAt(replay, chosen)
  replay.promised++
  if (server.promised++ > 0) return // woken for an earlier arrival, in this iteration
  if (server.members == 0) {
    server.boundary = time
    server.steps = 0
    server.wake = time
    return
  }
  const seconds = iterationOf(replay, server)
  let steps = max(ceil((time - server.boundary) / seconds), 1.0)
  if (server.boundary + steps * seconds < time) steps++ // rounding
  if (steps >= server.steps) return // someone leaves no later
  server.steps = steps
  server.wake = server.boundary + steps * seconds
}

/** Between two iterations: those that are done leave, others take their places. */
function iterate(replay: Replay, index: i32, time: f64): void {
  const server = serverAt(replay, index)
  const first = index * replay.batch
  server.boundary = time
  server.iterations += server.steps
  for (let i = 0; i < server.members;) {
    if (numberAt(replay.targets, first + i) > server.iterations) {
      i++
      continue
    }
    putNumber(replay.finish, wordAt(replay.members, first + i), time)
    leave(replay, index, i)
    const last = --server.members
    putWord(replay.members, first + i, wordAt(replay.members, first + last))
    putNumber(replay.targets, first + i, numberAt(replay.targets, first + last))
  }
  if (server.members == 0) server.iterations = 0

  replay.promised -= server.promised
  server.promised = 0
  const count = min(replay.batch - server.members, waiting(replay) - replay.promised)
  const joined = server.members
  for (let i = joined; i < joined + count; i++) {
    const row = dispatch(replay, index, i, time)
    const tokens = numberAt(replay.tokens, row)
    const needed = max(ceil(tokens + replay.perRequest / replay.perToken), 1.0)
    putNumber(replay.targets, first + i, server.iterations + needed)
  }
  server.members += count
  countBypasses(replay, index, joined, count)
  if (server.members == 0) {
    server.wake = Infinity
    return
  }
  let target = Infinity
  for (let i = 0; i < server.members; i++) target = min(target, numberAt(replay.targets, first + i))
  server.steps = target - server.iterations
  server.wake = time + server.steps * iterationOf(replay, server)
}

/** How many that arrived later were dispatched before each of these, which are dispatched together. */
function countBypasses(replay: Replay, index: i32, from: i32, count: i32): void {
  const first = replay.members + (<usize>(index * replay.batch + from) << 2)
  for (let i = 0; i < count; i++) {
    const row = wordAt(first, i)
    let earlier = 0
    for (let node = row; node > 0; node &= node - 1) earlier += wordAt(replay.started, node)
    putWord(replay.bypasses, row, replay.dispatched - earlier)
  }
  for (let i = 0; i < count; i++) {
    for (let node = wordAt(first, i) + 1; node <= replay.rows; node += node & -node) {
      putWord(replay.started, node, wordAt(replay.started, node) + 1)
    }
  }
  replay.dispatched += count
}
