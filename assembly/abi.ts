// What TypeScript and the core agree on besides the function names of index.ts.
// packages/core/src/abi.ts mirrors these numbers; a test compares the two.

/** Grows with every change that a saved state or a caller would notice. */
// @ts-ignore: decorator
@inline export const ABI_VERSION: i32 = 1

// Status codes. Anything negative is a refusal that changed nothing.
// @ts-ignore: decorator
@inline export const OK: i32 = 0
