// A rollout: the steps since the last update, in columns and in the order in which they came.
//
// C: capacity, S: state, Z: context, G: global, W = S + Z + G, A: numbers of an action (1 a head for categories), P: partitions
//   states, nexts [C, W]   actions [C, A]                                          Real; context columns by `fillContexts`
//   rewards, logProbabilities, values, nextValues, advantages, returns [C]         f64
//   ends, partitionOf [C]   lastRows [P], −1: none                                 i32
//   carry [P]                                                                      f64
import { REAL } from '../math/real'
import { copyReals } from '../nn/mlp'
import { appendContexts } from './context'
import { gae_estimate, gae_monte_carlo, TERMINATED, TRUNCATED } from './gae'

// @ts-ignore: decorator
@unmanaged export class Rollout {
  stateSize: i32 = 0
  contextSize: i32 = 0
  globalSize: i32 = 0
  /** W */
  width: i32 = 0
  actionWidth: i32 = 0
  capacity: i32 = 0
  partitions: i32 = 0
  /** Steps now stored. */
  count: i32 = 0
  states: usize = 0
  nexts: usize = 0
  actions: usize = 0
  rewards: usize = 0
  logProbabilities: usize = 0
  values: usize = 0
  nextValues: usize = 0
  advantages: usize = 0
  returns: usize = 0
  ends: usize = 0
  partitionOf: usize = 0
  lastRows: usize = 0
  carry: usize = 0
  /** [P, Z], what the rows of each partition get behind their states. */
  contexts: usize = 0
  /** Which partitions an update is about: their numbers i32 [P], how many, and 1 for each of them i32 [P]. */
  chosen: usize = 0
  chosenCount: i32 = 0
  isChosen: usize = 0
}

/** Appends a step; the caller has checked that there is room. state, next [W] */
export function appendStep(
  rollout: Rollout, state: usize, action: usize, next: usize, reward: f64, logProbability: f64, terminated: i32, partition: i32,
): void {
  const row = <usize>rollout.count
  rollout.count++
  copyReals(rollout.states + row * <usize>rollout.width * REAL, state, rollout.width)
  copyReals(rollout.nexts + row * <usize>rollout.width * REAL, next, rollout.width)
  copyReals(rollout.actions + row * <usize>rollout.actionWidth * REAL, action, rollout.actionWidth)
  store<f64>(rollout.rewards + (row << 3), reward)
  store<f64>(rollout.logProbabilities + (row << 3), logProbability)
  store<i32>(rollout.ends + (row << 2), terminated ? TERMINATED : 0)
  store<i32>(rollout.partitionOf + (row << 2), partition)
  store<i32>(rollout.lastRows + (<usize>partition << 2), <i32>row)
}

/** The partition's episode is over: its last step, where it was no end state, was cut by a time limit. */
export function endEpisode(rollout: Rollout, partition: i32): void {
  const last = load<i32>(rollout.lastRows + (<usize>partition << 2))
  if (last < 0) return
  const end = rollout.ends + (<usize>last << 2)
  if (load<i32>(end) == 0) store<i32>(end, TRUNCATED)
}

export function clearRollout(rollout: Rollout): void {
  rollout.count = 0
  memory.fill(rollout.lastRows, 0xff, <usize>rollout.partitions << 2)
}

/** Takes the first `count` of `chosen` as what updates are about. */
export function choosePartitions(rollout: Rollout, count: i32): void {
  rollout.chosenCount = count
  memory.fill(rollout.isChosen, 0, <usize>rollout.partitions << 2)
  for (let g = 0; g < count; g++) store<i32>(rollout.isChosen + (<usize>chosenAt(rollout, g) << 2), 1)
}

// @ts-ignore: decorator
@inline export function chosenAt(rollout: Rollout, index: i32): i32 {
  return load<i32>(rollout.chosen + (<usize>index << 2))
}

/** order = the rows of the chosen partitions, oldest first; returns how many. */
export function dealRows(rollout: Rollout, order: usize): i32 {
  let dealt = 0
  for (let row = 0; row < rollout.count; row++) {
    const partition = load<i32>(rollout.partitionOf + (<usize>row << 2))
    if (!load<i32>(rollout.isChosen + (<usize>partition << 2))) continue
    store<i32>(order + (<usize>dealt << 2), row)
    dealt++
  }
  return dealt
}

/** Puts each partition's context behind the states of its rows. */
export function fillContexts(rollout: Rollout): void {
  if (rollout.contextSize == 0) return
  const row = <usize>rollout.width * REAL, at = <usize>rollout.stateSize * REAL
  appendContexts(rollout.states + at, row, rollout.contexts, rollout.contextSize, rollout.partitionOf, rollout.count)
  appendContexts(rollout.nexts + at, row, rollout.contexts, rollout.contextSize, rollout.partitionOf, rollout.count)
}

/** Advantages and returns from rewards and values; `plain`: Monte-Carlo returns without λ and without V(next). */
export function estimateReturns(rollout: Rollout, plain: bool, discount: f64, lambda: f64): void {
  const r = rollout
  if (plain) {
    gae_monte_carlo(
      r.count, r.partitions, r.rewards, r.values, r.ends, r.partitionOf, r.carry, discount, r.advantages, r.returns,
    )
  } else {
    gae_estimate(
      r.count, r.partitions, r.rewards, r.values, r.nextValues, r.ends, r.partitionOf, r.carry, discount, lambda,
      r.advantages, r.returns,
    )
  }
}

let shift = 0.0
let scale = 1.0

/** What brings the advantages of `rows` to mean 0 and sample deviation 1: a single one stays as it is, equal ones become 0. */
function measureAdvantages(rollout: Rollout, rows: usize, n: i32): void {
  let sum = 0.0, low = Infinity, high = -Infinity
  for (let i = 0; i < n; i++) {
    const advantage = load<f64>(advantageAt(rollout, rows, i))
    sum += advantage
    low = min(low, advantage)
    high = max(high, advantage)
  }
  shift = n < 2 ? 0.0 : sum / <f64>n
  scale = n < 2 ? 1.0 : 0.0
  if (n < 2 || low == high) return
  let squares = 0.0
  for (let i = 0; i < n; i++) {
    const gap = load<f64>(advantageAt(rollout, rows, i)) - shift
    squares += gap * gap
  }
  scale = 1.0 / (Math.sqrt(squares / <f64>(n - 1)) + 1e-8)
}

// @ts-ignore: decorator
@inline function advantageAt(rollout: Rollout, rows: usize, i: i32): usize {
  return rollout.advantages + (<usize>load<i32>(rows + (<usize>i << 2)) << 3)
}

/** used [n] = the advantages of `rows`, normalised among themselves where `normalise`. */
export function takeAdvantages(rollout: Rollout, rows: usize, n: i32, normalise: bool, used: usize): void {
  shift = 0.0
  scale = 1.0
  if (normalise) measureAdvantages(rollout, rows, n)
  for (let i = 0; i < n; i++) store<f64>(used + (<usize>i << 3), (load<f64>(advantageAt(rollout, rows, i)) - shift) * scale)
}

/** Normalises the advantages of `rows` where they lie. */
export function normaliseAdvantages(rollout: Rollout, rows: usize, n: i32): void {
  measureAdvantages(rollout, rows, n)
  for (let i = 0; i < n; i++) {
    const at = advantageAt(rollout, rows, i)
    store<f64>(at, (load<f64>(at) - shift) * scale)
  }
}
