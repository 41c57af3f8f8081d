// A function that does nothing but work: real CPU time, the same for the same number of rounds.

/** @param rounds  about a million take 2 ms on a fast core of today */
export function main({ rounds = 1_000_000 }) {
  let word = 1
  for (let i = 0; i < rounds; i++) word = (Math.imul(word, 1664525) + 1013904223) | 0 // Numerical Recipes' generator
  return { word }
}
