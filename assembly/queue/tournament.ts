// Whose number is the smallest, of L players, a power of two of at most 1024: a champion and a tournament of the others.
// While the champion stays the smallest its number changes at no cost: only when it falls behind are matches played again.
//
// block: +0 champion i64, then i64[2L − 1]: 1 the winner of the others, L + i player i. An entry is the number's bits in an
// order that integers have too, its last ten replaced by the player: one comparison decides, to 42 bits; ties go to the lower player.

// @ts-ignore: decorator
@inline const PLAYER: i64 = 1023
// @ts-ignore: decorator
@inline const NOT_PLAYING: i64 = i64.MAX_VALUE

// @ts-ignore: decorator
@inline function entryOf(number: f64, player: i32): i64 {
  const bits = reinterpret<i64>(number)
  return ((bits ^ ((bits >> 63) & i64.MAX_VALUE)) & ~PLAYER) | <i64>player
}

// @ts-ignore: decorator
@inline function playerOf(entry: i64): i32 {
  return <i32>(entry & PLAYER)
}

/** Who has the smallest number; not when nobody plays. */
// @ts-ignore: decorator
@inline export function championOf(block: usize): i32 {
  return playerOf(load<i64>(block))
}

/** Nobody plays. */
export function clearTournament(block: usize, leaves: i32): void {
  for (let i = 0; i < 2 * leaves; i++) store<i64>(block + (<usize>i << 3), NOT_PLAYING)
}

/** Plays the matches of one player again: O(log L). */
function playAgain(block: usize, leaf: i32, entry: i64): void {
  let node = <usize>leaf
  let smallest = entry
  store<i64>(block + (node << 3), smallest)
  while (node > 1) {
    smallest = min(smallest, load<i64>(block + ((node ^ 1) << 3)))
    node >>= 1
    store<i64>(block + (node << 3), smallest)
  }
}

/** The winner of the others becomes the champion. */
function succeed(block: usize, leaves: i32): void {
  const entry = load<i64>(block + 8)
  store<i64>(block, entry)
  if (entry != NOT_PLAYING) playAgain(block, leaves + playerOf(entry), NOT_PLAYING)
}

/** A player with a number joins. */
export function join(block: usize, leaves: i32, player: i32, number: f64): void {
  let entry = entryOf(number, player)
  const champion = load<i64>(block)
  if (entry < champion) {
    store<i64>(block, entry)
    if (champion == NOT_PLAYING) return
    entry = champion
  }
  playAgain(block, leaves + playerOf(entry), entry)
}

/** A player leaves. */
export function leave(block: usize, leaves: i32, player: i32): void {
  if (player == championOf(block)) succeed(block, leaves)
  else playAgain(block, leaves + player, NOT_PLAYING)
}

/** A player's number changes. */
// @ts-ignore: decorator
@inline export function change(block: usize, leaves: i32, player: i32, number: f64): void {
  if (player != championOf(block)) {
    leave(block, leaves, player) // the number may fall, where arrivals are not in order
    join(block, leaves, player, number)
    return
  }
  const entry = entryOf(number, player)
  if (entry < load<i64>(block + 8)) {
    store<i64>(block, entry)
    return
  }
  succeed(block, leaves)
  playAgain(block, leaves + player, entry)
}
