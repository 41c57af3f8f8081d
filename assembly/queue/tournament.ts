// Whose number is the smallest: a tournament of L players, a power of two. Ties go to the player with the lower index.
//
// node [2L, 16 B]: +0 number f64 (+∞: not playing)  +8 player i32. Node 1 is the winner, node L + i the leaf of player i.

// @ts-ignore: decorator
@inline export function winnerOf(nodes: usize): i32 {
  return load<i32>(nodes + 16, 8)
}

// @ts-ignore: decorator
@inline export function winningNumber(nodes: usize): f64 {
  return load<f64>(nodes + 16)
}

/** Nobody plays. */
export function clearTournament(nodes: usize, leaves: i32): void {
  for (let i = 1; i < 2 * leaves; i++) {
    const node = nodes + (<usize>i << 4)
    store<f64>(node, Infinity)
    store<i32>(node, i < leaves ? 0 : i - leaves, 8)
  }
}

/** Gives a player another number and plays its matches again: O(log L). */
// @ts-ignore: decorator
@inline export function setNumber(nodes: usize, leaves: i32, player: i32, number: f64): void {
  let node = <usize>(leaves + player)
  store<f64>(nodes + (node << 4), number)
  let winner = player
  let smallest = number
  while (node > 1) {
    const rival = nodes + ((node ^ 1) << 4)
    const rivalNumber = load<f64>(rival)
    const rivalFirst = rivalNumber < smallest || (rivalNumber == smallest && (node & 1) != 0)
    winner = select<i32>(load<i32>(rival, 8), winner, rivalFirst)
    smallest = select<f64>(rivalNumber, smallest, rivalFirst)
    node >>= 1
    store<f64>(nodes + (node << 4), smallest)
    store<i32>(nodes + (node << 4), winner, 8)
  }
}
