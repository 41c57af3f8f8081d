// What the agents share that learn from a replay of many pairs (DDPG, DQN): rings of transitions, the batch that is drawn from
// them, and the context z of each of its groups. An agent's class extends `OffPolicy`, its block begins with it.
//
// N: batch, S: state, Z: context, A: action numbers of a record, P: rings, G: groups of a batch; every part is 16-byte aligned
//   head: LastGood | random state
//   body: rings Replay[P] | io record | rewards, terminated, goals, values [N] | indices, groupOf i32 [N] | context [Z] | contexts, slopes [G, Z]
//         chosen rings i32 [G] | replay records
import * as abi from '../abi'
import { Real, REAL } from '../math/real'
import { place, placeRows } from '../memory/plan'
import { encode, encoderGradients } from '../nn/context-encoder'
import { Encoder } from '../nn/context-encoder-plan'
import { copyReals } from '../nn/mlp'
import { RANDOM_BYTES, random_integer } from '../random/xoshiro'
import { appendContexts } from './context'
import { LastGood } from '../nn/last-good'
import { insertRecord, planRings, recordStride, Replay, ringAt, scalarsOffset } from './pair-replay'

// @ts-ignore: decorator
@unmanaged export class OffPolicy {
  stateSize: i32 = 0
  /** Numbers of a record's action. */
  actionSize: i32 = 0
  contextSize: i32 = 0
  batch: i32 = 0
  /** Records of a ring, and Reals of a record. */
  capacity: i32 = 0
  stride: i32 = 0
  partitions: i32 = 0
  maxGroups: i32 = 0
  updates: i32 = 0
  guard: LastGood = changetype<LastGood>(0)
  random: usize = 0
  rings: usize = 0
  /** The record that TypeScript fills and reads. */
  io: usize = 0
  rewards: usize = 0
  terminated: usize = 0
  /** What the values should have been, and what they were. */
  goals: usize = 0
  values: usize = 0
  indices: usize = 0
  /** The context of each row of the batch: an index into `contexts`. */
  groupOf: usize = 0
  /** What stands behind the state when acting, and in updates on ring 0. */
  context: usize = 0
  contexts: usize = 0
  /** dLoss/dcontexts. */
  slopes: usize = 0
  chosen: usize = 0
  records: usize = 0
}

/** Bytes that `placeHead` takes. */
// @ts-ignore: decorator
@inline export const OFF_POLICY_HEAD_BYTES: usize = ((offsetof<LastGood>() + 15) & ~15) + RANDOM_BYTES

/** Places the head's parts; the sizes of the agent are known. */
export function placeHead(agent: OffPolicy): void {
  agent.stride = recordStride(agent.stateSize, agent.actionSize)
  agent.guard = changetype<LastGood>(place(offsetof<LastGood>()))
  agent.random = place(RANDOM_BYTES)
}

/** Places the body's parts. */
export function placeBatch(agent: OffPolicy): void {
  const n = agent.batch, groups = agent.maxGroups
  const record = <usize>agent.stride * REAL, context = <usize>agent.contextSize * REAL
  agent.rings = placeRows(agent.partitions, offsetof<Replay>())
  agent.io = place(record)
  agent.rewards = placeRows(n, REAL)
  agent.terminated = placeRows(n, REAL)
  agent.goals = placeRows(n, REAL)
  agent.values = placeRows(n, REAL)
  agent.indices = placeRows(n, 4)
  agent.groupOf = placeRows(n, 4)
  agent.context = place(context)
  agent.contexts = placeRows(groups, context)
  agent.slopes = placeRows(groups, context)
  agent.chosen = placeRows(groups, 4)
  agent.records = placeRows(<f64>agent.partitions * agent.capacity, record)
}

export function emptyRings(agent: OffPolicy): void {
  planRings(agent.rings, agent.partitions, agent.records, agent.stateSize, agent.actionSize, agent.capacity)
}

/** A fresh batch of ring 0, under the context for acting: 0, or EMPTY when nothing is stored. */
export function drawBatch(agent: OffPolicy): i32 {
  if (ringAt(agent.rings, 0).count == 0) return abi.EMPTY
  drawRows(agent, 0, 0, 0, agent.batch)
  useOwnContext(agent)
  return abi.OK
}

/** The whole batch is under the context for acting. */
export function useOwnContext(agent: OffPolicy): void {
  memory.fill(agent.groupOf, 0, <usize>agent.batch << 2)
  copyReals(agent.contexts, agent.context, agent.contextSize)
}

/**
 * Equal shares of the chosen rings i32 [groups], each under its own context: the staged ones [G, Z], or where `encoder` is not 0
 * the embeddings of what is staged there. 0, or EMPTY when a ring is, and nothing changed.
 */
export function drawPairs(agent: OffPolicy, groups: i32, encoder: usize): i32 {
  for (let g = 0; g < groups; g++) if (ringAt(agent.rings, chosenRing(agent, g)).count == 0) return abi.EMPTY
  let row = 0
  for (let g = 0; g < groups; g++) {
    const end = <i32>((<i64>agent.batch * (g + 1)) / groups)
    drawRows(agent, chosenRing(agent, g), g, row, end)
    row = end
  }
  if (encoder != 0) {
    encode(changetype<Encoder>(encoder), groups, true)
    copyReals(agent.contexts, changetype<Encoder>(encoder).embeddings, groups * agent.contextSize)
  }
  return abi.OK
}

// @ts-ignore: decorator
@inline function chosenRing(agent: OffPolicy, group: i32): i32 {
  return load<i32>(agent.chosen + (<usize>group << 2))
}

/** The batch's rows [row, end) come from a ring and belong to a group. */
function drawRows(agent: OffPolicy, ring: i32, group: i32, row: i32, end: i32): void {
  const count = ringAt(agent.rings, ring).count
  for (; row < end; row++) {
    const at = <usize>row << 2
    store<i32>(agent.indices + at, ring * agent.capacity + random_integer(agent.random, count))
    store<i32>(agent.groupOf + at, group)
  }
}

/** Where the record of a row of the batch lies. */
// @ts-ignore: decorator
@inline export function recordOf(agent: OffPolicy, row: usize): usize {
  return agent.records + <usize>load<i32>(agent.indices + (row << 2)) * <usize>agent.stride * REAL
}

/** Records → rewards, terminated, and states with their contexts as the first columns of here and there [N], `row` bytes a row. */
export function gatherTransitions(agent: OffPolicy, here: usize, there: usize, row: usize): void {
  const states = agent.stateSize
  const stateRow = <usize>states * REAL
  const next = stateRow + <usize>agent.actionSize * REAL
  const scalars = scalarsOffset(ringAt(agent.rings, 0))
  for (let i: usize = 0; i < <usize>agent.batch; i++) {
    const record = recordOf(agent, i)
    copyReals(here + i * row, record, states)
    copyReals(there + i * row, record + next, states)
    store<Real>(agent.rewards + i * REAL, load<Real>(record + scalars))
    store<Real>(agent.terminated + i * REAL, load<Real>(record + scalars + REAL))
  }
  appendContexts(here + stateRow, row, agent.contexts, agent.contextSize, agent.groupOf, agent.batch)
  appendContexts(there + stateRow, row, agent.contexts, agent.contextSize, agent.groupOf, agent.batch)
}

/** The encoder's gradients from the context slopes; their squared norm, 0 without an encoder. */
export function learnEncoder(agent: OffPolicy, encoder: usize, groups: i32): f64 {
  if (encoder == 0) return 0.0
  copyReals(changetype<Encoder>(encoder).slopes, agent.slopes, groups * agent.contextSize)
  return encoderGradients(changetype<Encoder>(encoder), groups, true)
}

/** Stores the io record in a ring: 0, or NOT_FINITE and nothing changed. */
export function off_policy_insert(pointer: usize, ring: i32): i32 {
  const agent = changetype<OffPolicy>(pointer)
  return insertRecord(ringAt(agent.rings, ring), agent.io) ? abi.OK : abi.NOT_FINITE
}

/**
 * Where a part of a DDPG or DQN agent lies, `which` of OFF_POLICY_…: one io record, indices i32 [N], goals and values [N],
 * context [Z], contexts and slopes [G, Z], chosen rings i32 [G].
 */
export function off_policy_pointer(pointer: usize, which: i32): usize {
  const agent = changetype<OffPolicy>(pointer)
  switch (which) {
    case abi.OFF_POLICY_IO: return agent.io
    case abi.OFF_POLICY_INDICES: return agent.indices
    case abi.OFF_POLICY_RECORDS: return agent.records
    case abi.OFF_POLICY_RANDOM: return agent.random
    case abi.OFF_POLICY_GOALS: return agent.goals
    case abi.OFF_POLICY_VALUES: return agent.values
    case abi.OFF_POLICY_CONTEXT: return agent.context
    case abi.OFF_POLICY_CONTEXTS: return agent.contexts
    case abi.OFF_POLICY_SLOPES: return agent.slopes
    case abi.OFF_POLICY_CHOSEN: return agent.chosen
    default: return changetype<usize>(agent.guard)
  }
}

/** Updates done. */
export function off_policy_updates(pointer: usize): i32 {
  return changetype<OffPolicy>(pointer).updates
}

/** Sets the number of updates done. */
export function off_policy_set_updates(pointer: usize, updates: i32): void {
  changetype<OffPolicy>(pointer).updates = updates
}

/** Transitions in a ring, and where its next one goes. */
export function off_policy_ring_count(pointer: usize, ring: i32): i32 {
  return ringAt(changetype<OffPolicy>(pointer).rings, ring).count
}

/** Where the next transition of a ring goes. */
export function off_policy_ring_cursor(pointer: usize, ring: i32): i32 {
  return ringAt(changetype<OffPolicy>(pointer).rings, ring).cursor
}

/** Sets how many transitions a ring holds and where the next one goes; records are written beforehand. */
export function off_policy_set_ring(pointer: usize, ring: i32, count: i32, cursor: i32): void {
  const head = ringAt(changetype<OffPolicy>(pointer).rings, ring)
  head.count = count
  head.cursor = cursor
}
