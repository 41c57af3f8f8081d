// Ring replay of transitions; sampling is uniform with replacement. An agent of many pairs has equal rings in a row, one a pair:
// an index over all of them is ring · capacity + place in the ring.
//
// record [stride] Reals: state [S] | action [A] | next state [S] | rule action [A] | reward | terminated | has rule
import { Real, REAL } from '../math/real'

// @ts-ignore: decorator
@unmanaged export class Replay {
  records: usize
  stateSize: i32
  actionSize: i32
  stride: i32
  capacity: i32
  /** Records now stored. */
  count: i32
  /** Where the next one goes; the oldest when full. */
  cursor: i32
}

// @ts-ignore: decorator
@inline export function recordStride(stateSize: i32, actionSize: i32): i32 {
  return 2 * (stateSize + actionSize) + 3
}

// @ts-ignore: decorator
@inline export function recordAt(replay: Replay, index: i32): usize {
  assert(index >= 0 && index < replay.capacity, 'replay: no such record')
  return replay.records + <usize>index * <usize>replay.stride * REAL
}

/** Where the numbers behind the four vectors start, in bytes from the record: reward, terminated, has rule. */
// @ts-ignore: decorator
@inline export function scalarsOffset(replay: Replay): usize {
  return <usize>(2 * (replay.stateSize + replay.actionSize)) * REAL
}

/** Copies a record in, over the oldest when full; false when it holds a number that is not finite (nothing changes). */
export function insertRecord(replay: Replay, record: usize): bool {
  const bytes = <usize>replay.stride * REAL
  for (let i: usize = 0; i < bytes; i += REAL) if (!isFinite<Real>(load<Real>(record + i))) return false
  memory.copy(recordAt(replay, replay.cursor), record, bytes)
  replay.cursor = replay.cursor + 1 == replay.capacity ? 0 : replay.cursor + 1
  replay.count = min(replay.count + 1, replay.capacity)
  return true
}

// @ts-ignore: decorator
@inline export function ringAt(rings: usize, index: i32): Replay {
  return changetype<Replay>(rings + <usize>index * offsetof<Replay>())
}

/** Empties `count` rings whose records lie one ring after another. */
export function planRings(rings: usize, count: i32, records: usize, stateSize: i32, actionSize: i32, capacity: i32): void {
  for (let i = 0; i < count; i++) {
    const ring = ringAt(rings, i)
    ring.stateSize = stateSize
    ring.actionSize = actionSize
    ring.stride = recordStride(stateSize, actionSize)
    ring.capacity = capacity
    ring.records = records + <usize>(i * capacity) * <usize>ring.stride * REAL
    ring.count = 0
    ring.cursor = 0
  }
}
