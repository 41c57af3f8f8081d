import { defineConfig } from 'vitest/config'

// Tests run against the sources of every package (condition `@trimtab/source`) and the wasm that `npm test` has built.
export default defineConfig({
  resolve: { conditions: ['@trimtab/source'] },
  ssr: { resolve: { conditions: ['@trimtab/source'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'adapters/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 180_000, // packing, installing and building come first in some
    expect: { poll: { timeout: 30_000, interval: 20 } }, // a busy machine is slow, not wrong
    setupFiles: ['test/setup.mjs'],
  },
})
