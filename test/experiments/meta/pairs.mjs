/** Pair numbers of a repetition: its pool first, then the apps that nobody has seen. */
export const FIRST_PAIR = (seed) => 1000 * seed
