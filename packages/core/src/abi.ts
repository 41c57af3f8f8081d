// Mirrors assembly/abi.ts; test/abi.test.ts compares the two.

export const ABI_VERSION = 1
