// Whose number is the smallest, of L players, a power of two from 2 to 1024: the champion, and the one who comes after it.
// While the champion stays ahead of the runner-up its number changes at no cost: only when it falls behind are matches played again.
//
// block: +0 champion i64  +8 runner-up i64, then the winner of each match i64[2L − 2]: L + i is player i. Of the champion itself the
// matches may have an earlier, smaller number. An entry is the number's bits in an order that integers have too, its last ten replaced
// by the player: one comparison decides, to 42 bits; ties go to the lower player.

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

// @ts-ignore: decorator
@inline function champion(block: usize): i64 {
  return load<i64>(block)
}

// @ts-ignore: decorator
@inline function runnerUp(block: usize): i64 {
  return load<i64>(block, 8)
}

// @ts-ignore: decorator
@inline function rank(block: usize, first: i64, second: i64): void {
  store<i64>(block, first)
  store<i64>(block, second, 8)
}

/** Who has the smallest number; not when nobody plays. */
// @ts-ignore: decorator
@inline export function championOf(block: usize): i32 {
  return playerOf(champion(block))
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
  while (node > 3) {
    smallest = min(smallest, load<i64>(block + ((node ^ 1) << 3)))
    node >>= 1
    store<i64>(block + (node << 3), smallest)
  }
}

/** The smallest that the champion has won against. */
function bestBeaten(block: usize, leaves: i32, first: i64): i64 {
  let smallest = NOT_PLAYING
  for (let node = <usize>(leaves + playerOf(first)); node > 1; node >>= 1) {
    smallest = min(smallest, load<i64>(block + ((node ^ 1) << 3)))
  }
  return smallest
}

/** The champion's entry is this now, and it has fallen behind: the runner-up takes its place. */
function succeed(block: usize, leaves: i32, player: i32, entry: i64): void {
  const first = runnerUp(block)
  playAgain(block, leaves + player, entry)
  rank(block, first, first == NOT_PLAYING ? NOT_PLAYING : bestBeaten(block, leaves, first))
}

/** A player with a number joins. */
export function join(block: usize, leaves: i32, player: i32, number: f64): void {
  const entry = entryOf(number, player), first = champion(block)
  if (entry < first) {
    if (first != NOT_PLAYING) playAgain(block, leaves + playerOf(first), first)
    playAgain(block, leaves + player, entry)
    rank(block, entry, first)
  } else {
    playAgain(block, leaves + player, entry)
    rank(block, first, min(runnerUp(block), entry))
  }
}

/** A player leaves. */
export function leave(block: usize, leaves: i32, player: i32): void {
  const first = champion(block)
  if (player == playerOf(first)) {
    succeed(block, leaves, player, NOT_PLAYING)
    return
  }
  playAgain(block, leaves + player, NOT_PLAYING)
  if (player == playerOf(runnerUp(block))) rank(block, first, bestBeaten(block, leaves, first))
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
  if (entry < runnerUp(block)) store<i64>(block, entry)
  else succeed(block, leaves, player, entry)
}
