/** Pair numbers of a repetition: its pool first, then the apps that nobody has seen. There are 625 networks in all. */
export const FIRST_PAIR = (seed, task) => seed * (task.startsWith('congestion') ? 125 : 1000)
