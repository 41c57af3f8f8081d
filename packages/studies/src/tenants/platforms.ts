// Which platforms of an arena are for what; those that judge are others, and by a draw of their own.

/** Rules are tuned and policies learn on these. */
export const LEARNING_PLATFORMS: readonly number[] = [0, 1, 2, 3]

/** The best moment of what learns is kept by these. */
export const CHECKING_PLATFORMS: readonly number[] = [4, 5, 6, 7, 8, 9]
/** Between a tuned rule and another, or what was learned, these decide: neither saw them. */
export const VALIDATION_PLATFORMS: readonly number[] = Array.from({ length: 12 }, (_, i) => 10 + i)
/** Episodes on each of those. */
export const VALIDATION_SEEDS: readonly number[] = [800_000, 800_001, 800_002]
