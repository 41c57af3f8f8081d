/**
 * Pair numbers of a repetition: its pool first, then the apps that nobody has seen. There are 625 networks in all: five repetitions
 * of 125, or fifteen of 40.
 */
export const FIRST_PAIR = (seed, task) =>
  task.startsWith('congestion') ? (seed % 5) * 125 + Math.floor(seed / 5) * 40 : seed * 1000
